import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/model/plan.ts";
import { defaultPrivilegedRoles } from "../../../src/model/values.ts";
import { plainText } from "../../../src/report/document/tree.ts";
import {
  beginReview,
  bodyRows,
  type ReviewState,
  reduceReview,
  selectedRow,
} from "../../../src/screen/review-state.ts";
import type { Key } from "../../../src/screen/terminal.ts";
import { aPlan } from "../../support/action-builders.ts";
import { companyPlan } from "../../support/company-plan.ts";
import { samplePlan } from "../../support/report-samples.ts";
import { everything } from "../../support/science-plan.ts";

const small = { columns: 80, rows: 24 };
const sizes = [small, { columns: 200, rows: 60 }, { columns: 80, rows: 6 }];
const up: Key = { key: "up" };
const down: Key = { key: "down" };
const right: Key = { key: "right" };
const left: Key = { key: "left" };
const enter: Key = { key: "enter" };
const esc: Key = { key: "escape" };
const end: Key = { key: "end" };
const home: Key = { key: "home" };
const backspace: Key = { key: "backspace" };
const clear: Key = { key: "clear" };
const pageUp: Key = { key: "page-up" };
const pageDown: Key = { key: "page-down" };
const pasted = (text: string): Key => ({ key: "pasted", text });

const begin = (plan: Plan = samplePlan) => beginReview({ plan, privileged: defaultPrivilegedRoles }, small);

/** Keys, and texts that are typed character by character. */
type Pressed = readonly (Key | string)[];

function pressed(keys: Pressed, state: ReviewState = begin()): ReviewState {
  return keys
    .flatMap((key): readonly Key[] =>
      typeof key === "string" ? [...key].map((text) => ({ key: "character", text })) : [key],
    )
    .reduce((before, key) => reduceReview(before, { is: "key", key, lastScroll: 3 }), state);
}

