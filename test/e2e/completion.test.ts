import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { completionScripts } from "../../src/cli/commands/completion.ts";
import { emptyDirectory } from "../support/command.ts";
import { writeRoster } from "../support/roster-directory.ts";

const hasBash = spawnSync("bash", ["--version"]).status === 0;

const roster = `version: 1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: L }
  - { email: bo@acme.example, firstName: Bo, lastName: D }
teams:
  - name: Data Science
  - name: "$(touch pwned)\`touch pwned\`; 'it' \\"is\\": a"
`;

/** What a bash that has the script of `roster completion bash` offers for a line of which the end is typed last. */
async function offered(
  line: string,
): Promise<{ readonly replies: readonly string[]; readonly files: readonly string[] }> {
  const cwd = emptyDirectory();
  await writeRoster(cwd, { "roster.yaml": roster });
  const bin = join(emptyDirectory(), "roster");
  writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${resolve("dist/main.js")}" "$@"\n`);
  chmodSync(bin, 0o755);
  const script = `${completionScripts.bash}
COMP_LINE=$LINE_TO_COMPLETE COMP_POINT=\${#LINE_TO_COMPLETE}
_roster_completion "$ROSTER" "" ""
printf '%s\\n' "\${COMPREPLY[@]}"
`;
  const env = { PATH: process.env["PATH"], HOME: cwd, ROSTER: bin, LINE_TO_COMPLETE: line };
  const stdout = execFileSync("bash", ["--norc", "-s"], { input: script, encoding: "utf8", cwd, env });
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
  return { replies: stdout.trimEnd().split("\n"), files: readdirSync(cwd) };
}

describe.skipIf(!hasBash)("the completion of bash", () => {
  test.each([
    ["roster valid", ["validate"]],
    ["roster plan --include user:", ["ada@acme.example", "bo@acme.example"]],
    [
      "roster plan --include team:",
      ["\\$\\(touch\\ pwned\\)\\`touch\\ pwned\\`\\;\\ \\'it\\'\\ \\\"is\\\":\\ a", "Data\\ Science"],
    ],
    ["roster plan --include team:Data\\ Sc", ["Data\\ Science"]],
  ])("offers, for %s, words that do nothing but stand there", async (line, replies) => {
    expect(await offered(line)).toEqual({ replies, files: ["roster.yaml"] });
  });
});
