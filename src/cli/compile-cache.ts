import { isAbsolute, join } from "node:path";

/**
 * Where Node keeps what V8 has compiled of the program. It is run as it is read: it stands in the user's own directory. Undefined where that is not
 * known: a relative directory would lie in the checkout, and whoever writes there could choose what is run.
 */
export function compileCacheDirectory(cache: string | undefined, home: string): string | undefined {
  const directory = cache !== undefined && isAbsolute(cache) ? cache : join(home, ".cache");
  return isAbsolute(directory) ? join(directory, "roster") : undefined;
}
