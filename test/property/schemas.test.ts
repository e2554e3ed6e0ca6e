import fc from "fast-check";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../src/model/result.ts";
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
  "unsafe-address",
  "bad-date",
  "unknown-choice",
  "too-many-roles",
];

function toldOf(document: Json): readonly Diagnostic[] {
  const newUsers = { singleLabelDomains: "allowed" } as const;
  const settings = { account: "a", accounts: new Map<string, string>(), newUsers };
  return rosterFrom({ "f.yaml": JSON.stringify(document) }, settings).diagnostics;
}

function shapeFaults(document: Json): readonly string[] {
  return toldOf(document).flatMap(({ code, message }) => (shapeCodes.includes(code) ? [message] : []));
}

/** The decoder knows more of them: a key that stands elsewhere, or a day that has come. */
function isOfSomebodyWhoIsThere(document: Json): boolean {
  return toldOf(document).some(({ code }) => code === "unusual-address");
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
      else if (!isOfSomebodyWhoIsThere(document)) expect(shapeFaults(document)).not.toEqual([]);
    }),
    { seed: 20_261_120, numRuns: runs(4000) },
  );
  expect(verdicts.accepted).toBeGreaterThan(runs(500));
  expect(verdicts.refused).toBeGreaterThan(runs(500));
});
