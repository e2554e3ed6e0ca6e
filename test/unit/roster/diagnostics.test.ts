import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { localErrors } from "../../../src/roster/build.ts";
import {
  matchesPattern,
  misplacedSections,
  patternProblem,
  type SectionRule,
  sectionNames,
} from "../../../src/roster/diagnostics.ts";
import { readGeneral } from "../../../src/yaml/general.ts";
import { testTextCases, unescaped } from "../../support/text-cases.ts";

function standing(text: string) {
  const { tree } = readGeneral("f.yaml", new TextEncoder().encode(text));
  if (tree === undefined) throw new Error(text);
  const settings = { accounts: new Map(), today: "2026-11-20" };
  return localErrors([{ file: "f.yaml", tree }], settings).map(({ code, place }) => `${place?.line} ${code}`);
}

const head = "version: 1\naccount: acc-1\n";

test("what is not told does not crowd out what is", () => {
  const nobody = Array.from({ length: 1100 }, (_, index) => `n${index}@acme.example`).join(", ");
  const leaver = "leavers: [{ email: bo@acme.example, since: 2027-02-01 }]\n";
  expect(standing(`${head}groups: { g: [${nobody}] }\n${leaver}`)).toEqual(["4 contradiction"]);
});

const paths = [
  "-",
  "all.yaml",
  "people/ada.yaml",
  "people/deep/bo.yaml",
  "peoples/cy.yaml",
  "teams/red/team.yaml",
  "teams/red.yaml",
  "teams/reds.yml",
  "x/teams/red.yaml",
];

test("a pattern fits names with line breaks and signs of regular expressions as they are", () => {
  expect(matchesPattern("teams/**", "teams/a\nb.yaml")).toBe(true);
  expect(matchesPattern("teams/(a|b)+$^.yaml", "teams/(a|b)+$^.yaml")).toBe(true);
  expect(matchesPattern("teams/(a|b)+.yaml", "teams/ab.yaml")).toBe(false);
});

const rule = (line: number, paths: readonly string[], only: SectionRule["only"]): SectionRule => ({
  paths,
  only,
  place: { file: "roster.config.yaml", line, column: 5 },
});

const rules = [
  rule(2, ["teams/open.yaml"], []),
  rule(3, ["teams/**", "crews/"], ["teams"]),
  rule(4, ["people"], ["users", "groups"]),
  rule(5, ["-"], ["leavers"]),
];

const everything =
  "version: 1\naccount: acc-1\ndefaults: {}\nroleSets: {}\ngroups: {}\nusers: []\nleavers: []\nteams: []\nkeys: []\naccept: []\n";

function misplaced(path: string | undefined, text = everything): readonly string[] {
  const { tree } = readGeneral("f.yaml", new TextEncoder().encode(text));
  if (tree === undefined) throw new Error("no tree");
  return misplacedSections([{ path, tree }], rules).map(({ code, message, place }) => {
    return `${place?.line}:${place?.column} ${code} ${/`([a-zA-Z]+)`/u.exec(message)?.[1]}`;
  });
}

const sections: Readonly<Record<string, (given: string) => string | readonly string[]>> = {
  "where other files cannot be read": (text) => named(standing(head + unescaped(text))),
  "a pattern": (pattern) => {
    const problem = patternProblem(pattern === "∅" ? "" : pattern);
    return problem === undefined ? named(paths.filter((path) => matchesPattern(pattern, path))) : `not one: ${problem}`;
  },
  "a file that holds every section": (path) => named(misplaced(path === "outside" ? undefined : path)),
};

function named(list: readonly string[]): string {
  return list.length === 0 ? "nothing" : list.join(", ");
}

testTextCases(
  new URL("./diagnostics.txt", import.meta.url),
  (section, [given = ""]) => sections[section]?.(given) ?? "",
);

test("an error names the section's place, the entry, and where the section belongs", () => {
  const { tree } = readGeneral("teams/red.yaml", new TextEncoder().encode("version: 1\nusers: []\nkeys: []\n"));
  const told = misplacedSections([{ path: "teams/red.yaml", tree: tree ?? expect.fail() }], rules);
  expect(told).toEqual([
    {
      code: "section-not-allowed",
      severity: "error",
      message:
        "The section `users` is not allowed in this file: `sections` in the settings (roster.config.yaml:3:5) allows `teams` alone in this path.",
      hint: "Move it to `people` (roster.config.yaml:4:5).",
      place: { file: "teams/red.yaml", line: 2, column: 1 },
      excerpt: { line: "users: []", length: 5 },
    },
    {
      code: "section-not-allowed",
      severity: "error",
      message:
        "The section `keys` is not allowed in this file: `sections` in the settings (roster.config.yaml:3:5) allows `teams` alone in this path.",
      hint: "No path may contain `keys`. The owner of the settings can allow one.",
      place: { file: "teams/red.yaml", line: 3, column: 1 },
      excerpt: { line: "keys: []", length: 4 },
    },
  ]);
});

test("a file without sections may stand anywhere", () => {
  expect(misplaced("other.yaml", "version: 1\naccount: acc-1\ndefaults: { source: x }\n")).toEqual([]);
});

test("whatever a roster file may hold is a section, or is about that file alone", () => {
  const { properties } = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8"));
  expect(Object.keys(properties).sort()).toEqual([...sectionNames, "version", "account", "defaults"].sort());
});
