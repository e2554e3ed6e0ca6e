import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const place = "test/e2e/life";

/** The first column of the tables of the page about people and teams. */
function rows(): readonly string[] {
  const [, tables = ""] = readFileSync("docs/roster-file.md", "utf8").split("\n## People and teams over the years\n");
  const first = [...tables.matchAll(/^\| ([^|]+) \|(?:[^|]*\|){3}$/gmu)].map(([, text = ""]) => text);
  return first.filter((text) => text !== "what happens");
}

function titles(): readonly string[] {
  const files = readdirSync(place).filter((file) => file !== "table.test.ts");
  return files.flatMap((file) =>
    [...readFileSync(join(place, file), "utf8").matchAll(/^test\("([^"]+)"/gmu)].map(([, title = ""]) => title),
  );
}

test("each row of the page about people and teams is a test, and each of these tests a row", () => {
  expect([...rows()].sort()).toEqual([...titles()].sort());
  expect(rows().length).toBeGreaterThan(40);
});
