import { expect, test } from "vitest";
import { type RunProgress, trackProgress } from "../../../src/journal/progress.ts";
import { plain } from "../../../src/report/outcome.ts";
import { planNames } from "../../../src/report/plan-summary.ts";
import { renderLines } from "../../../src/report/text/lines.ts";
import {
  formatElapsed,
  readingExitSummary,
  runExitSummary,
  viewReading,
  viewRun,
} from "../../../src/screen/progress.ts";
import type { Size } from "../../../src/screen/rows.ts";
import { halfway, noon, plan } from "../../support/run-halfway.ts";
import { large, linesOf, small } from "../../support/screens.ts";

const now = noon + 9500;

function progress(): RunProgress {
  const fold = trackProgress(plan, noon);
  for (const event of halfway) fold.take(event);
  return fold.at(now);
}

function running(size: Size, isEnding: boolean): readonly string[] {
  return linesOf(viewRun({ progress: progress(), names: planNames(plan), now, isEnding }, size), size);
}

const steps = [
  { what: "users listed", done: 1200 },
  { what: "addresses searched", done: 120, of: 480 },
  { what: "waiting for 2 creations to show", done: 0 },
];

test("a run at 80 by 24: how far each stage is, what runs, what waits and why, and what failed", () => {
  expect(running(small, false)).toEqual([
    " Applying: 25 of 105 actions, 2.6 per second, about 30 s left              10 s",
    "",
    " found teams    ████████░░░░░░ 3 of 5          2 waiting",
    " create users   ██████▓░░░░░░░ 20 of 45        3 running, 21 waiting, 1 failed",
    " add members    ░░░░░░░░░░░░░░ 0 of 5          4 waiting, 1 left out",
    " replace roles  ░░░░░░░░░░░░░░ 0 of 50         50 waiting",
    "",
    " Running (3)",
    "   create user p2n4@acme.example                                            2 s",
    "   create user p2n5@acme.example                                            1 s",
    "   create user p2n6@acme.example                                            1 s",
    "",
    " Waiting (77)",
    "   for 2 s more: the service asks to come back later, 2 times so far",
    "   19 for their turn",
    "   11 for: create user p3n0@acme.example",
    "   and 5 more",
    "",
    " Not done (2)",
    "   1 left out for what failed",
    "   ! create user p2n3@acme.example: the service refuses this address (status",
    "     422)",
    "",
    " Ctrl-C: begin nothing more, and let what is under way come to its end",
  ]);
});

test("a run at 200 by 60 tells more of the same, and once it was interrupted, that it is ending", () => {
  expect(running(large, true)).toEqual([
    " Applying: 25 of 105 actions, 2.6 per second, about 30 s left                                                                                                                                      10 s",
    "",
    " found teams    ████████████████████████░░░░░░░░░░░░░░░░ 3 of 5          2 waiting",
    " create users   █████████████████▓░░░░░░░░░░░░░░░░░░░░░░ 20 of 45        3 running, 21 waiting, 1 failed",
    " add members    ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 5          4 waiting, 1 left out",
    " replace roles  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 of 50         50 waiting",
    "",
    " Running (3)",
    "   create user p2n4@acme.example                                                                                                                                                                    2 s",
    "   create user p2n5@acme.example                                                                                                                                                                    1 s",
    "   create user p2n6@acme.example                                                                                                                                                                    1 s",
    "",
    " Waiting (77)",
    "   for 2 s more: the service asks to come back later, 2 times so far",
    "   19 for their turn",
    "   11 for: create user p3n0@acme.example",
    "   11 for: create user p4n0@acme.example",
    "   9 for: add 9 people to team Team 0",
    "   9 for: add 9 people to team Team 1",
    "   9 for: add 9 people to team Team 3",
    "   9 for: add 9 people to team Team 4",
    "",
    " Not done (2)",
    "   1 left out for what failed",
    "   ! create user p2n3@acme.example: the service refuses this address (status 422)",
    "(34 blank lines)",
    " ending: nothing new begins, what is under way comes to its end; Ctrl-C once more ends roster at once",
  ]);
});

