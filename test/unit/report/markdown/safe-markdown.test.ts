import { describe, expect, test } from "vitest";
import { code, fenced, marker, prose } from "../../../../src/report/safe.ts";
import { readMarkdown } from "../../../support/read-markdown.ts";

describe("a value is one code span, whatever it is", () => {
  test.each([
    ["an address", "ada@acme.example", "`ada@acme.example`"],
    ["a backtick", "a`b", "`a\\u{60}b`"],
    ["what ends a cell of a table", "a|b\\|c", "`a\\u{7c}b\\\\u{7c}c`"],
    ["a line break", "a\nb", "`a\\u{a}b`"],
    ["text that runs the other way", "\u202Eelpmaxe", "`\\u{202e}elpmaxe`"],
    ["what a runner obeys", "##[error]x", "`\\u{23}#[error]x`"],
    ["nothing", "", '`""`'],
    ["blanks at its ends", " a ", '`" a "`'],
    ["many characters", "x".repeat(200), `\`${"x".repeat(160)}…\``],
    ["a pair of units at the cut", `${"x".repeat(159)}😀`, `\`${"x".repeat(159)}…\``],
  ])("%s", (_sentence, value, shown) => {
    expect(code(value)).toBe(shown);
    const { kinds } = readMarkdown(`| a |\n|---|\n| ${code(value)} |`);
    expect([...kinds].sort()).toEqual(["codespan", "table", "text"]);
  });
});

describe("in a sentence plain words stay, and whatever could be more becomes code", () => {
  test.each([
    ["addresses", "ada@acme.example is a leaver.", "`ada@acme.example` is a leaver."],
    ["mentions and references", "ask @ada, see #12 (GH-1).", "ask `@ada`, see `#12` (`GH-1`)."],
    ["commits", "since deadbeef and 1234567", "since `deadbeef` and `1234567`"],
    [
      "links",
      "look at https://evil.example/x, www.evil.example",
      "look at `https://evil.example/x`, `www.evil.example`",
    ],
    ["HTML and entities", "a <b>x</b> &amp; y", "a `<b>x</b> &amp`; y"],
    ["emphasis, tables and mathematics", "*a* _b_ | $c$", "`*a* _b_ \\u{7c} $c$`"],
    ["images and links of Markdown", "![a](b) [c](d)", "`![a](b`) `[c](d`)"],
    ["roles, keys and files", "ACCOUNT_ADMIN on 12pref at a.yaml:3:5", "`ACCOUNT_ADMIN` on `12pref` at `a.yaml:3:5`"],
    ["names of settings and roles", "set ownKeyRoles to DEVELOPER in YAML", "set `ownKeyRoles` to `DEVELOPER` in YAML"],
    ["commands between backticks", "say `roster plan --out x`. Then go on", "say `roster plan --out x`. Then go on"],
    ["a backtick that is not closed", "a ` b", "a `\\u{60}` b"],
    ["what numbers a list", "1. one 2) two 3 three", "`1`. one `2`) two 3 three"],
    ["line breaks", "a\n\n# b\n- c", "a `#` b `-` c"],
    ["hyphens and apostrophes of words", "don't re-read, Zoë’s naïve co-owner", "don't re-read, Zoë’s naïve co-owner"],
    ["whose something is", "Ada@acme.example's key, Zoë’s team", "`Ada@acme.example`'s key, Zoë’s team"],
    ["somebody and their role", "gives a@x.example ADMIN_ROLE", "gives `a@x.example` `ADMIN_ROLE`"],
    ["flags with their values", "say --include user:a@x.example for it", "say `--include user:a@x.example` for it"],
    ["colons of pictures", "a :smile: b", "a `:smile`: b"],
    ["letters that nobody sees", "a \u3164 b", "a `\\u{3164}` b"],
  ])("%s", (_sentence, text, shown) => {
    expect(prose(text)).toBe(shown);
  });
});

test("lines stand in a block that nothing of them ends", () => {
  expect(fenced(["a: `x`", "```", "<b>\u0007"], { language: "yaml" })).toBe("````yaml\na: `x`\n```\n<b>\\u{7}\n````");
  expect(
    fenced(
      Array.from({ length: 50 }, () => "x"),
      { language: "text" },
    ),
  ).toContain("\n… and 10 more lines\n");
});

test("a marker is one comment, whatever it is called", () => {
  expect(marker("plan", undefined)).toBe("<!-- roster:plan -->");
  expect(marker("plan", "Production (EU)")).toBe("<!-- roster:plan Production-EU -->");
  expect(marker("plan", "a --> <script> -- b")).toBe("<!-- roster:plan a-script-b -->");
  expect(marker("plan", "-->")).toBe("<!-- roster:plan -->");
});
