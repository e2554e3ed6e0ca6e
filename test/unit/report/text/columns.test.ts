import { expect, test } from "vitest";
import { displayWidth, padTo, wrap } from "../../../../src/report/text/columns.ts";

test.each([
  ["ASCII", "ada", 3],
  ["accents of their own", "e\u0301a", 2],
  ["wide characters", "田中", 4],
  ["half-width and full-width forms", "ｱＡ", 3],
  ["an emoji", "👍", 2],
  ["an emoji with a skin tone", "👍🏽", 2],
  ["a joined emoji", "👩‍💻", 2],
])("a terminal gives %s so many columns", (_sentence, text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});

test("padding counts columns, not characters, and never cuts", () => {
  expect(padTo("田", 4)).toBe("田  ");
  expect(padTo("abcdef", 4)).toBe("abcdef");
});

test("text is broken at spaces, and a word that is too long has a line of its own", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("a verylongaddress@acme.example b", 10)).toEqual(["a", "verylongaddress@acme.example", "b"]);
  expect(wrap("田中 田中", 8)).toEqual(["田中", "田中"]);
  expect(wrap("", 10)).toEqual([""]);
  expect(wrap("say `a command`, or `b c`.", 10)).toEqual(["say", "`a command`,", "or `b c`."]);
  expect(wrap("one ` two three", 7)).toEqual(["one `", "two", "three"]);
});
