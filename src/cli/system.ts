import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Clock, Digest, Randomness } from "../ports/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};

export const systemRandomness: Randomness = { fraction: Math.random, identifier: randomUUID };

export const sha256: Digest = (text) => createHash("sha256").update(text).digest("hex");

/** The installed package: the nearest directory above this file whose package.json is that of rosterctl. */
export function installedPackage(): { readonly directory: string; readonly version: string } {
  let directory = dirname(fileURLToPath(import.meta.url));
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

/** Where the schema of roster files lies, in the package that runs. */
export function schemaFile(): string {
  return join(installedPackage().directory, "schemas/roster.schema.json");
}

/**
 * The schema as seen from a roster file, where the package is installed in a project around the file, so that everybody who
 * has the project has it there. Undefined where the package is elsewhere on this machine.
 */
export function bundledSchema(file: string): string | undefined {
  const { directory } = installedPackage();
  const [project = directory] = directory.split(`${sep}node_modules${sep}`);
  if (!resolve(file).startsWith(project + sep)) return undefined;
  return relative(dirname(resolve(file)), schemaFile())
    .split(sep)
    .join("/");
}
