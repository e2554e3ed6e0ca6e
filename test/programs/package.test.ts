import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { outsideProgram } from "../support/outside-program.ts";
import { packageFiles } from "../support/package-files.ts";

test.skipIf(outsideProgram("npm") === undefined)(
  "npm packs the files that the package is to have, and no other",
  () => {
    const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [packed] = JSON.parse(told) as readonly { readonly files: readonly { readonly path: string }[] }[];
    expect(packed?.files.map(({ path }) => path).sort()).toEqual([...packageFiles()].sort());
  },
);
