import { describe, expect, test } from "vitest";
import { namedMoment, printedWords } from "../../../support/drawn/printed-words.ts";

describe("the words that an output offers", () => {
  test("a text offers them with and without quotes, once each, wherever its lines break", () => {
    const text = [
      "  If you know that the team is not there, say --assume-absent",
      '      "team:Data Science" for one run; or --assume-absent team:Ops@call-1.',
      "  Else say --recreate",
      '  ada@acme.example for one run, or `--assume-absent "team:Data',
      '      Science"`, or --allow near-duplicate@0123456789abcdef.',
    ].join("\n");
    expect(printedWords(text)).toEqual([
      { flag: "--assume-absent", value: "team:Data Science" },
      { flag: "--assume-absent", value: "team:Ops@call-1" },
      { flag: "--recreate", value: "ada@acme.example" },
    ]);
  });

  test("a document offers what its texts say", () => {
    const document = { findings: [{ message: 'say --assume-absent "team:Data Science" for one run' }], exit_code: 9 };
    expect(printedWords(JSON.stringify(document, undefined, 2))).toEqual([
      { flag: "--assume-absent", value: "team:Data Science" },
    ]);
  });
});

test("the moment that an output names is the latest one of the next day", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const text =
    "read at 2026-11-20T11:00:00Z, decided from 2026-11-20T12:15:00.000Z or 2026-11-20T12:05:00Z; until 2027-01-01T00:00:00Z";
  expect(namedMoment(text, now)).toBe(Date.parse("2026-11-20T12:15:00Z"));
  expect(namedMoment("read at 2026-11-20T11:00:00Z", now)).toBeUndefined();
});
