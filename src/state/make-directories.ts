import { dirname } from "node:path";
import { errorCode } from "./file-failure.ts";

/** Makes one directory; with `recursive` what is missing above it as well, and then tells the first that it made. */
export type MakeDirectory = (
  path: string,
  options: { readonly recursive: boolean; readonly mode: number },
) => Promise<string | undefined>;

/**
 * Makes a directory for its owner alone, with what is missing above it; tells the first that it made. Node calls a directory
 * missing wherever none can be made, as on a disk that is read-only: then one that is tried alone is told why.
 */
export async function makeDirectories(path: string, make: MakeDirectory): Promise<string | undefined> {
  try {
    return await make(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "ENOENT") await tryAlone(path, make);
    throw error;
  }
}

/** Throws what the lowest directory is refused with whose parent is there, unless something is in its place. */
async function tryAlone(path: string, make: MakeDirectory): Promise<void> {
  try {
    await make(path, { recursive: false, mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" && dirname(path) !== path) await tryAlone(dirname(path), make);
    else if (code !== "EEXIST") throw error;
  }
}
