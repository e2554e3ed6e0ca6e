import { expect, test } from "vitest";
import type { RunProgress } from "../../../src/log/summary.ts";
import { planNames } from "../../../src/report/document/names.ts";
import { inked, line } from "../../../src/report/document/tree.ts";
import { Progress, type ProgressView } from "../../../src/screen/progress.tsx";
import type { Size } from "../../../src/screen/terminal.ts";
import { now, plan, progress } from "../../support/run-halfway.ts";
import { onScreen, small } from "../../support/screens.tsx";

const log = [
  { number: 1, line: line(0, ["created ada@acme.example"]) },
  {
    number: 2,
    line: line(0, [inked("alarm", "failed to create user bo@acme.example: the service refuses this address")]),
  },
];
const run = { is: "run", progress, names: planNames(plan), now, log: [] } as const;
const steps = [
  { what: "users listed", done: 1200 },
  { what: "addresses searched", done: 120, of: 480 },
  { what: "waiting for 2 creations to show", done: 0 },
];

function screen(view: ProgressView, size: Size): readonly string[] {
  const shown = onScreen(<Progress view={view} isOver={false} />, size);
  const lines = shown.lines();
  shown.unmount();
  return lines;
}

test("a run at 80 by 24: how far each stage is, what runs, and what waits and why", () => {
  expect(screen(run, small)).toEqual([
    " Applying: 25 of 105 actions, 2.6 per second, about 30 s left              10 s",
    " new teams      ████████░░░░░░ 3 of 5          2 waiting",
    " create users   ██████▓░░░░░░░ 20 of 45        3 running, 21 waiting, 1 failed",
    " add members    ░░░░░░░░░░░░░░ 0 of 5          4 waiting, 1 skipped",
    " replace roles  ░░░░░░░░░░░░░░ 0 of 50         50 waiting",
    "",
    " Running (3)",
    "   create user p2n4@acme.example                                            2 s",
    "   create user p2n5@acme.example                                            1 s",
    "   create user p2n6@acme.example                                            1 s",
    "",
    " Waiting (77)",
    "   2 s more: the service asks to come back later, 2 times so far",
    "   19 for their turn",
    "   11 for: create user p3n0@acme.example",
    "   11 for: create user p4n0@acme.example",
    "   9 for: invite 9 members to team Team 0",
    "   9 for: invite 9 members to team Team 1",
    "   9 for: invite 9 members to team Team 3",
    "   9 for: invite 9 members to team Team 4",
    " Ctrl-C: start no new action, finish the calls in progress",
  ]);
});

test("a run at 120 by 16 counts what has no room", () => {
  expect(screen(run, { columns: 120, rows: 16 }).slice(5)).toEqual([
    "",
    " Running (3)",
    `   create user p2n4@acme.example${" ".repeat(84)}2 s`,
    "   and 2 more",
    "",
    " Waiting (77)",
    "   2 s more: the service asks to come back later, 2 times so far",
    "   and 7 more",
    " Ctrl-C: start no new action, finish the calls in progress",
  ]);
});

test("a run that was told nothing yet has no rate, and one that verifies says so", () => {
  const head = (view: RunProgress) => screen({ ...run, progress: view }, small)[0];
  expect(head({ ...progress, rate: 0 })).toMatch(/^ Applying: 25 of 105 actions, about 30 s left {2,}10 s$/u);
  expect(head({ ...progress, phase: "reading-again" })).toMatch(/, verifying the changes {2,}10 s$/u);
});

test("a run that was stopped says whether anything was sent", () => {
  const foot = (view: ProgressView) => screen(view, small).at(-1);
  expect([
    foot(run),
    foot({ ...run, stopping: "nothing-sent" }),
    foot({ ...run, stopping: "calls-in-progress" }),
  ]).toEqual([
    " Ctrl-C: start no new action, finish the calls in progress",
    " Stopping: reading was stopped, nothing was sent. Ctrl-C again exits at once.",
    " Stopping after the calls in progress. Ctrl-C again exits at once.",
  ]);
});

test("actions that have ended scroll by, one line each, and stay when the run is over", () => {
  const shown = onScreen(<Progress view={{ ...run, log: log.slice(0, 1) }} isOver={false} />, {
    columns: 40,
    rows: 24,
  });
  const first = ["created ada@acme.example"];
  expect(shown.lines().slice(0, 2)).toEqual([...first, " Applying: 25 of 105 actions, 2.6 per s…"]);
  shown.rerender(<Progress view={{ ...run, log }} isOver={true} />);
  expect(shown.lines()).toEqual([
    ...first,
    "failed to create user bo@acme.example:",
    "the service refuses this address",
    "",
  ]);
  shown.unmount();
});

test("a long read at 80 by 24", () => {
  const reading = { is: "reading", steps, elapsed: 61_000, isStopping: false } as const;
  expect(screen(reading, small)).toEqual([
    " Reading the service                                                 1 min 01 s",
    " users listed             1200",
    " addresses searched       ████████░░░░░░░░░░░░░░░░░░░░░░░░░░ 120 of 480",
    " waiting for 2 creations to show",
    " Ctrl-C: stop reading; nothing was changed",
  ]);
  expect(screen({ ...reading, isStopping: true }, small).at(-1)).toBe(" Reading is stopped. Nothing was sent.");
});

test.each([
  { columns: 80, rows: 10 },
  { columns: 20, rows: 4 },
  { columns: 1, rows: 1 },
])("on a terminal of $columns by $rows no screen is as high as it, so that it does not scroll", (size) => {
  const heights = [run, { is: "reading", steps, elapsed: 0, isStopping: false } as const].map((view) => {
    const shown = onScreen(<Progress view={view} isOver={false} />, size);
    const height = (shown.frames.at(-1) ?? "").split("\n").length;
    shown.unmount();
    return height;
  });
  expect(Math.max(...heights)).toBeLessThanOrEqual(Math.max(1, size.rows - 1));
});
