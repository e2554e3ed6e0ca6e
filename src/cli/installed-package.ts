import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface InstalledPackage {
  readonly directory: string;
  readonly version: string;
}

let installed: InstalledPackage | undefined;

/** The installed package: the nearest directory above this file whose package.json is that of rosterctl. */
export function installedPackage(): InstalledPackage {
  installed ??= findPackage();
  return installed;
}

function findPackage(): InstalledPackage {
  let directory = import.meta.dirname;
  while (directory !== dirname(directory)) {
    const version = versionAt(join(directory, "package.json"));
    if (version !== undefined) return { directory, version };
    directory = dirname(directory);
  }
  throw new Error("The package.json of rosterctl is not above its program: the installation is incomplete.");
}

function versionAt(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof read !== "object" || read === null || !("name" in read) || !("version" in read)) return undefined;
  return read.name === "rosterctl" ? String(read.version) : undefined;
}
