/** What `.git/index` holds where git keeps these files: version 2, its times and its names of objects left blank. Paths are ASCII. */
export function gitIndex(...paths: readonly string[]): string {
  const entries = [...paths].sort().map((path) => {
    const entry = `${"\0".repeat(60)}${String.fromCharCode(0, path.length)}${path}`;
    return `${entry}${"\0".repeat(8 - (entry.length % 8))}`;
  });
  return `DIRC\0\0\0\u0002\0\0\0${String.fromCharCode(paths.length)}${entries.join("")}`;
}
