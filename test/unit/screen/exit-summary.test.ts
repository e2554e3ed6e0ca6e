import { expect, test } from "vitest";
import type { RunProgress } from "../../../src/log/summary.ts";
import { plain } from "../../../src/report/document/tree.ts";
import { renderLines } from "../../../src/report/text/lines.ts";
import { formatElapsed, readingExitSummary, runExitSummary } from "../../../src/screen/exit-summary.ts";
import { progress } from "../../support/run-halfway.ts";

const linesOf = (run: RunProgress, columns?: number) =>
  renderLines(runExitSummary(run), { paint: plain, columns }).split("\n");

test("a run leaves plain lines", () => {
  expect(linesOf(progress)).toEqual([
    "23 of 105 actions in 10 s, 2.4 per second",
    "waited 2 times: the service asks to come back later",
    "waited 1 time: the service does not show all of it yet",
    "",
  ]);
});

test("a run of less than a second has no rate", () => {
  expect(linesOf({ ...progress, elapsed: 999 })[0]).toBe("23 of 105 actions in 1 s");
});

test("a run in which nothing was done has no rate, and long lines are broken at words", () => {
  const stages = progress.stages.map((stage) => ({ ...stage, done: 0 }));
  expect(linesOf({ ...progress, stages, rate: 0 }, 40)).toEqual([
    "0 of 105 actions in 10 s",
    "waited 2 times: the service asks to come",
    "back later",
    "waited 1 time: the service does not show",
    "all of it yet",
    "",
  ]);
});

test("a long read leaves one line", () => {
  const steps = [
    { what: "users listed", done: 1200 },
    { what: "addresses searched", done: 120, of: 480 },
    { what: "waiting for 2 creations to show", done: 0 },
  ];
  expect(renderLines(readingExitSummary(steps, 61_000), { paint: plain })).toBe(
    "Read for 1 min 01 s: 1200 users listed, 120 addresses searched\n",
  );
});

test.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [59_900, "1 min 00 s"],
  [3_723_000, "1 h 02 min"],
])("%i milliseconds are %s", (milliseconds, words) => {
  expect(formatElapsed(milliseconds)).toBe(words);
});
