import { describe, expect, test } from "vitest";
import { matchesPattern, patternProblem } from "../../../src/roster/path-pattern.ts";

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
    ["teams**", "stands alone"],
    ["teams/***", "stands alone"],
    ["te?ms", "means nothing"],
    ["{a,b}", "means nothing"],
    ["!teams", "means nothing"],
    ["teams\\red", "means nothing"],
  ])("is not %j", (pattern, words) => {
    expect(patternProblem(pattern)).toContain(words);
  });
});
