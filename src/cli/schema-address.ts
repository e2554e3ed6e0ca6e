import { dirname, join, relative, resolve, sep } from "node:path";
import { installedPackage } from "./package-directory.ts";

/** Where the schema of roster files lies, in the package that runs. */
export function schemaFile(): string {
  return join(installedPackage().directory, "schemas/roster.schema.json");
}

/**
 * The schema as seen from a roster file, where the package is installed in a project around the file, so that everybody who
 * has the project has it there. Undefined where the package is elsewhere on this machine.
 */
export function schemaBeside(file: string): string | undefined {
  const { directory } = installedPackage();
  const [project = directory] = directory.split(`${sep}node_modules${sep}`);
  if (!resolve(file).startsWith(project + sep)) return undefined;
  return relative(dirname(resolve(file)), schemaFile())
    .split(sep)
    .join("/");
}
