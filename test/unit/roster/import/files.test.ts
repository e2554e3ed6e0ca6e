import { describe, expect, test } from "vitest";
import { fileNamer } from "../../../../src/roster/import/files.ts";

describe("a file name", () => {
  test.each([
    ["Data Science", "data-science.yaml"],
    ["R&D (core)", "r-d-core.yaml"],
    ["../../etc/passwd", "etc-passwd.yaml"],
    [".hidden", "hidden.yaml"],
    ["CON", "con-file.yaml"],
    ["lpt1", "lpt1-file.yaml"],
    ["a\u0000b\nc", "a-b-c.yaml"],
    ["数据 科学", "数据-科学.yaml"],
    ["ﬁne №", "fine-no.yaml"],
    ["---", "account.yaml"],
    ["", "account.yaml"],
    ["\u0301x", "x.yaml"],
    ["x".repeat(300), `${"x".repeat(50)}.yaml`],
  ])("of %j is %s", (name, expected) => {
    expect(fileNamer()(name)).toBe(expected);
  });

  test("is no other's, in no file system", () => {
    const nameFile = fileNamer();
    const given = ["data", "Data", "data-2", "straße", "STRASSE", "é", "e\u0301", "!", "?"];
    expect(given.map(nameFile)).toEqual([
      "data.yaml",
      "data-2.yaml",
      "data-2-2.yaml",
      "straße.yaml",
      "strasse-2.yaml",
      "é.yaml",
      "é-2.yaml",
      "account.yaml",
      "account-2.yaml",
    ]);
  });
});
