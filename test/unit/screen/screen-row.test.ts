import { describe, expect, test } from "vitest";
import { plain } from "../../../src/report/outcome.ts";
import { displayWidth } from "../../../src/report/text/columns.ts";
import { paintRow, screenRow } from "../../../src/screen/screen-row.ts";

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
