import { describe, expect, test } from "vitest";
import type { Plan } from "../../../../src/model/plan.ts";
import { defaultPrivilegedRoles } from "../../../../src/model/role-set.ts";
import { handleKey, resize } from "../../../../src/screen/review/handle-key.ts";
import { beginReview, bodyRows, type Review, selectedNode } from "../../../../src/screen/review/review.ts";
import { viewReview } from "../../../../src/screen/review/view.ts";
import { aPlan } from "../../../support/action-builders.ts";
import { companyPlan } from "../../../support/company-plan.ts";
import { samplePlan } from "../../../support/report-samples.ts";
import { everything } from "../../../support/science-plan.ts";
import { keysOf, large, linesOf, small } from "../../../support/screens.ts";

const [up, down, right, left] = ["\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D"];
const [enter, esc, end, home] = ["\r", "\u{1B}", "\u{1B}[F", "\u{1B}[H"];

const begin = (plan: Plan = samplePlan) => beginReview({ plan, privileged: defaultPrivilegedRoles }, small);

/** The review after these keys, each text as a terminal sends it at once. */
function pressed(texts: readonly string[], review: Review = begin()): Review {
  return texts.flatMap(keysOf).reduce(handleKey, review);
}

/** What the selected row says first. */
function selected(review: Review): string {
  const title = selectedNode(review)?.branch.title ?? [];
  const text = title.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");
  return text.replace(/^\W*/u, "").split(/[:( ] /u)[0] ?? "";
}

describe("keys in the tree", () => {
  test.each<[string, readonly string[], string]>([
    ["nothing: the first row", [], "Team Data Science (new)"],
    ["down and j go down", [down, "j"], "Team Platform"],
    ["up and k go up, and no further than the first row", [down, "k", up, "k"], "Team Data Science (new)"],
    ["End, G: the last row, Home, g: the first", [end, home, "G"], "user ada@acme.example"],
    ["right goes into an open team", [right], "Ada@acme.example (Ada Lovelace)"],
    ["right unfolds a person, and then goes into it", [right, right, right], "create user Ada@acme.example"],
    ["left goes to what it belongs to", ["j", left], "Team Data Science (new)"],
    ["n goes to the first thing that is privileged or blocking", ["n"], "Ada@acme.example (Ada Lovelace)"],
    ["n goes on to the next", ["n", "n"], "bo@acme.example"],
    ["n comes to what blocks", ["n", "n", "n"], "team acc-1/sales"],
    ["n begins again after the last", ["n", "n", "n", "n"], "Ada@acme.example (Ada Lovelace)"],
    ["N goes to the one before", ["N"], "team acc-1/sales"],
    ["n unfolds what hides it", ["f", "n", "n"], "bo@acme.example"],
  ])("%s", (_, keys, row) => {
    expect(selected(pressed(keys))).toBe(row);
  });

  test.each<[string, readonly string[], number]>([
    ["at first people are folded", [], 9],
    ["left folds a team, right unfolds it", [left], 8],
    ["space folds and unfolds", [" "], 8],
    ["space twice leaves it as it was", [" ", " "], 9],
    ["f folds all", ["f"], 4],
    ["f once more unfolds all, down to the calls", ["f", "f"], 15],
  ])("%s", (_, keys, rows) => {
    expect(pressed(keys).shown).toHaveLength(rows);
  });

  test("whoever folds what is selected selects what it belongs to", () => {
    expect(selected(pressed(["n", "n", "f"]))).toBe("Team Platform");
  });

  test("keys that mean nothing, and pasted text, change nothing", () => {
    expect(pressed(["x", "\u{1B}[200~ayes\r\u{1B}[201~", "Z"])).toEqual(begin());
  });

  test("where nothing is privileged or blocking, n says so", () => {
    const quiet = pressed(["n"], begin(aPlan(everything)));
    expect(quiet.notice).toBe("nothing here is privileged or blocking");
    expect(pressed(["j"], quiet).notice).toBeUndefined();
  });
});

describe("deciding", () => {
  test.each<[string, readonly string[], "approved" | "declined" | undefined]>([
    ["a, yes, Enter approves", ["a", "yes", enter], "approved"],
    ["a alone does not", ["a"], undefined],
    ["a, Enter does not", ["a", enter], undefined],
    ["a, y, Enter does not", ["a", "y", enter], undefined],
    ["a, YES, Enter does not", ["a", "YES", enter], undefined],
    ["yes without a does not", ["yes", enter], undefined],
    ["a pasted yes does not", ["a", "\u{1B}[200~yes\u{1B}[201~", enter], undefined],
    ["a mended yes does", ["a", "yep\u{7F}s", enter], "approved"],
    ["a yes after a slip does", ["a", "no", enter, "yes", enter], "approved"],
    ["from the details as well", [enter, "a", "yes", enter], "approved"],
    ["Esc goes back to the tree, and approves nothing", ["a", "yes", esc, enter], undefined],
    ["q declines", ["q"], "declined"],
    ["Esc declines where there is nothing to go back from", [esc], "declined"],
    ["Esc closes the details first", [enter, esc], undefined],
    ["Esc drops the filter first", ["/", "bo", enter, esc], undefined],
    ["q within a filter is a letter", ["/", "q"], undefined],
    ["q within the approval is a letter", ["a", "q"], undefined],
    ["q closes the details", [enter, "q"], undefined],
    ["any key closes the help, and does nothing else", ["?", "q"], undefined],
  ])("%s", (_, keys, answer) => {
    expect(pressed(keys).answer).toBe(answer);
  });
});

describe("the filter", () => {
  test.each<[string, string, readonly string[]]>([
    ["a person", "bo@", ["Team Platform", "bo@acme.example"]],
    ["a team, with all its people", "platform", ["Team Platform", "cy@acme.example (Cy Young)", "bo@acme.example"]],
    ["a person in a team", "PLATFORM cy", ["Team Platform", "cy@acme.example (Cy Young)"]],
    ["a role", "platform team_role", ["Team Platform", "bo@acme.example"]],
    ["a code", "without-founder", ["What no call of this plan does", "team acc-1/sales"]],
    ["a kind", "create-user ada", ["Team Data Science (new)", "Ada@acme.example (Ada Lovelace)"]],
    ["nothing", "nobody@", []],
  ])("finds %s", (_, typed, rows) => {
    const review = pressed(["/", typed]);
    const titles = review.shown.map((_index, place) => selected({ ...review, at: place }));
    expect(titles).toEqual(rows);
  });

  test("selects what it is about, and leaves it selected once it is dropped", () => {
    const found = pressed(["/", "bo@", enter]);
    expect([selected(found), found.layer.is, found.filter]).toEqual(["bo@acme.example", "tree", "bo@"]);
    const dropped = pressed([esc], found);
    expect([selected(dropped), dropped.filter, dropped.shown.length]).toEqual(["bo@acme.example", "", 9]);
  });

  test("is typed, mended, emptied and pasted into", () => {
    expect(pressed(["/", "bx\u{7F}o"]).filter).toBe("bo");
    expect(pressed(["/", "bo\u{15}cy"]).filter).toBe("cy");
    expect(pressed(["/", "\u{1B}[200~bo\ncy\u{1B}[201~"]).filter).toBe("bo cy");
    expect(pressed(["/", "bo", esc]).layer).toEqual({ is: "tree" });
  });

  test("n stays within it", () => {
    expect(selected(pressed(["/", "platform", enter, "n", "n", "n"]))).toBe("bo@acme.example");
  });

  test("unfolds what was folded before, and folds it again", () => {
    const folded = pressed(["f"]);
    expect(pressed(["/", "bo@"], folded).shown).toHaveLength(2);
    expect(pressed(["/", "bo@", esc], folded).shown).toHaveLength(4);
  });
});

describe("a large plan", () => {
  const plan = companyPlan(20);

  test("the selected row is always on the screen", () => {
    let review = begin(plan);
    for (const text of ["f", "f", end, up, "\u{1B}[5~", "\u{1B}[6~", home, "\u{1B}[6~", down, "f", end]) {
      review = pressed([text], review);
      for (const size of [small, large, { columns: 80, rows: 6 }]) {
        const seen = resize(review, size);
        expect(seen.at).toBeGreaterThanOrEqual(seen.top);
        expect(seen.at).toBeLessThan(seen.top + bodyRows(size));
        expect(linesOf(viewReview(seen), size).some((line) => line.startsWith(">"))).toBe(true);
      }
    }
  });
});

test("whatever is pressed at whatever size, the screen has as many rows as the terminal", () => {
  const texts = ["?", "x", enter, end, esc, "/", "zz", enter, "a", "no", enter, esc, "f", "f", "n"];
  for (const size of [small, large, { columns: 130, rows: 10 }, { columns: 10, rows: 3 }, { columns: 1, rows: 1 }]) {
    let review = resize(begin(), size);
    for (const text of texts) {
      review = pressed([text], review);
      expect(viewReview(review)).toHaveLength(size.rows);
    }
  }
});
