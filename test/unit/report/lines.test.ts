import { expect, test } from "vitest";
import { prose, renderLines, row, stacked } from "../../../src/report/lines.ts";
import { type Paint, plain } from "../../../src/report/outcome.ts";

const bracketed: Paint = (ink, text) => `<${ink}>${text}</${ink}>`;

test("places are aligned over the whole report, and stand off from a line that is too long", () => {
  const long = "x".repeat(100);
  const lines = [row(2, ["田中"], "a.yaml:1:1"), row(0, ["no place"]), row(4, ["four"], "b.yaml:2:2")];
  expect(renderLines(lines, plain)).toBe("  田中    a.yaml:1:1\nno place\n    four  b.yaml:2:2\n");
  expect(renderLines([row(0, [long], "a.yaml:1:1"), row(0, ["x"], "b:1:1")], plain)).toBe(
    `${long}  a.yaml:1:1\nx${" ".repeat(89)}b:1:1\n`,
  );
});

test("every text is made safe before it is painted, and the paint itself is left alone", () => {
  const lines = [row(0, [{ ink: "alarm", text: "\u001b" }, "\u202E"], "\u0007"), prose(2, "a\u009b", "dim")];
  expect(renderLines(lines, bracketed)).toBe(
    "<alarm>\\u{1b}</alarm>\\u{202e}  <dim>\\u{7}</dim>\n  <dim>a\\u{9b}</dim>\n",
  );
});

test("prose is broken at 100 columns and keeps its margin", () => {
  const word = "x".repeat(39);
  expect(renderLines([prose(20, `${word} ${word} ${word}`)], plain)).toBe(
    `${" ".repeat(20)}${word} ${word}\n${" ".repeat(20)}${word}\n`,
  );
});

test("sections that have nothing to say leave no gap", () => {
  const lines = stacked([[], [row(0, ["one"])], [], [row(0, ["two"])], []]);
  expect(renderLines(lines, plain)).toBe("one\n\ntwo\n");
});
