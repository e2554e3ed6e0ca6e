import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { helpExamples } from "../../../../src/cli/command-line/commands.ts";
import { seedFrom } from "../../../../src/cli/commands/serve.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { inside, insideHost } from "../../../support/inside.ts";

test("the demo ends with commands that work in this terminal, on the path or from a checkout", async () => {
  const bin = emptyDirectory();
  writeFileSync(join(bin, "roster"), "#!/bin/sh\n");
  chmodSync(join(bin, "roster"), 0o755);
  const ends = async (PATH: string) => {
    const { code, stdout } = await inside(["demo"], { cwd: emptyDirectory(), env: { PATH } });
    expect(code).toBe(0);
    return stdout.trimEnd().split("\n").slice(-4);
  };
  const commands = (roster: string) => [
    `  ${roster} init my-roster && cd my-roster    # a small commented roster`,
    `  ${roster} serve                             # in another terminal: a test service`,
    `  ${roster} plan                              # after pasting the two export lines that serve prints`,
    `  ${roster} apply                             # after your approval`,
  ];
  expect(await ends(emptyDirectory())).toEqual(commands(`node "${resolve("dist/main.js")}"`));
  expect(await ends(bin)).toEqual(commands("roster"));
});

test("a seed that the help of serve names is there in every directory", async () => {
  const named = (helpExamples.get("serve") ?? []).flatMap(([line]) => /--seed (\S+)/u.exec(line)?.[1] ?? []);
  expect(named).toEqual(["acme"]);
  for (const name of [...named, "leavers"]) {
    const seed = await seedFrom(name, insideHost({ cwd: emptyDirectory() }));
    expect([name, seed !== undefined]).toEqual([name, true]);
  }
});
