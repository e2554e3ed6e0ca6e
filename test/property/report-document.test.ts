import { expect, test } from "vitest";
import { documentOf } from "../../src/report/document/document.ts";
import type { Block, Document, Entry, Inline, Span } from "../../src/report/document/tree.ts";
import { always } from "../support/always.ts";
import { anyOutcome } from "../support/arbitrary-outcome.ts";
import { runs } from "../support/property-runs.ts";

/** What a renderer draws as it is: our own words. */
function ownWords({ heading, summary, about, sections, next, end }: Document): readonly string[] {
  return [
    ...wordsIn(heading),
    ...[...summary, ...about, ...end, ...next].flatMap(wordsOfBlock),
    ...sections.flatMap(({ title = [], blocks }) => [...wordsIn(title), ...blocks.flatMap(wordsOfBlock)]),
  ];
}

function wordsOfBlock(block: Block): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return wordsIn(block.spans);
    case "lines":
      return block.lines.flatMap(({ spans }) => wordsIn(spans));
    case "table":
      return [...block.columns, ...block.rows.flat().flatMap(wordsIn)];
    case "code":
      return [];
    case "entries":
      return [
        ...wordsIn(block.title ?? []),
        ...block.notes.flatMap(wordsOfBlock),
        ...block.entries.flatMap(wordsOfEntry),
      ];
  }
}

function wordsOfEntry({ about, what, notes, labels, details }: Entry): readonly string[] {
  return [...wordsIn([...about, ...what]), ...labels, ...[...notes, ...(details?.() ?? [])].flatMap(wordsOfBlock)];
}

function wordsIn(spans: Inline): readonly string[] {
  return spans.flatMap(wordsOfSpan);
}

function wordsOfSpan(span: Span): readonly string[] {
  if (typeof span === "string" || !("is" in span)) return [];
  if (span.is === "words") return [span.text];
  return span.is === "strong" ? wordsIn(span.spans) : [];
}

test("no text from outside is taken for words of our own, which a renderer draws as they are", () => {
  always({ numRuns: runs(150) }, anyOutcome, (outcome) => {
    const words = ownWords(documentOf(outcome));
    expect(words.filter((text) => !/^[A-Za-z0-9 .,:;()%…–`/'-]*$/u.test(text))).toEqual([]);
  });
});
