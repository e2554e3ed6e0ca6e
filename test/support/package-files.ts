import { readdirSync, readFileSync, statSync } from "node:fs";

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

/** The files of the package, as npm takes them: what `files` names, and what every package has. */
export function packageFiles(): readonly string[] {
  const { files } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly files: readonly string[] };
  const named = files.flatMap((path) => (statSync(path).isFile() ? [path] : filesBelow(path)));
  return [...named, "LICENSE", "README.md", "package.json"];
}
