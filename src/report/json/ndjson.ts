import type { JsonObject } from "../../codec/mapping.ts";
import { planSummary } from "../../codec/plan.ts";
import { countOutcomes } from "../../journal/summary.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { remainingDrift } from "../drift.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { plannedParts, toJsonLine, versionPart } from "./events.ts";
import { diagnosticPart, driftLineParts, otherParts } from "./json.ts";
import { errorPart } from "./run.ts";

/**
 * One JSON value a line: what was not told in lines while it happened, and last the summary. Described by
 * `schemas/events.schema.json`.
 */
export function ndjsonFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  return { stdout: partsOf(outcome, options).map(toJsonLine).join("") };
}

function partsOf(outcome: CommandOutcome, { told, version }: RenderOptions): readonly JsonObject[] {
  const { plan, drift } = outcome;
  return [
    ...(told === undefined ? [versionPart(outcome.command, version)] : []),
    ...(plan === undefined || told?.plan === plan.id ? [] : plannedParts(plan)),
    ...(drift === undefined ? [] : driftLineParts(drift)),
    ...restParts(outcome),
    ...outcome.diagnostics.map((diagnostic) => ({ type: "diagnostic", ...diagnosticPart(diagnostic) })),
    ...(outcome.problem === undefined ? [] : [{ type: "problem", ...errorPart(outcome.problem) }]),
    closingPart(outcome),
  ];
}

/** All else that the JSON document has, a line for each of its parts. */
function restParts(outcome: CommandOutcome): readonly JsonObject[] {
  return Object.entries(otherParts(outcome)).flatMap(([type, part]) => (part === undefined ? [] : [{ type, ...part }]));
}

function closingPart({ command, exitCode, plan, run, drift, diagnostics, problem }: CommandOutcome): JsonObject {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return {
    type: "summary",
    command,
    exit_code: exitCode,
    means: formatExitCode(exitCode),
    plan_id: plan?.id,
    plan: plan && planSummary(plan),
    run: run && {
      run: run.run,
      counts: countOutcomes(run),
      verified: run.verified?.result,
      ended: run.ended?.ended,
    },
    drift: drift && remainingDrift(drift),
    errors,
    warnings: diagnostics.length - errors,
    problem: problem?.code,
  };
}
