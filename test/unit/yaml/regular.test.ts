import { describe, expect, test } from "vitest";
import { readGeneral } from "../../../src/yaml/general.ts";
import { readRegular } from "../../../src/yaml/regular.ts";
import { decodeText } from "../../../src/yaml/source-text.ts";
import { rosterOf } from "../../bench/company.ts";
import { isDeep } from "../../support/property-runs.ts";

function isRegular(text: string): boolean {
  const decoded = decodeText("f.yaml", new TextEncoder().encode(text));
  return decoded.ok && readRegular(decoded.value).tree !== undefined;
}

describe("our reader takes", () => {
  test.each([
    ["a roster as people write it", rosterOf(20)],
    ["a marker at the beginning, comments and blank lines", "# c\n---\n\na: b # d\n  # e\n\n# f\n"],
    ["lists at the column of their key", "a:\n- b\n- c: d\n  e: f\n"],
    ["values that are missing", "a:\nb:\n  - \n  -\n  - c:\n"],
    ["brackets and braces over several lines", "a: [b, # c\n  { d: e,\n    f: [] }, ]\n"],
    ["quotes and their escapes", "'a''b': \"c\\\"\\\\d\"\n"],
    ["signs within texts", "a: x:y#z, [b] {c} - d ? e\nb: [https://acme.example/?a=1&b=2#c]\n"],
    ["carriage returns before line feeds", "a:\r\n  - b\r\n"],
    ["names of object members", "__proto__: a\nconstructor: b\n"],
  ])("%s", (_, text) => {
    expect(isRegular(text)).toBe(true);
  });
});

describe("our reader leaves to the library", () => {
  test.each([
    ["nothing", ""],
    ["a list", "- a\n"],
    ["a tab", "a: b\t# c\n"],
    ["an anchor", "a: &b c\n"],
    ["an alias", "a: *b\n"],
    ["a tag", "a: !b c\n"],
    ["a text of several lines", "a: b\n  c\n"],
    ["a folded text", "a: >\n  b\n"],
    ["a second document", "a: b\n---\nc: d\n"],
    ["an end of the document", "a: b\n...\n"],
    ["a directive", "%YAML 1.2\n---\na: b\n"],
    ["a key twice", "a: b\na: c\n"],
    ["a key twice of many", `${Array.from({ length: 20 }, (_, at) => `k${at}: v\n`).join("")}k3: v\n`],
    ["a merge key", "<<: b\n"],
    ["a key that is no text", "12: b\n"],
    ["a value that ends in a comma only", "a: [,]\n"],
    ["a value that is missing in braces", "a: { b: }\n"],
    ["a list within a list's line", "a:\n  - - b\n"],
    ["brackets that come back to the column of their key", "a: [\n  b\n]\n"],
    ["a wrong indentation", "a:\n    b: c\n  d: e\n"],
    ["a quote that is not closed", "a: 'b\n"],
    ["an escape that few people write", 'a: "\\x41"\n'],
    ["more after a quote", "a: 'b' c\n"],
    ["a comment without a space", "a: [b]#c\n"],
    ["a long key, with the spaces before its colon", `${"k".repeat(900)}${" ".repeat(200)}: b\n`],
    ["a long key, with its quotes and escapes", `"${"\\\\".repeat(600)}": b\n`],
    ["deep nesting", `a: ${"[".repeat(60)}${"]".repeat(60)}\n`],
  ])("%s", (_, text) => {
    expect(isRegular(text)).toBe(false);
  });
});

// It takes seconds: what only the library refuses are millions of tokens.
test.skipIf(!isDeep)("the library refuses what our reader takes, where it has too many parts", () => {
  // Comments are parts.
  const bytes = new TextEncoder().encode(`a: b\n${"#\n".repeat(2_100_000)}`);
  const { diagnostics } = readGeneral("f.yaml", bytes);
  expect(diagnostics.map(({ code }) => code)).toEqual(["too-large"]);
});
