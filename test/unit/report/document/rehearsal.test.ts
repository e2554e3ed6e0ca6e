import { expect, test } from "vitest";
import type { Rehearsal } from "../../../../src/model/plan.ts";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { formatDuration } from "../../../../src/report/phrases.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const [createAda, , addToPlatform] = samplePlan.actions;
const [finding] = samplePlan.findings;
if (createAda === undefined || addToPlatform === undefined || finding === undefined)
  throw new Error("a plan without actions");

const smooth: Rehearsal = {
  converges: true,
  troubles: [],
  notices: [],
  unshown: ["The roles were not read: those that are named are taken to be there."],
  calls: { createUser: 2, addMembers: 1, replaceRoles: 3, reads: 1 },
  mails: 2,
  criticalPath: [createAda.id, addToPlatform.id],
  time: { latency: 80, planning: 560, applying: 640, throttled: { oneIn: 10, pause: 1000, applying: 168_000 } },
};

function told(rehearsal: Rehearsal): string {
  const text = renderPlan(samplePlan, { paint: plain, rehearsal });
  return text.slice(text.indexOf("\n\n", text.indexOf("Plan: ")) + 2);
}

test("a rehearsal that comes true is told in three lines", () => {
  expect(told(smooth)).toBe(
    [
      "Rehearsed in memory: 6 calls (2 to create users, 1 to add members and 3 to replace roles) and 1",
      "read, 2 mails. Nothing is left to do.",
      "  At 80 ms a call it takes about 640 ms, after 560 ms of reading; about 2 min 48 s if one write in",
      "  10 must wait 1 s. At least 2 calls, one after another.",
      "  - The roles were not read: those that are named are taken to be there.",
      "",
    ].join("\n"),
  );
});

const failure = { code: "refused", message: "the service refused it", serviceSays: "no room", status: 400 } as const;
const rough: Rehearsal = {
  ...smooth,
  converges: false,
  unshown: [],
  criticalPath: [],
  troubles: [
    { is: "failed", action: createAda.id, failure },
    { is: "skipped", action: addToPlatform.id, why: "its team was not founded" },
    { is: "refused", action: addToPlatform.id, person: "cy@acme.example", failure },
    { is: "remains", action: addToPlatform },
    { is: "unplanned", why: "min-admins: nobody is left" },
  ],
};

test("what a rehearsal ran into is told one by one", () => {
  expect(told(rough).split("\n")).toEqual([
    "Problems in the rehearsal: 5",
    "  ! would fail: create user Ada@acme.example",
    "      the service refused it",
    '      the service says: "no room"',
    "  ! would be skipped: add 2 people to team Platform",
    "      its team was not founded",
    "  ! would be refused: cy@acme.example, of: add 2 people to team Platform",
    "      the service refused it",
    '      the service says: "no room"',
    "  ! would be left: add 2 people to team Platform",
    "  ! could not plan again: min-admins: nobody is left",
    "",
    "Rehearsed in memory: 6 calls (2 to create users, 1 to add members and 3 to replace roles) and 1",
    "read, 2 mails. 5 problems, see above. roster sent nothing.",
    "",
  ]);
});

test("the document of a rehearsal is as promised", () => {
  const troubles = [...rough.troubles.slice(0, 3), { is: "found", finding } as const];
  const outcome = {
    command: "plan",
    exitCode: 5,
    diagnostics: [],
    plan: samplePlan,
    rehearsal: { ...rough, troubles },
  } as const;
  const { rehearsal } = JSON.parse(jsonFormat(outcome).stdout);
  const error = { code: "refused", message: "the service refused it", status: 400, service_says: "no room" };
  expect(rehearsal).toEqual({
    converges: false,
    troubles: [
      { trouble: "failed", action: createAda.id, error },
      { trouble: "skipped", action: addToPlatform.id, why: "its team was not founded" },
      { trouble: "refused", action: addToPlatform.id, person: "cy@acme.example", error },
      { trouble: "found", finding: expect.objectContaining({ fingerprint: finding.fingerprint }) },
    ],
    notices: [],
    unshown: [],
    calls: { create_user: 2, add_members: 1, replace_roles: 3, reads: 1 },
    mails: 2,
    critical_path: [],
    time: {
      latency_ms: 80,
      planning_ms: 560,
      applying_ms: 640,
      throttled: { one_in: 10, pause_ms: 1000, applying_ms: 168_000 },
    },
  });
});

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1000, "1 s"],
  [3249, "3.2 s"],
  [59_400, "59.4 s"],
  [59_500, "1 min"],
  [168_000, "2 min 48 s"],
  [3_600_000, "1 h"],
  [3_900_000, "1 h 5 min"],
])("%i milliseconds are told as %s", (milliseconds, words) => {
  expect(formatDuration(milliseconds)).toBe(words);
});
