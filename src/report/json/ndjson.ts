import { formatExitCode } from "../../codes/catalogue.ts";
import { countOutcomes } from "../../log/summary.ts";
import { action } from "../../model/action.ts";
import { object, partly, publish } from "../../model/declare.ts";
import { driftItem } from "../../model/drift.ts";
import type { RunEvent } from "../../model/event.ts";
import { finding } from "../../model/finding.ts";
import type { JsonObject } from "../../model/json.ts";
import { countPlan, type Plan, planFieldsOf } from "../../model/plan.ts";
import { countDrift, type DriftReport, reportedItems } from "../document/drift.ts";
import { actionName, type PlanNames } from "../document/names.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { jsonLine } from "../safe.ts";
import { diagnostic, drift, error, otherParts } from "./document-format.ts";
import { eventLines, lineType, runLines } from "./event-format.ts";
import { formatVersion, otherPartsOf } from "./json.ts";

/** One JSON value a line: what was not written while it happened, and last the summary. Described by `schemas/events.schema.json`. */
export function ndjsonFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  return { stdout: partsOf(outcome, options).map(jsonLine).join("") };
}

function partsOf(outcome: CommandOutcome, { streamed, version }: RenderOptions): readonly JsonObject[] {
  const { command, plan, drift: report, diagnostics, problem } = outcome;
  const others = Object.entries(publish(object(partly(otherParts)), otherPartsOf(outcome)));
  return [
    ...(streamed === undefined ? [versionPart(command, version)] : []),
    ...(plan === undefined || streamed?.plan === plan.id ? [] : plannedParts(plan)),
    ...(report === undefined ? [] : driftParts(report)),
    ...others.map(([type, part]) => ({ type, ...Object(part) })),
    ...diagnostics.map((one) => ({ type: "diagnostic", ...publish(diagnostic, one) })),
    ...(problem === undefined ? [] : [{ type: "problem", ...publish(error, problem) }]),
    closingPart(outcome),
  ];
}

function driftParts(report: DriftReport): readonly JsonObject[] {
  const { items: _, ...numbers } = publish(drift, report);
  const items = reportedItems(report).map((item) => ({ type: "drift_item", ...publish(driftItem, item) }));
  return [{ type: "drift", ...numbers }, ...items];
}

function closingPart(outcome: CommandOutcome): JsonObject {
  const { command, exitCode, plan, run, drift, diagnostics, problem } = outcome;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return publish(eventLines.summary, {
    type: "summary",
    command,
    exitCode,
    means: formatExitCode(exitCode),
    planId: plan?.id,
    plan: plan && countPlan(plan),
    run: run && { run: run.run, counts: countOutcomes(run), verified: run.verified?.result, ended: run.ended?.ended },
    drift: drift && countDrift(drift),
    errors,
    warnings: diagnostics.length - errors,
    problem: problem?.code,
  });
}

/** The first line of every stream. Where the command line was not understood, `command` is `roster`. */
export function versionPart(command: CommandOutcome["command"], version: string | undefined): JsonObject {
  return publish(eventLines.version, { type: "version", formatVersion, roster: version, command });
}

export function plannedParts(plan: Plan): readonly JsonObject[] {
  return [
    publish(eventLines.planned, { type: "planned", ...planFieldsOf(plan), ...countPlan(plan) }),
    ...plan.actions.map((one) => ({ type: "planned_action", ...publish(action, one) })),
    ...plan.findings.map((one) => ({ type: "finding", ...publish(finding, one) })),
  ];
}

export function eventPart(event: RunEvent, names: PlanNames): JsonObject {
  const action = "action" in event ? names.action(event.action) : undefined;
  return publish(runLines[event.type], {
    ...event,
    ...("plan" in event && { planId: event.plan }),
    ...("address" in event && { email: names.email(event.address) }),
    ...("team" in event && event.team && { teamName: names.team(event.team) }),
    ...("action" in event && { name: action && actionName(action, names) }),
    type: lineType(event.type),
  });
}
