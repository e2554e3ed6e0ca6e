import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

/** Words of our own in the names of files, types and functions, where the field has a standard word. */
const forbiddenWords = [
  "adopt",
  "beside",
  "conclude",
  "dialect",
  "foreseen",
  "ground",
  "holding",
  "judge",
  "laidOut",
  "leavings",
  "likeness",
  "means",
  "namesake",
  "nobody",
  "onlook",
  "passOver",
  "remark",
  "slips",
  "stray",
  "tell",
  "told",
  "trouble",
  "unfit",
  "whom",
  "wish",
  "withhold",
];

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const files: readonly SourceFile[] = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path}`)
  .filter((path) => /\.tsx?$/u.test(path) && !path.includes("/generated/"))
  .sort()
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

/** The files that each file imports when it is loaded, types as well. What is loaded on demand is no part of it. */
function importsOf(sources: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    sources.map(({ path, text }) => [
      path,
      [...text.matchAll(/^(?:import|export)\b(?:[^"'`;(]*? from)? "(\.[^"]+)"/gmu)].map((match) =>
        posix.join(posix.dirname(path), match[1] ?? ""),
      ),
    ]),
  );
}

/** One circle for each import that leads back, as the files that it passes. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path]);
    if (done.has(path) || way.includes(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return circles;
}

function namesIn({ text }: SourceFile): readonly string[] {
  const declaration = /^(?:export )?(?:async )?(?:function\*?|class|interface|type|const) (\w+)/gmu;
  return [...text.matchAll(declaration)].map((match) => match[1] ?? "");
}

/** A word counts at the beginning of a part of a name: `tell` is in `tellPlan`, and not in `intelligent`. */
function isForbidden(name: string): boolean {
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2").toLowerCase();
  return forbiddenWords.some((word) => {
    const pattern = word.replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2").toLowerCase();
    return new RegExp(`(?:^|-)${pattern}`, "u").test(parts);
  });
}

describe("the source tree", () => {
  test("has no circle of imports, types included", () => {
    expect(circlesIn(importsOf(files))).toEqual([]);
  });

  test("uses the field's words in the names of files, types and functions", () => {
    const names = files.flatMap((file) => {
      const base = posix.basename(file.path).replace(/\.tsx?$/u, "");
      return [base, ...namesIn(file)].filter(isForbidden).map((name) => `${file.path}: ${name}`);
    });
    expect(names).toEqual([]);
  });
});

test("what the glossary names in the code is there", () => {
  const [, glossary = ""] = readFileSync("docs/reference.md", "utf8").split("\n## Glossary");
  const names = [...glossary.matchAll(/(?<=^- \*\*[^:]+)`([^`]+)`(?=.*\):)/gmu)].map(([, name = ""]) => name);
  const isThere = (name: string) =>
    /[/.]/u.test(name) ? files.some(({ path }) => path.startsWith(`src/${name}`)) : declared.has(name);
  const declared = new Set(files.flatMap(namesIn));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

describe("a breach of each rule is noticed", () => {
  test("a circle", () => {
    const a = { path: "src/a/a.ts", text: 'import type { B } from "../b/b.ts";\n' };
    const b = { path: "src/b/b.ts", text: 'import {\n  c,\n} from "./c.ts";\n' };
    const c = { path: "src/b/c.ts", text: 'export { a } from "../a/a.ts";\nawait import("./b.ts");\n' };
    expect(circlesIn(importsOf([a, b, c]))).toEqual([["src/a/a.ts", "src/b/b.ts", "src/b/c.ts", "src/a/a.ts"]]);
  });

  test("a word of our own", () => {
    const names = ["tellPlan", "intelligent", "PlanGround", "groundless", "background", "read-beside"];
    expect(names.filter(isForbidden)).toEqual(["tellPlan", "PlanGround", "groundless", "read-beside"]);
  });
});
