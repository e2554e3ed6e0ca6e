import { describe, expect, test } from "vitest";
import type { RunSummary } from "../../../../src/log/summary.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { outcome, samplePlan, sampleReading, sampleRun } from "../../../support/report-samples.ts";

async function textOf(run: RunSummary, exitCode: number): Promise<string> {
  const told = outcome({ command: "apply", exitCode, plan: samplePlan, reading: sampleReading, run });
  return (await textFormat(told, { paint: plain })).stdout;
}

test("a run tells what did not succeed and why, the keys, what remains, whether it shows, and its exit code", async () => {
  expect(await textOf(sampleRun, 7)).toBe(`\
Did not succeed (5)
  ! failed: create user cy@acme.example
      the service says that cy@acme.example is there already
      request: POST /api/accounting/accounts/acc-1/users (status 409)
      the service says: "User exists"
      hint: Plan again: somebody created this user a moment ago.
  ! refused: invite cy@acme.example to team Platform
      no such user
  ! unknown outcome: change the roles of bo@acme.example's key 12pref1x121 in Platform
      the connection was lost
  ! skipped: set the roles of Ada@acme.example's key in Data Science
      the key did not come to be
  ! stale: change the roles of key proj99
      the key has other roles by now

Prefixes of new keys (3), also in the log
  person                     kind of key        prefix of the key
  Ada@acme.example           team Data Science  abc123
  bo@acme.example            team Platform      def456
  someone.else@acme.example  own key            ghi789

Not verified yet: the service does not show all changes. Plan again later.
- bo@acme.example does not show as a member of Platform yet
Partly done: created 1 user and 1 team, invited 1 member. Other calls: 1 failed, 1 with an unknown
outcome, 1 skipped, 1 stale.
1 task is left: team acc-1/sales (cannot-create-team).

Next: follow the hints above. Then plan again. The service has changed since this plan was made.
Exit code 7: some calls did not succeed, or have an unknown outcome.
`);
});

test("a run that lost its log does not say that the log has the keys, and shows no head", async () => {
  const ended = { type: "run-finished", at: "2026-11-20T06:00:05.000Z", ended: "stopped", logLost: true } as const;
  const head = { position: 9, hash: "5".repeat(64) };
  const told = outcome({ command: "apply", exitCode: 7, plan: samplePlan, run: { ...sampleRun, ended }, head });
  const { stdout } = await textFormat(told, { paint: plain });
  expect(stdout).toContain("\nPrefixes of new keys (3), maybe not in the log\n");
  expect(stdout).not.toContain("--expect-head");
});

describe("a run that did not come to its end says so", () => {
  const { ended: _ended, verified: _verified, ...open } = { ...sampleRun, outcomes: new Map(), keys: [] };
  const at = "2026-11-20T06:00:05.000Z";
  test.each([
    [
      "where it was stopped",
      { ...open, ended: { type: "run-finished", at, ended: "stopped", why: "the key is refused" } },
      "The run was stopped: the key is refused.",
    ],
    [
      "where it was interrupted",
      { ...open, ended: { type: "run-finished", at, ended: "interrupted" } },
      "The run was interrupted.",
    ],
    [
      "where it was interrupted, once",
      { ...open, ended: { type: "run-finished", at, ended: "interrupted", why: "the run was interrupted" } },
      "The run was interrupted.",
    ],
    ["where no end was recorded", open, "The run did not finish."],
  ] as const)("%s", async (_sentence, run, words) => {
    const left = "1 task is left: team acc-1/sales (cannot-create-team).";
    expect((await textOf(run, 0)).split("\n").slice(-4)).toEqual([words, "Nothing was changed.", left, ""]);
  });

  test("and why, once and not for each action that was not started", async () => {
    const why = "the lock of this run was taken over";
    const outcomes = new Map([
      ["a", { is: "skipped", why }],
      ["b", { is: "skipped", why }],
      ["c", { is: "skipped", why: "its first member was not created" }],
    ] as const);
    const text = await textOf({ ...open, outcomes, ended: { type: "run-finished", at, ended: "stopped", why } }, 0);
    expect(text).toContain(
      "(3)\n  ! skipped: 2 calls, because the run was stopped\n      a and b\n  ! skipped: c\n      its first member was not created\n",
    );
    expect(text.match(/the lock of this run/gu)).toHaveLength(1);
  });
});
