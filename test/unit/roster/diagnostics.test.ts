import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { localErrors } from "../../../src/roster/build.ts";
import {
  matchesPattern,
  misplacedSections,
  patternProblem,
  type SectionRule,
  sectionNames,
} from "../../../src/roster/diagnostics.ts";
import { readYaml } from "../../../src/yaml/read.ts";

function standing(text: string) {
  const { tree } = readYaml("f.yaml", new TextEncoder().encode(text));
  if (tree === undefined) throw new Error(text);
  const settings = { accounts: new Map(), today: "2026-11-20" };
  return localErrors([{ file: "f.yaml", tree }], settings).map(({ code, place }) => `${place?.line} ${code}`);
}

const head = "version: 1\naccount: acc-1\n";
const ada = "users: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace, until: 2026-11-01 }]\n";

test.each([
  ["of people who may be users of another file", "teams: [{ name: Red, members: [bo@acme.example] }]\n", []],
  [
    "of groups of another file, and who is in them",
    `${ada}teams: [{ name: Red, admin: ada@acme.example, members: [{ group: g }] }]\n`,
    [],
  ],
  [
    "of leavers who may have come back in another file",
    "leavers: [{ email: bo@acme.example }]\ngroups: { g: [bo@acme.example] }\n",
    [],
  ],
  ["of roles that role sets of another file make the same", "keys: [{ prefix: p, roles: [{ set: s }] }]\n", []],
  [
    "but all of two users with one address",
    `${ada.replace("[", "[{ email: ADA@acme.example, firstName: A, lastName: L }, ")}`,
    ["3 duplicate"],
  ],
  [
    "but all that a file says of itself",
    "users: [{ email: ada, firstName: 1 }]\n",
    ["3 missing-key", "3 bad-value", "3 bad-value"],
  ],
])("where other files cannot be read nothing is told %s", (_, text, faults) => {
  expect(standing(head + text)).toEqual(faults);
});

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

describe("a pattern", () => {
  test.each<[string, readonly string[]]>([
    ["**", paths],
    ["*", ["-", "all.yaml"]],
    ["-", ["-"]],
    ["people", ["people/ada.yaml", "people/deep/bo.yaml"]],
    ["people/", ["people/ada.yaml", "people/deep/bo.yaml"]],
    ["people/**", ["people/ada.yaml", "people/deep/bo.yaml"]],
    ["people/*", ["people/ada.yaml"]],
    ["people*/*", ["people/ada.yaml", "peoples/cy.yaml"]],
    ["teams/red", ["teams/red/team.yaml"]],
    ["teams/*.yaml", ["teams/red.yaml"]],
    ["teams/re*.y*ml", ["teams/red.yaml", "teams/reds.yml"]],
    ["**/teams/*.yaml", ["teams/red.yaml", "x/teams/red.yaml"]],
    ["**/team.yaml", ["teams/red/team.yaml"]],
    ["*/deep", ["people/deep/bo.yaml"]],
    [
      "*/**/*.yaml",
      [
        "people/ada.yaml",
        "people/deep/bo.yaml",
        "peoples/cy.yaml",
        "teams/red/team.yaml",
        "teams/red.yaml",
        "x/teams/red.yaml",
      ],
    ],
    ["all?yaml".replace("?", "."), ["all.yaml"]],
    ["PEOPLE/**", []],
    ["pe.ple/**", []],
  ])("%s fits what it says", (pattern, expected) => {
    expect([patternProblem(pattern), paths.filter((path) => matchesPattern(pattern, path))]).toEqual([
      undefined,
      expected,
    ]);
  });

  test("fits names with line breaks and signs of regular expressions as they are", () => {
    expect(matchesPattern("teams/**", "teams/a\nb.yaml")).toBe(true);
    expect(matchesPattern("teams/(a|b)+$^.yaml", "teams/(a|b)+$^.yaml")).toBe(true);
    expect(matchesPattern("teams/(a|b)+.yaml", "teams/ab.yaml")).toBe(false);
  });

  test.each([
    ["/people", "starts with"],
    ["", "empty"],
    ["/", "starts with"],
    ["a//b", "empty"],
    ["../teams", "`..`"],
    ["./teams", "`.`"],
    ["teams/..", "`..`"],
    ["teams**", "must be alone"],
    ["teams/***", "must be alone"],
    ["te?ms", "special character"],
    ["{a,b}", "special character"],
    ["!teams", "special character"],
    ["teams\\red", "special character"],
  ])("is not %j", (pattern, words) => {
    expect(patternProblem(pattern)).toContain(words);
  });
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
  const { tree } = readYaml("f.yaml", new TextEncoder().encode(text));
  if (tree === undefined) throw new Error("no tree");
  return misplacedSections([{ path, tree }], rules).map(({ code, message, place }) => {
    return `${place?.line}:${place?.column} ${code} ${/`([a-zA-Z]+)`/u.exec(message)?.[1]}`;
  });
}

const lineOf = { roleSets: 4, groups: 5, users: 6, leavers: 7, teams: 8, keys: 9, accept: 10 } as const;

test.each<[string, string | undefined, readonly string[]]>([
  ["a path of teams", "teams/a/red.yaml", ["teams"]],
  ["a path of the same entry, written as a directory", "crews/red.yaml", ["teams"]],
  ["a path of people", "people/ada.yaml", ["groups", "users"]],
  ["a path that an earlier entry takes", "teams/open.yaml", []],
  ["standard input", "-", ["leavers"]],
  ["a path that no entry fits", "other.yaml", []],
  ["what lies outside", undefined, []],
])("%s carries only what its first entry names", (_, path, allowed) => {
  const refused = sectionNames.filter((name) => !allowed.includes(name));
  expect(misplaced(path)).toEqual(refused.map((name) => `${lineOf[name]}:1 section-not-allowed ${name}`));
});

test("an error names the section's place, the entry, and where the section belongs", () => {
  const { tree } = readYaml("teams/red.yaml", new TextEncoder().encode("version: 1\nusers: []\nkeys: []\n"));
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
