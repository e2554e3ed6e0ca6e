import { isAbsolute, join } from "node:path";

/** The cache is run as it is read: it stands in the user's own directory. A relative one would lie in the checkout, where others may write. */
export function compileCacheDirectory(cache: string | undefined, home: string): string | undefined {
  const directory = cache !== undefined && isAbsolute(cache) ? cache : join(home, ".cache");
  return isAbsolute(directory) ? join(directory, "roster") : undefined;
}
