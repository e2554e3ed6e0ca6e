import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDirectory, prompt } from "../../support/command.ts";
import { inside } from "../../support/inside.ts";
import { writeRoster } from "../../support/roster-directory.ts";

test("init adds lines to a .gitignore with the line ends that it has", async () => {
  const before = "node_modules/\n*.log\n";
  const after = async (text: string) => {
    const cwd = emptyDirectory();
    await writeRoster(cwd, { ".gitignore": text });
    expect((await inside(["init"], { cwd, env: prompt })).code).toBe(0);
    return readFileSync(join(cwd, ".gitignore"), "utf8");
  };
  const plain = await after(before);
  expect(plain).not.toBe(before);
  expect(await after(before.replaceAll("\n", "\r\n"))).toBe(plain.replaceAll("\n", "\r\n"));
});
