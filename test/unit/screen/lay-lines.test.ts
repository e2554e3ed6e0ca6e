import { expect, test } from "vitest";
import { plain } from "../../../src/report/outcome.ts";
import { displayWidth } from "../../../src/report/text/columns.ts";
import { prose, row } from "../../../src/report/text/lines.ts";
import { layoutLines } from "../../../src/screen/lay-lines.ts";
import { paintRow } from "../../../src/screen/screen-row.ts";

const laid = (lines: Parameters<typeof layoutLines>[0], columns: number) =>
  layoutLines(lines, columns).map((one) => paintRow(one, columns, plain).trimEnd());

test("nothing of a line is cut off: what is too long goes on below", () => {
  const lines = [
    row(2, ["+ create user ", { ink: "add", text: "ada@acme.example" }, " in acc-1"], "people.yaml:3:5"),
    prose(4, "founds team Data Science and administers it"),
    row(0, []),
  ];
  expect(laid(lines, 30)).toEqual([
    "  + create user",
    "    ada@acme.example in acc-1",
    "    people.yaml:3:5",
    "    founds team Data Science",
    "    and administers it",
    "",
  ]);
  expect(laid(lines, 80)).toEqual([
    "  + create user ada@acme.example in acc-1                        people.yaml:3:5",
    "    founds team Data Science and administers it",
    "",
  ]);
});

test("a word that is wider than the screen is broken by columns", () => {
  const wide = "データサイエンス部門";
  expect(laid([prose(0, wide), row(0, [wide])], 9)).toEqual([
    "データサ",
    "イエンス",
    "部門",
    "データ",
    "  サイエ",
    "  ンス部",
    "  門",
  ]);
});

test("no row is ever wider than the screen", () => {
  const text = "x".repeat(50).concat(" `a command that is long` ", "日".repeat(40), " end");
  for (const columns of [1, 5, 17, 40]) {
    const widths = laid([prose(6, text), row(6, [text, "more"], "a/place.yaml:1:2")], columns).map(displayWidth);
    expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 8));
  }
});
