import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isObject } from "../model/json.ts";
import type { FileToWrite } from "../roster/import/files.ts";

/** Where the package is installed: the nearest directory above this file whose package.json is that of rosterctl. */
export function packageDirectory(): string {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const file = join(directory, "package.json");
    const read: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    if (isObject(read) && read["name"] === "rosterctl") return directory;
    if (directory === dirname(directory))
      throw new Error("The package.json of rosterctl is not above its program: the installation is incomplete.");
  }
}

type SchemaName = "roster" | "settings";

export const schemaCopyNames = { roster: "roster.schema.json", settings: "roster.config.schema.json" } as const;

/** What a roster file calls its schema: the one of a package in the project around it, else the copy in the roster's directory. */
export function schemaReference(directory: string, file: string): string {
  const copy = relative(dirname(file), join(directory, schemaCopyNames.roster));
  return bundledSchema("roster", file) ?? copy.split(sep).join("/");
}

export async function missingSchemaCopy(name: SchemaName, directory: string): Promise<readonly FileToWrite[]> {
  const file = schemaCopyNames[name];
  if (bundledSchema(name, join(directory, file)) !== undefined || existsSync(join(directory, file))) return [];
  return [{ file, text: await readFile(schemaFile(name), "utf8") }];
}

function schemaFile(name: SchemaName): string {
  return join(packageDirectory(), `schemas/${name}.schema.json`);
}

/** Undefined where the package is not in the project around the file, so that others who have the project lack it there. */
export function bundledSchema(name: SchemaName, file: string): string | undefined {
  const directory = packageDirectory();
  const [project = directory] = directory.split(`${sep}node_modules${sep}`);
  if (!resolve(file).startsWith(project + sep)) return undefined;
  const path = relative(dirname(resolve(file)), schemaFile(name));
  return path.split(sep).join("/");
}
