import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import type { Seed } from "../../src/reference-server/seed.ts";

/** The files of an example by their path in this repository, so that places are told as its README tells them. */
export function exampleFiles(name: string): Readonly<Record<string, string>> {
  const folder = join("examples", name);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, "utf8")]));
}

export function exampleSeed(name: string): Seed {
  const file = join("examples", `${name}.seed.yaml`);
  const { seed } = readSeed(file, readFileSync(file));
  if (seed === undefined) throw new Error(`${file} is no seed`);
  return seed;
}
