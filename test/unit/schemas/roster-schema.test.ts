import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { acceptedBySchema } from "../../support/roster-schema.ts";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";

function filesUnder(directory: string): Readonly<Record<string, string>> {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yaml"));
  return Object.fromEntries(
    paths.sort().map((path) => [join(directory, path), readFileSync(join(directory, path), "utf8")]),
  );
}

const noRoster = { users: new Map(), leavers: new Map(), teams: [], keys: [] };

test.each([
  ["examples/quickstart", { users: 3, leavers: 0, teams: 1, keys: 0 }],
  ["examples/acme", { users: 20, leavers: 0, teams: 4, keys: 1 }],
  ["examples/leavers", { users: 4, leavers: 2, teams: 1, keys: 1 }],
])("%s is a roster that both accept", (directory, counts) => {
  const files = filesUnder(directory);
  const making = rosterFrom(files);
  expect(faultsOf(making)).toEqual([]);
  const { users, leavers, teams, keys } = making.roster ?? noRoster;
  expect({ users: users.size, leavers: leavers.size, teams: teams.length, keys: keys.length }).toEqual(counts);
  for (const text of Object.values(files)) {
    expect(acceptedBySchema(parse(text))).toBe(true);
    expect(text).toMatch(/^# yaml-language-server: \$schema=(?:\.\.\/)+schemas\/roster\.schema\.json\n/u);
  }
});

test("the examples of the schema are valid", () => {
  const { examples } = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8"));
  expect(examples.map(acceptedBySchema)).toEqual([true]);
});
