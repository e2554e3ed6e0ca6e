import { expect, test } from "vitest";
import { daysAfter, daysBetween, isDate, rosterDigest } from "../../../src/model/roster.ts";
import { rosterFrom } from "../../support/roster-text.ts";

const text = `version: 1
account: acc-1
defaults: { source: hr }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, ownKeyRoles: [{ set: engineer }] }
leavers: [{ email: cy@acme.example }]
teams:
  - { name: Red, roles: [{ set: engineer }], onRemoval: revoke, members: [{ group: all }, { group: more }] }
keys: [{ prefix: k-1, roles: [{ set: engineer }] }]
groups: { all: [ada@acme.example], more: [ada@acme.example] }
roleSets: { engineer: [DEVELOPER] }
`;

const digestOf = (written: string, file = "roster.yaml") => digestOfFiles({ [file]: written });

function digestOfFiles(files: Readonly<Record<string, string>>): string {
  const { roster } = rosterFrom(files);
  if (roster === undefined) throw new Error("the roster is invalid");
  return rosterDigest(roster);
}

test("a roster is the same wherever its lines are, and another one where it says something else", () => {
  const moved = text.replace("version: 1", "# moved\n\nversion: 1").replaceAll("  - {", "  -   {");
  expect(digestOf(moved, "elsewhere.yaml")).toBe(digestOf(text));
  expect(digestOf(text.replace("onRemoval: revoke", "onRemoval: report"))).not.toBe(digestOf(text));
  expect(digestOf(text.replace("source: hr", "source: web"))).not.toBe(digestOf(text));
});

test.each([
  [
    "users",
    "{ email: bo@acme.example, firstName: Bo, lastName: Test }",
    "{ email: ada@acme.example, firstName: A, lastName: T }",
  ],
  ["leavers", "{ email: bo@acme.example }", "{ email: ada@acme.example }"],
  ["teams", "{ name: Red, members: [] }", "{ name: Blue, members: [] }"],
  ["keys", "{ prefix: k-2, roles: [A] }", "{ prefix: k-1, roles: [A] }"],
])("a roster is another one where its %s come in another order, in one file or in several", (section, one, other) => {
  const file = (...entries: readonly string[]) => `version: 1\naccount: acc-1\n${section}: [${entries.join(", ")}]\n`;
  const asLoaded = digestOf(file(one, other));
  expect(digestOfFiles({ "a.yaml": file(one), "b.yaml": file(other) })).toBe(asLoaded);
  expect(digestOf(file(other, one))).not.toBe(asLoaded);
  expect(digestOfFiles({ "a.yaml": file(other), "b.yaml": file(one) })).not.toBe(asLoaded);
});

const dates: Record<string, readonly [text: string, expected: boolean]> = {
  "a day": ["2027-01-31", true],
  "the last of the days": ["9999-12-31", true],
  "the first of the days": ["1900-01-01", true],
  "a year before them, which is a slip of the hand": ["0227-01-31", false],
  "a leap day": ["2028-02-29", true],
  "the leap day of a century": ["2000-02-29", true],
  "the 29th of February in a common year": ["2027-02-29", false],
  "the 29th of February in a common century": ["2100-02-29", false],
  "the 31st of a month of 30 days": ["2027-04-31", false],
  "month 13": ["2027-13-01", false],
  "month 0": ["2027-00-10", false],
  "day 0": ["2027-01-00", false],
  "without zeros": ["2027-1-31", false],
  "with a time": ["2027-01-31T00:00:00Z", false],
  "in another order": ["31.01.2027", false],
  "with a line break after it": ["2027-01-31\n", false],
  nothing: ["", false],
};

test.each(Object.entries(dates))("%s", (_, [text, expected]) => {
  expect(isDate(text)).toBe(expected);
});

test("days are counted over the ends of months and years, and back", () => {
  expect(daysBetween("2026-11-20", "2026-12-04")).toBe(14);
  expect(daysBetween("2026-11-20", "2026-11-20")).toBe(0);
  expect(daysBetween("2028-02-28", "2028-03-01")).toBe(2);
  expect(daysBetween("2026-03-01", "2026-02-27")).toBe(-2);
});

test("days after a date lead over the ends of months and years", () => {
  expect([daysAfter("2026-11-20", 30), daysAfter("2026-12-31", 1), daysAfter("2028-02-28", 2)]).toEqual([
    "2026-12-20",
    "2027-01-01",
    "2028-03-01",
  ]);
});
