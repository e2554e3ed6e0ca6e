import { describe, expect, test } from "vitest";
import type { Diagnostic, Problem } from "../../../../src/model/failure.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { renderProblems } from "../../../../src/report/text/text.ts";

function troubles(diagnostics: readonly Diagnostic[], problem?: Problem): string {
  const outcome = { command: "plan", exitCode: 3, diagnostics, ...(problem === undefined ? {} : { problem }) } as const;
  return renderProblems(outcome, { paint: plain });
}

function fault(line: string, column: number, length: number): Diagnostic {
  return {
    code: "unknown-key",
    severity: "error",
    message: "no such key",
    place: { file: "a.yaml", line: 12, column },
    excerpt: { line, length },
  };
}

describe("the carets stand beneath the fault", () => {
  test.each([
    ["after a tab, which is shown as one space", "\tkey: 1", 2, 3, "  12 |  key: 1", "     |  ^^^"],
    ["after wide characters", "田中: x", 5, 1, "  12 | 田中: x", "     |       ^"],
    ["beneath wide characters", "a: 田中", 4, 2, "  12 | a: 田中", "     |    ^^^^"],
    ["after characters that are shown as escapes", "\u0007: x", 4, 1, "  12 | \\u{7}: x", "     |        ^"],
    ["at the end of the line", "abc", 4, 1, "  12 | abc", "     |    ^"],
    ["beyond the end of the line", "abc", 40, 1, "  12 | abc", "     |    ^"],
    ["however little is at fault", "abc", 2, 0, "  12 | abc", "     |  ^"],
  ])("%s", (_sentence, line, column, length, shown, carets) => {
    expect(
      troubles([fault(line, column, length)])
        .split("\n")
        .slice(1, 3),
    ).toEqual([shown, carets]);
  });

  test("in the part that is shown of a long line", () => {
    const [, shown = "", carets = ""] = troubles([fault(`${"x".repeat(500)}BAD${"y".repeat(500)}`, 501, 3)]).split(
      "\n",
    );
    expect(shown.length).toBeLessThan(125);
    expect(shown.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1)).toBe("BAD");
  });
});

test("of many faults fifty are printed, errors before warnings, and the rest is counted", () => {
  const warnings = Array.from(
    { length: 60 },
    (_, index): Diagnostic => ({ code: `w${index}`, severity: "warning", message: "m" }),
  );
  const error: Diagnostic = { code: "e", severity: "error", message: "m" };
  const lines = troubles([...warnings, error])
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(52);
  expect(lines.slice(48)).toEqual([
    "warning[w48]: m",
    "error[e]: m",
    "and 11 more",
    "1 error, 60 warnings. For details, run `roster explain e`.",
  ]);
});

test("a problem tells the request, the status, the service's own words in bounds, what to do, and what explains it", () => {
  const problem: Problem = {
    code: "unauthorized",
    message: "the service does not accept the API key",
    request: "GET /api/accounting/roles",
    status: 401,
    serviceSays: `bad\u001b[31m key${"!".repeat(400)}`,
    hint: "Set ROSTER_API_KEY to a key of an administrator.",
  };
  expect(troubles([], problem).replace(/!+/, (marks) => `<${marks.length}>`)).toBe(`\
error[unauthorized]: the service does not accept the API key
  request: GET /api/accounting/roles (status 401)
  the service says: "bad\\u{1b}[31m
  key<288>…"
  hint: Set ROSTER_API_KEY to a key of an administrator.
For details, run \`roster explain unauthorized\`.
`);
});

test("a person who cancels has made no error", () => {
  expect(troubles([], { code: "declined", message: "Cancelled. Nothing was changed" })).toBe(
    "Cancelled. Nothing was changed.\n",
  );
});
