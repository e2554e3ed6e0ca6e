import { describe, expect, test } from "vitest";
import { type Line, line } from "../../../src/report/document/tree.ts";
import { displayWidth } from "../../../src/report/safe.ts";
import { Lines, Row } from "../../../src/screen/stage.tsx";
import { onScreen } from "../../support/screens.tsx";

function linesOf(lines: readonly Line[], columns: number): readonly string[] {
  const shown = onScreen(<Lines lines={lines} columns={columns} />, { columns, rows: 24 });
  const all = shown.lines();
  shown.unmount();
  return all;
}

function rowOf(row: Omit<Parameters<typeof Row>[0], "columns">, columns: number): string {
  const shown = onScreen(<Row {...row} columns={columns} />, { columns, rows: 24 });
  const text = shown.frames.at(-1) ?? "";
  shown.unmount();
  return text;
}

describe("lines", () => {
  const lines = [
    line(2, ["+ create user ", { ink: "add", text: "ada@acme.example" }, " in acc-1"], "people.yaml:3:5"),
    line(4, ["creates team Data Science and administers it"]),
  ];

  test("go on below at words where they are too long, and nothing is cut off", () => {
    expect(linesOf(lines, 30)).toEqual([
      "  + create user",
      "    ada@acme.example in acc-1",
      "    people.yaml:3:5",
      "    creates team Data Science",
      "    and administers it",
    ]);
  });

  test("have their place at the right edge where there is room", () => {
    expect(linesOf(lines, 80)).toEqual([
      "  + create user ada@acme.example in acc-1                        people.yaml:3:5",
      "    creates team Data Science and administers it",
    ]);
  });

  test("break only a word that is wider than the screen", () => {
    expect(linesOf([line(0, ["データサイエンス部門 x"])], 9)).toEqual(["データサ", "イエンス", "部門", "x"]);
  });

  test("are never wider than the screen", () => {
    const text = "x".repeat(50).concat(" `a command that is long` ", "日".repeat(40), " end");
    for (const columns of [7, 17, 40]) {
      const widths = linesOf([line(6, [text]), line(6, [text, "more"], "a/place.yaml:1:2")], columns).map(displayWidth);
      expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
    }
  });
});

describe("a row", () => {
  test.each([
    ["is shown as it is where there is room", "Team Ops", 8, "Team Ops"],
    ["ends with an ellipsis where there is none", "Team Ops", 7, "Team O…"],
    ["does not break a wide character in two", "データ", 5, "デー…"],
    ["does not part what is combined", "ae\u{301}xyz", 3, "ae\u{301}…"],
    ["counts a joined emoji as the one that it shows", "👩‍🚀abc", 4, "👩‍🚀a…"],
    ["shows what a terminal would obey as text", "a\u{1B}]0;x\u{7}b\u{9B}2J", 80, "a\\u{1b}]0;x\\u{7}b\\u{9b}2J"],
    ["shows what would turn the reading direction as text", "a\u{202E}b", 80, "a\\u{202e}b"],
    ["shows a line break as text", "a\nb", 80, "a\\u{a}b"],
  ])("%s", (_, text, columns, shown) => {
    expect(rowOf({ pieces: [text] }, columns)).toBe(shown);
  });

  test("says that something is left out also where a piece ends at the edge", () => {
    expect(rowOf({ pieces: ["abcd", ", ", "ef"] }, 6)).toBe("abcd,…");
  });

  test("shows what is at the right only where the rest leaves room for it", () => {
    expect(rowOf({ pieces: ["abc"], right: "x:1" }, 9)).toBe("abc   x:1");
    expect(rowOf({ pieces: ["abcd"], right: "x:1" }, 8)).toBe("abcd");
  });
});
