import fc from "fast-check";
import type { ActionOutcome, RunSummary } from "../../src/log/summary.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { Capabilities } from "../../src/model/capabilities.ts";
import type { LearnedOutcome } from "../../src/model/event.ts";
import type { Diagnostic, Failure, Problem } from "../../src/model/failure.ts";
import type { ReadSummary } from "../../src/model/snapshot.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import type { RoleSet } from "../../src/model/values.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { anyFinding, anyPlace, anyPlan, anyText } from "./arbitrary-plan.ts";
import { anyPlanFile } from "./arbitrary-plan-file.ts";
import { valuesOf } from "./schema-values.ts";

const anyName = anyText.filter((text) => text !== "");
const address = anyText.map(foldAddress);
const team = fc.tuple(anyText, anyText).map(([account, name]) => teamKeyOf(account, name));

const hindrance = fc.record(
  {
    message: anyText,
    request: anyText,
    status: fc.integer({ min: 100, max: 599 }),
    serviceSays: anyText,
    hint: anyText,
  },
  { requiredKeys: ["message"] },
);

export const anyFailure: fc.Arbitrary<Failure> = hindrance.map((known) => ({ code: "refused", ...known }));
const anyProblem: fc.Arbitrary<Problem> = fc.tuple(anyName, hindrance).map(([code, known]) => ({ code, ...known }));

const anyDiagnostic: fc.Arbitrary<Diagnostic> = fc.record(
  {
    code: anyText,
    severity: fc.constantFrom("error", "warning"),
    message: anyText,
    hint: anyText,
    place: anyPlace,
    excerpt: fc.record({ line: anyText, length: fc.nat({ max: 200 }) }),
  },
  { requiredKeys: ["code", "severity", "message"] },
);

const learned = valuesOf("log-event.schema.json#/definitions/learned", anyName) as fc.Arbitrary<LearnedOutcome>;

const actionOutcome: fc.Arbitrary<ActionOutcome> = fc.oneof(
  learned.map((shown) => ({ is: "succeeded" as const, learned: shown })),
  fc.record({ is: fc.constantFrom("failed" as const, "unknown" as const), failure: anyFailure }),
  fc.record({ is: fc.constantFrom("stale" as const, "unneeded" as const), why: anyText }),
  fc.record({ is: fc.constant("skipped" as const), why: anyText, cause: anyText }, { requiredKeys: ["is", "why"] }),
);

const anyRun: fc.Arbitrary<RunSummary> = fc.record(
  {
    run: anyText,
    startedAt: anyText,
    outcomes: fc.array(fc.tuple(anyText, actionOutcome), { maxLength: 4 }).map((entries) => new Map(entries)),
    retries: fc
      .array(fc.tuple(anyText, fc.integer({ min: 1, max: 9 })), { maxLength: 2 })
      .map((entries) => new Map(entries)),
    rolesRead: fc.constant(new Map<string, RoleSet>()),
    keys: fc.array(fc.record({ address, team, prefix: anyText }, { requiredKeys: ["address", "prefix"] })),
    findings: fc.array(anyFinding, { maxLength: 2 }),
    verified: fc.record({
      type: fc.constant("verified" as const),
      at: anyText,
      result: fc.constantFrom("converged", "pending", "diverged", "unverified"),
      remarks: fc.array(anyText, { maxLength: 2 }),
    }),
    ended: fc.record(
      {
        type: fc.constant("run-finished" as const),
        at: anyText,
        ended: fc.constantFrom("completed", "stopped", "interrupted"),
        why: anyText,
      },
      { requiredKeys: ["type", "at", "ended"] },
    ),
  },
  { requiredKeys: ["run", "startedAt", "outcomes", "retries", "rolesRead", "keys", "findings"] },
);

const anyReading: fc.Arbitrary<ReadSummary> = fc.record({
  service: anyText,
  readAt: anyText,
  everyone: fc.oneof(
    anyName.map((by) => ({ read: "complete" as const, by })),
    anyText.map((why) => ({ read: "incomplete" as const, why })),
    fc.constant({ read: "not-read" as const }),
  ),
  readings: fc
    .array(fc.tuple(anyText, fc.record({ at: anyText, request: anyText })), { maxLength: 3 })
    .map((all) => new Map(all)),
  capabilities: valuesOf("state.schema.json#/definitions/capabilities", anyText) as fc.Arbitrary<Capabilities>,
});

/** Outcomes of every command, whole or cut short, with texts from the worst of worlds. */
export const anyOutcome: fc.Arbitrary<CommandOutcome> = fc.record(
  {
    command: fc.constantFrom("validate", "plan", "show", "apply", "drift"),
    exitCode: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143),
    diagnostics: fc.array(anyDiagnostic, { maxLength: 3 }),
    problem: anyProblem,
    roster: fc.record({ files: fc.nat(), users: fc.nat(), leavers: fc.nat(), teams: fc.nat(), keys: fc.nat() }),
    reading: anyReading,
    plan: anyPlan,
    planFile: fc.record({
      path: anyText,
      file: anyPlanFile,
      digest: anyText,
      is: fc.constantFrom("written", "shown", "shown-expired", "applied"),
    }),
    run: anyRun,
  },
  { requiredKeys: ["command", "exitCode", "diagnostics"] },
);
