import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Where a program that somebody else wrote is installed, on the path or beside the project's own; undefined where it is not. */
export function outsideProgram(name: string): string | undefined {
  const directories = [resolve("node_modules/.bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
  const found = directories.map((directory) => join(directory, name)).find((path) => existsSync(path));
  if (found === undefined) console.warn(`There is no \`${name}\` here: what it makes of our output is not tested.`);
  return found;
}

export function runOutside(
  program: string,
  args: readonly string[],
  input?: string,
): { readonly code: number | null; readonly told: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
  });
  return { code: status, told: `${stdout}${stderr}` };
}
