import { describe, expect, test } from "vitest";
import { readGeneral } from "../../../src/yaml/general.ts";
import { writeScalar, writeYaml, YamlBlock, YamlComment } from "../../../src/yaml/write.ts";

describe("a text", () => {
  test.each([
    ["Ada", "Ada"],
    ["ada+x@acme.example", "ada+x@acme.example"],
    ["O'Brien", "O'Brien"],
    ["Søren Petrović", "Søren Petrović"],
    ["12pref1x121", "12pref1x121"],
    ["R&D (core)", "R&D (core)"],
    ["012", '"012"'],
    ["1e10", '"1e10"'],
    ["0x1F", '"0x1F"'],
    ["1_000", '"1_000"'],
    ["12:30", '"12:30"'],
    ["2026-11-20", '"2026-11-20"'],
    ["no", '"no"'],
    ["Y", '"Y"'],
    ["null", '"null"'],
    ["True", '"True"'],
    ["", '""'],
    [" a", '" a"'],
    ["a ", '"a "'],
    ["@ada", '"@ada"'],
    ["-", '"-"'],
    ["? a", '"? a"'],
    ["#1", '"#1"'],
    ["a: b", '"a: b"'],
    ["a #b", '"a #b"'],
    ["a, b", '"a, b"'],
    ["[a]", '"[a]"'],
    ["*a", '"*a"'],
    ['say "a\\b"', '"say \\"a\\\\b\\""'],
    ["a\nb\tc\u0007", '"a\\nb\\tc\\x07"'],
    ["a\u202eb\u200d", '"a\\u202eb\\u200d"'],
    ["\ud800", '"\\ud800"'],
    ["\u{e0001}", '"\\U000e0001"'],
    ["数据", "数据"],
  ])("%j is written as %s", (text, written) => {
    expect(writeScalar(text)).toBe(written);
    const reading = readGeneral("f", new TextEncoder().encode(`a: ${written}\nb: [${written}]\n`));
    expect(reading.tree?.entries.map(({ value }) => (value.kind === "list" ? value.items[0] : value))).toMatchObject([
      { kind: "scalar", type: "string", text },
      { kind: "scalar", type: "string", text },
    ]);
  });
});

describe("a document", () => {
  test("has short things in one line, long ones over several, and comments between", () => {
    const users = new YamlBlock([
      { email: "ada@acme.example", title: undefined, roles: ["A", "B"] },
      { email: "bo@acme.example", title: "x ".repeat(60).trim() },
      new YamlComment("gone: cy"),
    ]);
    const teams = new YamlBlock(
      [
        new YamlBlock({ name: "A", remark: new YamlComment("nobody left"), members: new YamlBlock([]) }),
        new YamlBlock({ name: "B", open: true, roles: Array(12).fill("LONG_ROLE_NAME") }),
      ],
      "spaced",
    );
    const document = { version: 1, account: "1", users, teams };
    expect(writeYaml(["first", "", "third"], document)).toBe(`# first
#
# third
version: 1
account: "1"

users:
  - { email: ada@acme.example, roles: [A, B] }
  - email: bo@acme.example
    title: ${"x ".repeat(60).trim()}
  # gone: cy

teams:
  - name: A
    # nobody left
    members: []

  - name: B
    open: true
    roles:
${"      - LONG_ROLE_NAME\n".repeat(12)}`);
  });

  test("keeps comments comments, whatever stands in them, and no wider than a screen", () => {
    const evil = `a\u2028b\r\u0085users: [] ${"word ".repeat(40)}`;
    const written = writeYaml([evil], { remark: new YamlComment(`  ${evil}\nkey: value`), version: 1 });
    const lines = written.trimEnd().split("\n");
    expect(lines.filter((one) => one !== "" && !one.startsWith("#"))).toEqual(["version: 1"]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(readGeneral("f", new TextEncoder().encode(written)).diagnostics).toEqual([]);
  });

  test("of an empty list with a comment keeps both", () => {
    const users = new YamlBlock([new YamlComment("nobody")]);
    expect(writeYaml([], { users })).toBe("users: []\n  # nobody\n");
  });
});
