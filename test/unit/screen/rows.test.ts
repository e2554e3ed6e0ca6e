import { describe, expect, test } from "vitest";
import { plain } from "../../../src/report/outcome.ts";
import { displayWidth, prose, row } from "../../../src/report/text/lines.ts";
import { layoutLines, paintRow, screenRow } from "../../../src/screen/rows.ts";

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

const marking = (ink: string, text: string) => `<${ink}:${text}>`;

describe("a row of a screen", () => {
  test.each([
    ["is shown as it is where there is room", "Team Ops", 8, "Team Ops"],
    ["ends with an ellipsis where there is none", "Team Ops", 7, "Team O…"],
    ["does not break a wide character in two", "データ", 4, "デ…"],
    ["does not part what is combined", "ae\u{301}xyz", 3, "ae\u{301}…"],
    ["counts a joined emoji as the one that it shows", "👩‍🚀abc", 4, "👩‍🚀a…"],
    ["shows what a terminal would obey as text", "a\u{1B}]0;x\u{7}b\u{9B}2J", 80, "a\\u{1b}]0;x\\u{7}b\\u{9b}2J"],
    ["shows what would turn the reading direction as text", "a\u{202E}b", 80, "a\\u{202e}b"],
    ["holds nothing where there is no room at all", "Team Ops", 0, ""],
  ])("%s", (_, text, columns, shown) => {
    expect(paintRow(screenRow([text]), columns, plain)).toBe(shown);
  });

  test("tells that something is left out also where a piece ends at the edge", () => {
    expect(paintRow(screenRow(["abcd", ", ", "ef"]), 6, plain)).toBe("abcd,…");
  });

  test("shows what stands at the right only where the rest leaves room for it", () => {
    expect(paintRow(screenRow(["abc"], "x:1"), 9, plain)).toBe("abc   x:1");
    expect(paintRow(screenRow(["abcd"], "x:1"), 8, plain)).toBe("abcd");
  });

  test("is painted piece by piece, and as a whole where it stands out", () => {
    const pieces = ["a", { ink: "add", text: "b" }] as const;
    expect(paintRow(screenRow(pieces), 4, marking)).toBe("a<add:b>");
    expect(paintRow({ ...screenRow(pieces), marked: true }, 4, marking)).toBe("<marked:ab  >");
  });

  test("two side by side end where they should", () => {
    const split = { left: screenRow(["日本語"]), leftColumns: 5, beside: screenRow(["right side"]) };
    const shown = paintRow(split, 14, plain);
    expect(shown).toBe("日本… │ right…");
    expect(displayWidth(shown)).toBe(14);
  });
});
