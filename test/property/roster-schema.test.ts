import fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, mutatedDocument, rosterDocument } from "../support/arbitrary-roster-document.ts";
import { runs } from "../support/property-runs.ts";
import { acceptedBySchema } from "../support/roster-schema.ts";
import { rosterFrom } from "../support/roster-text.ts";

/** What the schema can see. Everything else that the decoder tells is about meaning. */
const shapeCodes = [
  "wrong-type",
  "quote-needed",
  "unknown-key",
  "missing-key",
  "unsupported-version",
  "bad-text",
  "full-key",
  "bad-address",
  "bad-date",
  "unknown-choice",
  "too-many-roles",
];

function shapeFaults(document: Json): readonly string[] {
  const { diagnostics } = rosterFrom({ "f.yaml": JSON.stringify(document) }, { account: "a", accounts: new Map() });
  return diagnostics.filter(({ code }) => shapeCodes.includes(code)).map(({ message }) => message);
}

test("what the schema accepts has no fault of shape", () => {
  fc.assert(
    fc.property(rosterDocument, (document) => {
      expect(acceptedBySchema(document)).toBe(true);
      expect(shapeFaults(document)).toEqual([]);
    }),
    { seed: 20_261_120, numRuns: runs(1000) },
  );
});

test("schema and decoder agree on documents with one thing changed", () => {
  const verdicts = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(mutatedDocument, (document) => {
      if (typeof document !== "object" || document === null || Array.isArray(document)) return;
      const accepted = acceptedBySchema(document);
      verdicts[accepted ? "accepted" : "refused"] += 1;
      if (accepted) expect(shapeFaults(document)).toEqual([]);
      else expect(shapeFaults(document)).not.toEqual([]);
    }),
    { seed: 20_261_120, numRuns: runs(4000) },
  );
  expect(verdicts.accepted).toBeGreaterThan(runs(500));
  expect(verdicts.refused).toBeGreaterThan(runs(500));
});
