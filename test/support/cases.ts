import { realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { emptyDirectory } from "./command.ts";
import { writeRoster } from "./roster-directory.ts";

/** The cases of a table, a text each: its columns are apart by ` | `, and may be empty. */
export function casesOf(rows: readonly string[]): readonly (readonly string[])[] {
  return rows.map((row) => row.split("|").map((cell) => cell.trim()));
}

/** `a=b c=d` as a record. A word without `=` has the value that is `otherwise`. */
export function pairsOf(cell: string, otherwise = ""): Readonly<Record<string, string>> {
  const words = cell.split(" ").filter((word) => word !== "");
  const pairs = words.map((word) => {
    const [, name = word, value = otherwise] = /^([^=]*)=(.*)$/su.exec(word) ?? [];
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

/** A directory with these files and links. Its own path has no link. */
export async function layOut(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  const at = await realpath(emptyDirectory());
  await writeRoster(at, files);
  for (const [link, target] of Object.entries(links)) await symlink(target, join(at, link));
  return at;
}
