import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "./support/command.ts";
import { filesBelow, packageFiles } from "./support/package-files.ts";

test.each([
  ["passes", "0", ["ci", "test", "run test:programs"]],
  ["fails", "3", ["ci"]],
])("the entry of CI, called from anywhere, installs and tests in the project; where npm %s", (_, code, expected) => {
  const bin = emptyDirectory();
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$PWD $*" >> "${bin}/asked"\nexit ${code}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"]}` };
  expect(spawnSync(resolve(".ci/run"), { cwd: bin, env }).status).toBe(Number(code));
  const asked = expected.map((one) => `${resolve(".")} ${one}\n`);
  expect(readFileSync(join(bin, "asked"), "utf8")).toBe(asked.join(""));
});

describe("the package", () => {
  const paths = packageFiles();

  test("holds the bundle, its notices, the schemas, the examples and the docs, and nothing else", () => {
    const texts = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "package.json"];
    const expected = [...texts, ...["dist", "docs", "examples", "schemas"].flatMap(filesBelow)];
    expect([...paths].sort()).toEqual([...expected].sort());
    const sources = paths.filter((path) => !/\.d\.ts$|^examples\/library\//u.test(path));
    expect(sources.filter((path) => /(?:^|\/)\.|\.map$|\.tsx?$|^test|node_modules/u.test(path))).toEqual([]);
    const built = readdirSync("dist").filter((name) => !/^[\w-]+-[0-9A-Z]{8}\.js$/u.test(name));
    expect(built.sort()).toEqual(["THIRD-PARTY-NOTICES.txt", "library", "main.js", "sbom.cdx.json"]);
  });

  test("has every page, picture and file that its pages link to", () => {
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
    const bundled = ["aws4fetch", "commander", "csv-parse", "ink", "p-limit", "pg", "pg-boss", "react", "yaml"];
    for (const name of bundled) {
      const notice = notices.find((text) => text.startsWith(`${name} ${devDependencies[name]} (`));
      expect(notice, name).toMatch(/copyright/iu);
    }
    expect(
      notices.slice(1).filter((text) => !/^\S+ \S+ \((?:MIT|ISC|BSD-3-Clause|Apache-2.0)\)\n\n/u.test(text)),
    ).toEqual([]);
  });

  test("lists what the bundle holds as CycloneDX, each with the digest that the lock file has, and who needs whom", () => {
    const bill = JSON.parse(readFileSync("dist/sbom.cdx.json", "utf8")) as {
      readonly components: readonly {
        readonly "bom-ref": string;
        readonly name: string;
        readonly version: string;
        readonly hashes: readonly { readonly alg: string; readonly content: string }[];
        readonly licenses: readonly { readonly license: { readonly id: string } }[];
      }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      readonly packages: Readonly<
        Record<
          string,
          {
            readonly name?: string;
            readonly version?: string;
            readonly license?: string;
            readonly integrity?: string;
            readonly devDependencies?: Readonly<Record<string, string>>;
          }
        >
      >;
    };
    const { name, version, license, devDependencies } = packages[""] ?? {};
    const root = `${name}@${version}`;
    expect(bill).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: {
        component: { type: "application", "bom-ref": root, name, version, licenses: [{ license: { id: license } }] },
      },
    });
    const noticed = readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8")
      .split(`\n${"-".repeat(80)}\n\n`)
      .slice(1);
    expect(bill.components.map((one) => `${one.name} ${one.version} (${one.licenses[0]?.license.id})`).sort()).toEqual(
      noticed.map((text) => text.split("\n")[0]).sort(),
    );
    const locked = new Set(
      Object.entries(packages).map(([path, { version: at, integrity }]) =>
        JSON.stringify([path.replace(/^.*node_modules\//u, ""), at, integrity]),
      ),
    );
    const unlocked = bill.components.filter(({ name: one, version: at, hashes }) => {
      const digest = Buffer.from(hashes[0]?.content ?? "", "hex").toString("base64");
      return hashes[0]?.alg !== "SHA-512" || !locked.has(JSON.stringify([one, at, `sha512-${digest}`]));
    });
    expect(unlocked).toEqual([]);
    const refs = bill.components.map((one) => one["bom-ref"]);
    expect(refs).toEqual(bill.components.map((one) => `${one.name}@${one.version}`));
    expect(new Set(refs).size).toBe(refs.length);
    const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    expect([...needs.keys()].sort()).toEqual([root, ...refs].sort());
    const reached = new Set([root]);
    for (const ref of reached) for (const one of needs.get(ref) ?? []) reached.add(one);
    expect([...reached].sort()).toEqual([root, ...refs].sort());
    expect(needs.get(root)).toContain(`ink@${devDependencies?.["ink"]}`);
    expect(needs.get(`ink@${devDependencies?.["ink"]}`)).toContain("yoga-layout@3.2.1");
  });
});
