import type { RenderOptions } from "../outcome.ts";

/** A file of the roster as the repository names it, with slashes; undefined where it is in none, as standard input is. */
export function repositoryPath(file: string, { pathOf }: RenderOptions): string | undefined {
  if (pathOf !== undefined) return pathOf(file);
  return file === "-" || file === "" || file.startsWith("/") || file.split("/").includes("..") ? undefined : file;
}
