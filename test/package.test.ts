import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

interface PackedPackage {
  readonly files: readonly { readonly path: string }[];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

describe("the package", () => {
  test("holds the bundle, its notices, the schemas and the examples, and nothing else", () => {
    const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [packed] = JSON.parse(told) as readonly PackedPackage[];
    const paths = (packed?.files ?? []).map(({ path }) => path);
    const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    const expected = [...texts, ...["dist", "examples", "schemas"].flatMap(filesBelow)];
    expect([...paths].sort()).toEqual([...expected].sort());
    expect(paths.filter((path) => /(?:^|\/)\.|\.map$|\.tsx?$|^test|node_modules/u.test(path))).toEqual([]);
    expect(paths.filter((path) => path.startsWith("dist/") && !/^dist\/[\w-]+\.js$/u.test(path))).toEqual([
      "dist/THIRD-PARTY-NOTICES.txt",
    ]);
  });

  test("needs no other package where it is installed, and says whose work the bundle holds", () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly dependencies?: object;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(dependencies).toBeUndefined();
    const notices = readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8").split(`\n${"-".repeat(80)}\n\n`);
    const bundled = ["aws4fetch", "commander", "diff", "ink", "p-limit", "pg", "react", "undici", "yaml"];
    for (const name of bundled) {
      const notice = notices.find((text) => text.startsWith(`${name} ${devDependencies[name]} (`));
      expect(notice, name).toMatch(/copyright/iu);
    }
    expect(notices.slice(1).filter((text) => !/^\S+ \S+ \((?:MIT|ISC|BSD-3-Clause)\)\n\n/u.test(text))).toEqual([]);
  });
});
