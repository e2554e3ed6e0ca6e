import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "./support/command.ts";

interface PackedPackage {
  readonly files: readonly { readonly path: string }[];
}

/** The files of the package, as npm says. */
function packedPaths(): readonly string[] {
  const told = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [packed] = JSON.parse(told) as readonly PackedPackage[];
  return (packed?.files ?? []).map(({ path }) => path);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

describe("the package", () => {
  test("holds the bundle, its notices, the schemas, the examples and the docs, and nothing else", () => {
    const paths = packedPaths();
    const texts = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    const expected = [...texts, ...["dist", "docs", "examples", "schemas"].flatMap(filesBelow)];
    expect([...paths].sort()).toEqual([...expected].sort());
    expect(paths.filter((path) => /(?:^|\/)\.|\.map$|\.tsx?$|^test|node_modules/u.test(path))).toEqual([]);
    const built = readdirSync("dist").filter((name) => !/^[\w-]+\.js$/u.test(name));
    const digest = /^program-([0-9a-f]{16})\.cjs$/u.exec(built.find((name) => name.endsWith(".cjs")) ?? "")?.[1];
    const { version, platform, arch } = process;
    expect(built.sort()).toEqual([
      "THIRD-PARTY-NOTICES.txt",
      `program-${digest}-${version}-${platform}-${arch}.cache`,
      `program-${digest}.cjs`,
    ]);
  });

  test("has every page, picture and file that its pages link to", () => {
    const paths = packedPaths();
    const pages = paths.filter((path) => path.endsWith(".md"));
    const links = pages.flatMap((page) => {
      const text = readFileSync(page, "utf8").replace(/^```[\s\S]*?^```$/gmu, "");
      return [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/gu)].map(([, link = ""]) => ({ page, link }));
    });
    expect(links.length).toBeGreaterThan(40);
    expect(
      links.filter(({ page, link }) => !/^https:/u.test(link) && !paths.includes(join(dirname(page), link))),
    ).toEqual([]);
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

  test("starts from code that was compiled by the build, which this release of Node takes", () => {
    const [program = "", cache = ""] = compiled();
    // In a process of its own: other tests set a flag of V8 that the program sets later too.
    const look = `const source = fs.readFileSync(process.argv[1], "latin1"), cachedData = fs.readFileSync(process.argv[2]);
      console.log(new vm.Script(source, { cachedData }).cachedDataRejected)`;
    const files = [program, cache].map((name) => join("dist", name));
    expect(execFileSync(process.execPath, ["-e", look, ...files], { encoding: "utf8" })).toBe("false\n");
  });

  test.each([
    ["there is none", (cache: string) => rmSync(cache)],
    ["it is another program's", (cache: string) => writeFileSync(cache, otherCache())],
    ["it is cut off", (cache: string) => writeFileSync(cache, readFileSync(cache).subarray(0, 1000))],
    ["it is no code", (cache: string) => writeFileSync(cache, "no code")],
  ])("starts without compiled code where %s", (_, spoil) => {
    const directory = emptyDirectory();
    cpSync("dist", join(directory, "dist"), { recursive: true });
    copyFileSync("package.json", join(directory, "package.json"));
    spoil(join(directory, "dist", compiled()[1] ?? ""));
    const explain = (root: string) =>
      execFileSync(process.execPath, [join(root, "dist/main.js"), "explain", "no-endpoint"], { encoding: "utf8" });
    expect(explain(directory)).toBe(explain("."));
  });
});

/** The program, and what V8 has compiled of it. */
function compiled(): readonly (string | undefined)[] {
  const names = readdirSync("dist");
  return [".cjs", ".cache"].map((ending) => names.find((name) => name.endsWith(ending)));
}

function otherCache(): Buffer {
  return new Script("(function () { return 'another'; })").createCachedData();
}
