import { describe, expect, test } from "vitest";
import { namedMoment, printedWords } from "../../../support/drawn/printed-words.ts";

describe("the words that an output offers", () => {
  test("a text offers them once each, wherever its lines break", () => {
    const text = [
      "  To allow it: `--allow",
      "      unproven-absence:data%20science#0123456789ab`. Or `--allow unknown-outcome:ops#0123456789ab`",
      "  roster apply --allow user-missing:ada@acme.example#0123456789ab --allow near-duplicate#0123456789ab",
      "  Write --allow WHAT#DIGITS. `--allow user-missing:ada@acme.example#0123456789ab`.",
    ].join("\n");
    expect(printedWords(text).map(({ what, word }) => [what, word.slice(what.length)])).toEqual([
      ["unproven-absence:data%20science", "#0123456789ab"],
      ["unknown-outcome:ops", "#0123456789ab"],
      ["user-missing:ada@acme.example", "#0123456789ab"],
      ["near-duplicate", "#0123456789ab"],
    ]);
  });

  test("a document offers what its texts say", () => {
    const word = "unproven-absence:data#0123456789ab";
    const document = { findings: [{ message: `To allow it: \`--allow ${word}\`.` }], exit_code: 9 };
    expect(printedWords(JSON.stringify(document, undefined, 2))).toEqual([{ what: "unproven-absence:data", word }]);
  });
});

test("the moment that an output names is the latest one of the next day", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const text =
    "read at 2026-11-20T11:00:00Z, decided from 2026-11-20T12:15:00.000Z or 2026-11-20T12:05:00Z; until 2027-01-01T00:00:00Z";
  expect(namedMoment(text, now)).toBe(Date.parse("2026-11-20T12:15:00Z"));
  expect(namedMoment("read at 2026-11-20T11:00:00Z", now)).toBeUndefined();
});
