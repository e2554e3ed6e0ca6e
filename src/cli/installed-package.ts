import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../model/json.ts";

let installed: { readonly directory: string; readonly version: string } | undefined;

/** The installed package: the nearest directory above this file whose package.json is that of rosterctl. */
export function installedPackage(): NonNullable<typeof installed> {
  for (let directory = import.meta.dirname; installed === undefined; directory = dirname(directory)) {
    const file = join(directory, "package.json");
    const read: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    if (isObject(read) && read["name"] === "rosterctl") installed = { directory, version: String(read["version"]) };
    else if (directory === dirname(directory))
      throw new Error("The package.json of rosterctl is not above its program: the installation is incomplete.");
  }
  return installed;
}
