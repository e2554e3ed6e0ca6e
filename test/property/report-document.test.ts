import fc from "fast-check";
import { expect, test } from "vitest";
import type { Block, Inline, Section, Span } from "../../src/report/document/blocks.ts";
import { reviewOf } from "../../src/report/document/review.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { anyOutcome } from "../support/arbitrary-outcome.ts";
import { runs } from "../support/property-runs.ts";

/** What a renderer draws as it is: our own words. */
function ownWords(outcome: CommandOutcome): readonly string[] {
  const { heading, facts, sections } = reviewOf(outcome);
  return [...wordsIn(heading), ...facts.flatMap(wordsIn), ...sections.flatMap(wordsOfSection)];
}

function wordsOfSection({ title = "", lead = [], body, leftOut }: Section): readonly string[] {
  const words = [title, ...lead.flatMap(wordsOfBlock), ...wordsIn(leftOut(3))];
  switch (body.kind) {
    case "table":
      return [
        ...[...words, ...body.columns, ...wordsIn(body.note ?? []), ...body.rows.flat().flatMap(wordsIn)],
        ...(body.asides ?? []).flatMap(({ labels }) => labels),
      ];
    case "list":
      return [...words, ...body.items.flatMap(wordsIn)];
    case "stack":
      return [...words, ...body.entries.flat().flatMap(wordsOfBlock)];
    case "changes":
      return [...words, ...body.groups.flatMap(({ rows }) => rows.flatMap(({ labels }) => labels))];
  }
}

function wordsOfBlock(block: Block): readonly string[] {
  if (block.kind === "code") return [];
  return [...wordsIn(block.spans), ...(block.kind === "item" ? block.details.flatMap(wordsOfBlock) : [])];
}

function wordsIn(spans: Inline): readonly string[] {
  return spans.flatMap(wordsOfSpan);
}

function wordsOfSpan(span: Span): readonly string[] {
  if (typeof span === "string" || !("is" in span)) return [];
  switch (span.is) {
    case "words":
      return [span.text];
    case "strong":
      return wordsIn(span.spans);
    case "value":
    case "values":
    case "link":
      return [];
  }
}

test("no text from outside is taken for words of our own, which a renderer draws as they are", () => {
  fc.assert(
    fc.property(anyOutcome, (outcome) => {
      expect(ownWords(outcome).filter((text) => !/^[A-Za-z0-9 .,:;()%…'/-]*$/u.test(text))).toEqual([]);
    }),
    { numRuns: runs(150) },
  );
});
