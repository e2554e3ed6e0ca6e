import { describe, expect, test } from "vitest";
import { readYaml } from "../../../src/yaml/read.ts";
import { comment, entry, writeScalar, writeYaml, type YamlMap, type YamlValue } from "../../../src/yaml/write.ts";

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
    const reading = readYaml("f", new TextEncoder().encode(`a: ${written}\nb: [${written}]\n`));
    expect(reading.tree?.entries.map(({ value }) => (value.kind === "list" ? value.items[0] : value))).toMatchObject([
      { kind: "scalar", type: "string", text },
      { kind: "scalar", type: "string", text },
    ]);
  });
});

const line = (...entries: YamlMap["entries"]): YamlMap => ({ kind: "map", layout: "line", entries });
const block = (...entries: YamlMap["entries"]): YamlMap => ({ kind: "map", layout: "block", entries });
const roles = (...items: readonly string[]): YamlValue => ({ kind: "list", layout: "line", items });

describe("a document", () => {
  test("has short things in one line, long ones over several, and comments between", () => {
    const users: YamlValue = {
      kind: "list",
      layout: "block",
      items: [
        line(entry("email", "ada@acme.example"), entry("roles", roles("A", "B"))),
        line(entry("email", "bo@acme.example"), entry("title", "x ".repeat(60).trim())),
        comment("gone: cy"),
      ],
    };
    const teams: YamlValue = {
      kind: "list",
      layout: "block",
      spaced: true,
      items: [
        block(
          entry("name", "A"),
          comment("nobody left"),
          entry("members", { kind: "list", layout: "block", items: [] }),
        ),
        block(entry("name", "B"), entry("open", true), entry("roles", roles(...Array(12).fill("LONG_ROLE_NAME")))),
      ],
    };
    const document = block(entry("version", 1), entry("account", "1"), entry("users", users), entry("teams", teams));
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
    const written = writeYaml([evil], block(comment(`  ${evil}\nkey: value`), entry("version", 1)));
    const lines = written.trimEnd().split("\n");
    expect(lines.filter((one) => one !== "" && !one.startsWith("#"))).toEqual(["version: 1"]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(readYaml("f", new TextEncoder().encode(written)).diagnostics).toEqual([]);
  });

  test("of an empty list with a comment keeps both", () => {
    const nobody: YamlValue = { kind: "list", layout: "block", items: [comment("nobody")] };
    expect(writeYaml([], block(entry("users", nobody)))).toBe("users: []\n  # nobody\n");
  });
});
