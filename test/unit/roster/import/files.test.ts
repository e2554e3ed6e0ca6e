import { describe, expect, test } from "vitest";
import { fileNamer } from "../../../../src/roster/import/files.ts";

describe("a file name", () => {
  test.each([
    ["Data Science", "teams/data-science.yaml"],
    ["R&D (core)", "teams/r-d-core.yaml"],
    ["../../etc/passwd", "teams/etc-passwd.yaml"],
    [".hidden", "teams/hidden.yaml"],
    ["CON", "teams/con-file.yaml"],
    ["lpt1", "teams/lpt1-file.yaml"],
    ["a\u0000b\nc", "teams/a-b-c.yaml"],
    ["数据 科学", "teams/数据-科学.yaml"],
    ["ﬁne №", "teams/fine-no.yaml"],
    ["---", "teams/team.yaml"],
    ["", "teams/team.yaml"],
    ["\u0301x", "teams/x.yaml"],
    ["x".repeat(300), `teams/${"x".repeat(50)}.yaml`],
  ])("of %j is %s", (name, expected) => {
    expect(fileNamer([]).give("teams/", name, "team")).toBe(expected);
  });

  test("is no other's, in no file system", () => {
    const names = fileNamer(["Teams/DATA.yaml"]);
    const given = ["data", "Data", "data-2", "straße", "STRASSE", "é", "e\u0301", "!", "?"];
    expect(given.map((name) => names.give("teams/", name, "team"))).toEqual([
      "teams/data-2.yaml",
      "teams/data-3.yaml",
      "teams/data-2-2.yaml",
      "teams/straße.yaml",
      "teams/strasse-2.yaml",
      "teams/é.yaml",
      "teams/é-2.yaml",
      "teams/team.yaml",
      "teams/team-2.yaml",
    ]);
  });
});
