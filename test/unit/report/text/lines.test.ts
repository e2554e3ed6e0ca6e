import { describe, expect, test } from "vitest";
import { inked, type Line, line, type Paint, phrase, plain, values } from "../../../../src/report/document/tree.ts";
import { displayWidth } from "../../../../src/report/safe.ts";
import { padTo, renderLines, wrap } from "../../../../src/report/text/lines.ts";
import { blockLines } from "../../../../src/report/text/text.ts";

const draw = (lines: readonly Line[], paint: Paint = plain, columns?: number) => renderLines(lines, { paint, columns });

test("columns stay aligned beside wide characters and visible escapes, and go on below where they have no room", () => {
  const rows = [
    [phrase`${"田中"}`, phrase`team${"\u0007"}`, phrase`${"p1"}`],
    [["ada"], [inked("strong", "own key")], values(["p2", "p3"])],
  ];
  const table = { kind: "table", columns: ["person", "key of", "prefix"], rows } as const;
  expect(draw(blockLines(table, 0))).toBe(
    "  person  key of     prefix\n  田中    team\\u{7}  p1\n  ada     own key    p2, p3\n",
  );
  const narrow = "  person  key of\n      prefix\n  田中    team\\u{7}\n      p1\n  ada     own key\n      p2, p3\n";
  expect([26, 20].map((width) => draw(blockLines(table, 0, width), plain, width))).toEqual([narrow, narrow]);
});

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

const bracketed: Paint = (ink, text) => `<${ink}>${text}</${ink}>`;

test("places are aligned over the whole report, and stand off from a line that is too long", () => {
  const long = "x".repeat(100);
  const lines = [line(2, ["田中"], "a.yaml:1:1"), line(0, ["no place"]), line(4, ["four"], "b.yaml:2:2")];
  expect(draw(lines, plain)).toBe("  田中    a.yaml:1:1\nno place\n    four  b.yaml:2:2\n");
  expect(draw([line(0, [long], "a.yaml:1:1"), line(0, ["x"], "b:1:1")], plain)).toBe(
    `${long}  a.yaml:1:1\nx${" ".repeat(89)}b:1:1\n`,
  );
});

describe("on a terminal nothing is wider than the terminal", () => {
  const names = ["ada@acme.example", "(Ada Lovelace):", "added with a mail,", "exactly "];
  const long = line(
    2,
    [{ ink: "add", text: "+" }, ` ${names.join(" ")}`, { ink: "alarm", text: "ADMIN" }],
    "a.yaml:1:1",
  );

  test.each([
    ["with room for all", 81, ["  + ada@acme.example (Ada Lovelace): added with a mail, exactly ADMIN  a.yaml:1:1"]],
    [
      "with room for the text, the place stands below it",
      80,
      ["  + ada@acme.example (Ada Lovelace): added with a mail, exactly ADMIN", "      a.yaml:1:1"],
    ],
    [
      "with room for less, the text goes on below, and the place after it",
      46,
      ["  + ada@acme.example (Ada Lovelace): added", "      with a mail, exactly ADMIN  a.yaml:1:1"],
    ],
    [
      "a word that is too long for any line is left whole",
      18,
      [
        "  +",
        "      ada@acme.example",
        "      (Ada",
        "      Lovelace):",
        "      added with a",
        "      mail,",
        "      exactly",
        "      ADMIN",
        "      a.yaml:1:1",
      ],
    ],
  ])("%s", (_sentence, columns, shown) => {
    expect(draw([long], plain, columns)).toBe(shown.map((line) => `${line}\n`).join(""));
  });

  test("each part keeps its ink, and the place is dim wherever it stands", () => {
    expect(draw([long], bracketed, 46)).toBe(
      "  <add>+</add> ada@acme.example (Ada Lovelace): added\n      with a mail, exactly <alarm>ADMIN</alarm>  <dim>a.yaml:1:1</dim>\n",
    );
    expect(draw([long], bracketed, 70)).toContain("\n      <dim>a.yaml:1:1</dim>\n");
  });

  test("places are aligned as far as there is room, sentences are broken, and what has no place is left whole", () => {
    const word = "x".repeat(19);
    const lines = [long, line(0, ["x"], "a.yaml:1:1"), line(0, ["y"], `${word}:1:1`), line(0, [word, word, word])];
    expect(draw([...lines, line(2, [`${word} ${word} ${word}`])], plain, 46)).toBe(`\
  + ada@acme.example (Ada Lovelace): added
      with a mail, exactly ADMIN  a.yaml:1:1
x                                 a.yaml:1:1
y                      ${word}:1:1
${word.repeat(3)}
  ${word} ${word}
  ${word}
`);
  });
});

test("a place is kept where a row that ends in a space is broken right there", () => {
  const broken = line(2, ["! the key in Ops of "], "a.yaml:1:1");
  expect(draw([broken], plain, 12)).toBe("  ! the\n      key in\n      Ops of\n      a.yaml:1:1\n");
});

test("every text is made safe before it is painted, and the paint itself is left alone", () => {
  const lines = [line(0, [{ ink: "alarm", text: "\u001b" }, "\u202E"], "\u0007"), line(2, [inked("dim", "a\u009b")])];
  expect(draw(lines, bracketed)).toBe("<alarm>\\u{1b}</alarm>\\u{202e}  <dim>\\u{7}</dim>\n  <dim>a\\u{9b}</dim>\n");
});

test("prose is broken at 100 columns and keeps its margin", () => {
  const word = "x".repeat(39);
  expect(draw([line(20, [`${word} ${word} ${word}`])], plain)).toBe(
    `${" ".repeat(20)}${word} ${word}\n${" ".repeat(20)}${word}\n`,
  );
});