/** What the selected row says first. */
function selected(review: ReviewState): string {
  const text = plainText(selectedRow(review)?.title ?? []);
  return text.replace(/^\W*/u, "").split(/[:( ] /u)[0] ?? "";
}

const first = "Changes of privileged roles (2)";

describe("keys in the tree", () => {
  test.each<[string, Pressed, string]>([
    ["nothing: the first row", [], first],
    ["down and j go down", [down, "j"], "bo@acme.example"],
    ["up and k go up, and no further than the first row", [down, "k", up, "k"], first],
    ["End, G: the last row, Home, g: the first", [end, home, "G"], "user ada@acme.example"],
    ["right goes into an open group", [right], "Ada@acme.example (Ada Lovelace)"],
    ["left goes to what it belongs to", ["j", left], first],
    ["n goes to the first thing that is privileged or a task", ["n"], "Ada@acme.example (Ada Lovelace)"],
    ["n goes on to the next", ["n", "n"], "bo@acme.example"],
    ["n comes to a task", ["n", "n", "n", "n", "n"], "team acc-1/sales"],
    ["n begins again after the last", ["n", "n", "n", "n", "n", "n"], "Ada@acme.example (Ada Lovelace)"],
    ["N goes to the one before", ["N"], "team acc-1/sales"],
    ["n unfolds what hides it", ["f", "n", "n"], "bo@acme.example"],
  ])("%s", (_, keys, row) => {
    expect(selected(pressed(keys))).toBe(row);
  });

  test.each<[string, Pressed, number]>([
    ["at first all is unfolded", [], 14],
    ["left folds a group", [left], 12],
    ["space folds and unfolds", [" "], 12],
    ["space twice leaves it as it was", [" ", " "], 14],
    ["f folds all", ["f"], 6],
    ["f once more unfolds all", ["f", "f"], 14],
  ])("%s", (_, keys, rows) => {
    expect(pressed(keys).visible).toHaveLength(rows);
  });

  test("whoever folds what is selected selects what it belongs to", () => {
    expect(selected(pressed(["n", "n", "f"]))).toBe(first);
  });

  test("keys that mean nothing, and pasted text, change nothing", () => {
    const before = begin();
    expect(pressed(["x", pasted("ayes\r"), "Z"], before)).toEqual(before);
  });

  test("where nothing is privileged or a task, n says so", () => {
    const quiet = pressed(["n"], begin(aPlan(everything)));
    expect(quiet.notice).toBe("No row here is privileged or a task.");
    expect(pressed(["j"], quiet).notice).toBeUndefined();
  });
});

describe("deciding", () => {
  test.each<[string, Pressed, "approved" | "declined" | undefined]>([
    ["a, yes, Enter approves", ["a", "yes", enter], "approved"],
    ["a alone does not", ["a"], undefined],
    ["a, Enter does not", ["a", enter], undefined],
    ["a, y, Enter does not", ["a", "y", enter], undefined],
    ["a, YES, Enter does not", ["a", "YES", enter], undefined],
    ["yes without a does not", ["yes", enter], undefined],
    ["a pasted yes does not", ["a", pasted("yes"), enter], undefined],
    ["a corrected yes does", ["a", "yep", backspace, "s", enter], "approved"],
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
    ["a person", "bo@", [first, "bo@acme.example", "Team Platform (t-42)", "bo@acme.example"]],
    [
      "a team, with all its people",
      "team t-42",
      ["Team Platform (t-42)", "cy@acme.example (Cy Young)", "bo@acme.example"],
    ],
    ["a person in a team", "PLATFORM cy", ["Team Platform (t-42)", "cy@acme.example (Cy Young)"]],
    ["a role", "platform team_role", ["Team Platform (t-42)", "bo@acme.example"]],
    ["a code", "create-team", ["Tasks (1)", "team acc-1/sales"]],
    ["a kind", "create-user cy", ["Team Platform (t-42)", "cy@acme.example (Cy Young)"]],
    ["nothing", "nobody@", []],
  ])("finds %s", (_, typed, rows) => {
    const review = pressed(["/", typed]);
    const titles = review.visible.map((_index, place) => selected({ ...review, cursor: place }));
    expect(titles).toEqual(rows);
  });

  test("selects what it is about, and leaves it selected once it is dropped", () => {
    const found = pressed(["/", "bo@", enter]);
    expect([selected(found), found.page.is, found.filter]).toEqual(["bo@acme.example", "tree", "bo@"]);
    const dropped = pressed([esc], found);
    expect([selected(dropped), dropped.filter, dropped.visible.length]).toEqual(["bo@acme.example", "", 14]);
  });

  test("is typed, mended, emptied and pasted into", () => {
    expect(pressed(["/", "bx", backspace, "o"]).filter).toBe("bo");
    expect(pressed(["/", "bo", clear, "cy"]).filter).toBe("cy");
    expect(pressed(["/", pasted("bo\ncy")]).filter).toBe("bo cy");
    expect(pressed(["/", "bo", esc]).page).toEqual({ is: "tree" });
  });

  test("n stays within it", () => {
    expect(selected(pressed(["/", "platform", enter, "n", "n", "n"]))).toBe("bo@acme.example");
  });

  test("unfolds what was folded before, and folds it again", () => {
    const folded = pressed(["f"]);
    expect(pressed(["/", "bo@"], folded).visible).toHaveLength(4);
    expect(pressed(["/", "bo@", esc], folded).visible).toHaveLength(6);
  });
});

test("the selected row of a large plan is always on the screen", () => {
  let state = begin(companyPlan(20));
  for (const key of ["f", "f", end, up, pageUp, pageDown, home, pageDown, down, "f", end]) {
    state = pressed([key], state);
    for (const size of sizes) {
      const { cursor, top } = reduceReview(state, { is: "resized", size });
      expect(cursor).toBeGreaterThanOrEqual(top);
      expect(cursor).toBeLessThan(top + bodyRows(size));
    }
  }
});

describe("scrolling", () => {
  const scroll = (keys: Pressed) => pressed([enter, ...keys]).page;
  test.each<[string, Pressed, number]>([
    ["down", ["j"], 1],
    ["no further than the last page", ["jjjjj"], 3],
    ["up", ["jj", up], 1],
    ["no further than the first row", ["j", up, up], 0],
    ["a page", [pageDown], 3],
    ["to the end, and back to the beginning", [end, home], 0],
  ])("the details go %s", (_, keys, to) => {
    expect(scroll(keys)).toEqual({ is: "details", scroll: to });
  });

  test("begins again where another row is selected", () => {
    expect(scroll(["jj", "n"])).toEqual({ is: "details", scroll: 0 });
  });
});
