import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The content of every file below a directory. */
export function everythingWritten(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}
