import { dirname, join, relative, resolve, sep } from "node:path";
import { installedPackage } from "../installed-package.ts";

/** What a person writes and an editor checks. */
export type SchemaName = "roster" | "settings";

/** The schema of roster files, in the directory of a roster: editors find it there, wherever roster itself is installed. */
export const schemaCopyName = "roster.schema.json";

export const schemaCopyNames: Readonly<Record<SchemaName, string>> = {
  roster: schemaCopyName,
  settings: "roster.config.schema.json",
};

/** What a roster file calls its schema: the one of a package in the project around it, else the copy in the roster's directory. */
export function schemaReference(directory: string, file: string): string {
  const copy = relative(dirname(file), join(directory, schemaCopyName));
  return bundledSchema("roster", file) ?? copy.split(sep).join("/");
}

/** Where a schema lies, in the package that runs. */
export function schemaFile(name: SchemaName): string {
  return join(installedPackage().directory, `schemas/${name}.schema.json`);
}

/**
 * The schema as seen from a file, where the package is installed in a project around the file, so that everybody who
 * has the project has it there. Undefined where the package is elsewhere on this machine.
 */
export function bundledSchema(name: SchemaName, file: string): string | undefined {
  const { directory } = installedPackage();
  const [project = directory] = directory.split(`${sep}node_modules${sep}`);
  if (!resolve(file).startsWith(project + sep)) return undefined;
  return relative(dirname(resolve(file)), schemaFile(name))
    .split(sep)
    .join("/");
}
