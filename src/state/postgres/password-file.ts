import { stat } from "node:fs/promises";
import { platform } from "node:process";
import { readRegularFile } from "../regular-file.ts";
import type { DatabasePlace, PasswordFile } from "./postgres-address.ts";

/** In bytes. */
const largest = 1024 * 1024;

type Sought = Pick<DatabasePlace, "host" | "port" | "database" | "user">;

/**
 * The password that PostgreSQL's password file gives for a database: a line `host:port:database:user:password`, where
 * `*` stands for anything. A file that is missing, or that others may read, gives none, as with PostgreSQL's programs.
 */
export async function passwordFromFile(file: PasswordFile, sought: Sought): Promise<string | undefined> {
  try {
    const found = await stat(file.path);
    const othersMayRead = platform !== "win32" && (found.mode & 0o077) !== 0;
    return !found.isFile() || othersMayRead
      ? undefined
      : passwordIn((await readRegularFile(file.path, largest)).toString("utf8"), file.lines, sought);
  } catch {
    return undefined;
  }
}

/** The password of the first line that fits. */
function passwordIn(text: string, lines: PasswordFile["lines"], sought: Sought): string | undefined {
  const { host, port, database, user } = sought;
  // Whoever comes by a socket comes from this machine.
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  const found = text
    .split(/\r?\n/u)
    .filter((line) => !line.startsWith("#"))
    .map((line) => fieldsOf(line).map(unescaped))
    .find(([...fields]) => {
      const isNamed = lines === "all" || fields[0] !== "*";
      return fields.length >= 5 && isNamed && wanted.every((one, at) => fields[at] === "*" || fields[at] === one);
    });
  return found?.slice(4).join(":");
}

/** A colon within a field, and a backslash, stand behind a backslash. */
function fieldsOf(line: string): readonly string[] {
  return line.split(/(?<=(?<!\\)(?:\\\\)*):/u);
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gu, "$1");
}
