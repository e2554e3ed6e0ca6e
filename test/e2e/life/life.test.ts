import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testSessions } from "../../support/sessions.ts";

const place = "test/e2e/life";
const files = readdirSync(place).filter((file) => file.endsWith(".txt"));

describe.each(files)("%s", (file) => {
  testSessions(new URL(file, import.meta.url));
});

test("each row of the page about people and teams is a session, and each of these sessions a row", () => {
  const [, tables = ""] = readFileSync("docs/roster-file.md", "utf8").split("\n## People and teams over the years\n");
  const first = [...tables.matchAll(/^\| ([^|]+) \|(?:[^|]*\|){3}$/gmu)].map(([, text = ""]) => text);
  const rows = first.filter((text) => text !== "what happens");
  const titles = files.flatMap((file) => readFileSync(join(place, file), "utf8").match(/^[^\s:#].*$/gmu) ?? []);
  expect(rows.sort()).toEqual(titles.sort());
  expect(rows.length).toBeGreaterThan(40);
});
