import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../../support/command.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { inside } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";

const roster = `# yaml-language-server: $schema=roster.schema.json
# The people of Acme.
version: 1
account: acc-1
users:
  - email: ada@acme.example # since 2020
    firstName: Ada
    lastName: Lovelace
    source: hr
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, source: hr }
  # Cy works at night.
  - email: cy@acme.example
    firstName: Cy
    lastName: Tanaka
    source: hr
leavers:
  - { email: old@acme.example, since: 2026-01-31 }

teams:
  - name: Data
    admin: ada@acme.example
    roles: [DEVELOPER]
    members:
      - user: ada@acme.example
      - { user: bo@acme.example }

      - user: cy@acme.example # nights
`;

const acknowledgements = `# Reviewed every month.
version: 1
acknowledgements:
  - fingerprint: 0123456789abcdef
    code: extra-member
    subject: member eve@acme.example of team Data
    until: 2026-12-31
    reason: a contractor
    by: ada
    at: 2026-11-01
`;

interface Edit {
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  /** Applies the roster first, and changes the service where drift is to be seen. */
  readonly isApplied?: true;
}

/** Every command that edits YAML or lines that are there. */
const edits: Readonly<Record<string, Edit>> = {
  "drift acknowledge: an entry more": {
    files: { "roster.yaml": roster, "roster.acknowledgements.yaml": acknowledgements },
    commands: ["drift", "drift acknowledge FINGERPRINT --until 2026-12-24 --reason known --by ada"],
    isApplied: true,
  },
  "drift acknowledge: an entry renewed": {
    files: { "roster.yaml": roster, "roster.acknowledgements.yaml": acknowledgements },
    commands: [
      "drift",
      "drift acknowledge FINGERPRINT --until 2026-12-24 --reason known --by ada",
      "drift acknowledge FINGERPRINT --until 2026-12-28 --reason again --by bo",
    ],
    isApplied: true,
  },
  "init: a line more in .gitignore": { files: { ".gitignore": "node_modules/\n*.log\n" }, commands: ["init"] },
};

type LineEnd = "LF" | "CRLF";

function withLineEnd(text: string, lineEnd: LineEnd): string {
  return lineEnd === "LF" ? text : text.replaceAll("\n", "\r\n");
}

/** The files that were there before, as the commands leave them. */
async function filesAfter({ files, commands, isApplied }: Edit, lineEnd: LineEnd): Promise<Record<string, string>> {
  const cwd = emptyDirectory();
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...prompt };
  const clock = clockAt("2026-11-20T08:00:00.000Z");
  const run = async (line: string) => {
    const result = await inside(line.split(" "), { cwd, env, clock });
    const isExpected = result.code === 0 || (result.code === 2 && line.startsWith("drift"));
    if (!isExpected) throw new Error(`${line}: ${result.stderr}`);
    return result;
  };
  await writeRoster(
    cwd,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, withLineEnd(text, lineEnd)])),
  );
  let fingerprint = "";
  if (isApplied === true) {
    await run("apply --auto-approve");
    const key = server.world.users.flatMap(({ accessKeys }) => accessKeys).find(({ team }) => team?.name === "Data");
    server.world.setKeyRoles(key?.prefix ?? "", ["TEAM_ROLE"]);
    const { stdout } = await run("drift --format json");
    fingerprint = /"fingerprint": "([0-9a-f]{16})"/u.exec(stdout)?.[1] ?? "";
  }
  for (const command of commands) await run(command.replace("FINGERPRINT", fingerprint));
  const names = Object.keys(files).filter((name) =>
    readdirSync(cwd, { recursive: true, encoding: "utf8" }).includes(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(cwd, name), "utf8")]));
}

describe("files with CRLF keep it, and change in nothing else than files with LF do", () => {
  test.each(Object.entries(edits))("%s", async (_, edit) => {
    const after = await filesAfter(edit, "LF");
    expect(after).not.toEqual(edit.files);
    const expected = Object.fromEntries(Object.entries(after).map(([name, text]) => [name, withLineEnd(text, "CRLF")]));
    expect(await filesAfter(edit, "CRLF")).toEqual(expected);
  });
});
