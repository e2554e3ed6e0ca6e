import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../src/report/markdown/markdown.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { always } from "../support/always.ts";
import { anyOutcome } from "../support/arbitrary-outcome.ts";
import { anyText } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";
import { readMarkdown } from "../support/read-markdown.ts";

/** Kinds of tokens that the format itself writes. */
const own = new Set([
  "html",
  "heading",
  "space",
  "list",
  "list_item",
  "text",
  "strong",
  "codespan",
  "paragraph",
  // Between sentences that follow each other in one item.
  "br",
  "table",
  "code",
]);

const ownHtml =
  /^(?:<!-- roster:[a-z]+(?: [\p{L}\p{N}._…-]+)? -->|<details><summary>[A-Za-z :,()\d'-]*<\/summary>|<\/details>)$/u;

/** What a forge makes more of than a word, outside of code. */
const live =
  /@|#\d|!\d|GH-\d|https?:|www\.|(?=[0-9]*[a-f])[0-9a-f]{7,}|[<>[\]*_|$\\]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/iu;

test("no text from outside links, mentions, refers, formats or is HTML, and no comment is too long", () => {
  const outcome = fc
    .tuple(anyOutcome, fc.option(anyText))
    .map(([one, title]): CommandOutcome => (title === null ? one : { ...one, title }));
  always({ numRuns: runs(150) }, outcome, (one: CommandOutcome) => {
    const text = renderMarkdown(one);
    const { kinds, html, words } = readMarkdown(text);
    expect([...kinds].filter((kind) => !own.has(kind))).toEqual([]);
    expect(html.filter((tag) => !ownHtml.test(tag))).toEqual([]);
    expect(words.filter((word) => live.test(word))).toEqual([]);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u);
    expect(brokenRows(text)).toEqual([]);
    expect(new TextEncoder().encode(text).length).toBeLessThan(60_001);
  });
});

/** Rows of tables that have more or fewer cells than their heads. */
function brokenRows(text: string): readonly string[] {
  let cells = 0;
  return text.split("\n").filter((line) => {
    if (!line.startsWith("| ")) {
      if (!line.startsWith("|---")) cells = 0;
      return false;
    }
    const here = line.split("|").length;
    if (cells === 0) cells = here;
    return here !== cells;
  });
}