test("of many failures as many are told as there is room for, and the others are counted", () => {
  const [failed, ...others] = progress().failures;
  if (failed === undefined) throw new Error("nothing has failed");
  const failures = [...others, failed, failed, failed, failed];
  const shown = { progress: { ...progress(), failures }, names: planNames(plan), now, isEnding: false };
  const why = ["   ! create user p2n3@acme.example: the service refuses this address (status", "     422)"];
  const cut = "   ! create user p2n3@acme.example: the service refuses this address (status 42…";
  const toldIn = (rows: number) => {
    const lines = linesOf(viewRun(shown, { columns: 80, rows }), small);
    return lines.slice(lines.indexOf(" Not done (5)") + 1, -2);
  };
  const first = "   1 left out for what failed";
  expect([toldIn(24), toldIn(26), toldIn(27), toldIn(60)]).toEqual([
    [first, cut, "   and 3 more"],
    [first, ...why, "   and 3 more"],
    [first, ...why, cut, "   and 2 more"],
    [first, ...why, ...why, ...why, ...why],
  ]);
});

test("a run leaves plain lines behind", () => {
  expect(renderLines(runExitSummary(progress()), plain).split("\n")).toEqual([
    "found teams    3 of 5, 2 waiting",
    "create users   20 of 45, 3 running, 21 waiting, 1 failed",
    "add members    0 of 5, 4 waiting, 1 left out",
    "replace roles  0 of 50, 50 waiting",
    "23 of 105 actions in 10 s, 2.4 per second",
    "waited 2 times: the service asks to come back later",
    "waited 1 time: the service does not show all of it yet",
    "",
  ]);
});

test("a run of less than a second tells no rate", () => {
  expect(renderLines(runExitSummary({ ...progress(), elapsed: 999 }), plain).split("\n")[4]).toBe(
    "23 of 105 actions in 1 s",
  );
});

test("a run in which nothing was done tells no rate, and breaks at spaces what is too long", () => {
  const stages = progress().stages.map((stage) => ({ ...stage, done: 0 }));
  const still = { ...progress(), stages, rate: 0 };
  expect(renderLines(runExitSummary(still), plain, 40).split("\n").slice(4)).toEqual([
    "0 of 105 actions in 10 s",
    "waited 2 times: the service asks to come",
    "back later",
    "waited 1 time: the service does not show",
    "all of it yet",
    "",
  ]);
  const [head] = linesOf(viewRun({ progress: still, names: planNames(plan), now, isEnding: false }, small), small);
  expect(head).toMatch(/^ Applying: 2 of 105 actions, about 30 s left {2,}10 s$/u);
});

test("a long read at 80 by 24", () => {
  expect(linesOf(viewReading({ steps, elapsed: 61_000 }, small), small)).toEqual([
    " Reading the service                                                 1 min 01 s",
    "",
    " users listed             1200",
    " addresses searched       ████████░░░░░░░░░░░░░░░░░░░░░░░░░░ 120 of 480",
    " waiting for 2 creations to show",
    "(18 blank lines)",
    " Ctrl-C: stop; nothing was changed",
  ]);
});

test("a long read leaves one line behind", () => {
  expect(renderLines(readingExitSummary(steps, 61_000), plain)).toBe(
    "Read for 1 min 01 s: 1200 users listed, 120 addresses searched\n",
  );
});

test.each([
  { columns: 80, rows: 10 },
  { columns: 20, rows: 4 },
  { columns: 1, rows: 1 },
])("on a terminal of $columns by $rows no screen is higher than it", (size) => {
  const { length } = viewRun({ progress: progress(), names: planNames(plan), now, isEnding: false }, size);
  expect([length, viewReading({ steps, elapsed: 0 }, size).length]).toEqual([size.rows, size.rows]);
});

test.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [59_900, "1 min 00 s"],
  [3_723_000, "1 h 02 min"],
])("%i milliseconds are %s", (milliseconds, words) => {
  expect(formatElapsed(milliseconds)).toBe(words);
});
