import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mutants, mutated } from "../chaos/mutant-list.ts";
import { faultNames, killPoints } from "../support/fault.ts";

function tableRows(): readonly { readonly fault: string; readonly file: string; readonly title: string }[] {
  const [, section = ""] = readFileSync("test/README.md", "utf8").split("## Faults and their tests");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| ([^|]+) \| ([a-z][^|]*) \| ([^|]+) \| [^|]+ \|$/gmu) ?? [];
  return [...rows]
    .map(([, fault = "", file = "", title = ""]) => ({ fault, file, title }))
    .filter(({ file }) => file !== "file in `test/`");
}

/** The titles of a file's tests or sessions, as they are written. */
function titlesIn(file: string): readonly string[] {
  if (file.endsWith(".txt")) return readFileSync(`test/${file}`, "utf8").split("\n");
  const source = readFileSync(`test/${file}.test.ts`, "utf8");
  return [...source.matchAll(/^\s*(?:test\b.*?[(]|\)\()?\s*(?:test[^"\n]*\()?"([^"\n]{20,})",/gmu)].map(
    ([, title = ""]) => title,
  );
}

const harness = [
  "e2e/kill",
  ...readdirSync("test/property").flatMap((file) => (file.startsWith("apply-") ? [`property/${file}`] : [])),
  ...readdirSync("test/chaos").flatMap((file) => (file.endsWith(".test.ts") ? [`chaos/${file}`] : [])),
].map((file) => file.replace(".test.ts", ""));

describe("the table of faults", () => {
  test("names tests that there are", () => {
    const missing = tableRows().filter(({ file, title }) => !titlesIn(file).includes(title));
    expect({ missing, rows: tableRows().length > 30 }).toEqual({ missing: [], rows: true });
  });

  test("leaves out no test of the harness", () => {
    const told = new Set(tableRows().map(({ file, title }) => `${file}: ${title}`));
    const tests = harness.flatMap((file) => titlesIn(file).map((title) => `${file}: ${title}`));
    expect(tests.filter((one) => !told.has(one))).toEqual([]);
    expect(tests.length).toBeGreaterThan(7);
  });

  test("names each fault and each moment of a kill once", () => {
    const named = tableRows().flatMap(({ fault }) => [...fault.matchAll(/`([^`]+)`/gu)].map(([, name]) => name));
    expect([...named].sort()).toEqual([...faultNames, ...killPoints].sort());
  });
});

test.each(mutants)("a mutant finds what it breaks: $name", (mutant) => {
  expect(mutated("src", mutant).text).toContain(`function ${mutant.function}Unbroken`);
});
