import { fieldsOf, partly, publish, publishedName } from "../../codec/publish.ts";
import { formatExitCode } from "../../codes/catalogue.ts";
import { countOutcomes } from "../../log/summary.ts";
import * as t from "../../model/declare.ts";
import { type RunEvent, runEvents } from "../../model/event.ts";
import { diagnostic } from "../../model/failure.ts";
import { finding } from "../../model/finding.ts";
import type { JsonObject } from "../../model/json.ts";
import { action, countPlan, driftItem, type Plan, planFields, planFieldsOf, summary } from "../../model/plan.ts";
import { countDrift, type DriftReport, reportedItems } from "../document/drift.ts";
import { actionName, type PlanNames } from "../document/names.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { jsonLine } from "../safe.ts";
import * as json from "./document-format.ts";
import { formatVersion, otherPartsOf } from "./json.ts";

/** One JSON value a line: what was not written while it happened, and last the summary. Described by `schemas/events.schema.json`. */
export function ndjsonFormat(outcome: CommandOutcome, { streamed, version }: RenderOptions): Rendered {
  const { command, plan, drift: report, diagnostics, problem } = outcome;
  const others = Object.entries(publish(t.object(partly(json.otherParts)), otherPartsOf(outcome)));
  const parts: readonly JsonObject[] = [
    ...(streamed === undefined ? [versionPart(command, version)] : []),
    ...(plan === undefined || streamed?.plan === plan.id ? [] : plannedParts(plan)),
    ...(report === undefined ? [] : driftParts(report)),
    ...others.map(([type, part]) => ({ type, ...Object(part) })),
    ...diagnostics.map((one) => ({ type: "diagnostic", ...publish(diagnostic, one) })),
    ...(problem === undefined ? [] : [{ type: "problem", ...publish(json.error, problem) }]),
    closingPart(outcome),
  ];
  return { stdout: parts.map(jsonLine).join("") };
}

function driftParts(report: DriftReport): readonly JsonObject[] {
  const { items: _, ...numbers } = publish(json.drift, report);
  const items = reportedItems(report).map((item) => ({ type: "drift_item", ...publish(driftItem, item) }));
  return [{ type: "drift", ...numbers }, ...items];
}

function closingPart({ command, exitCode, plan, run, drift, diagnostics, problem }: CommandOutcome): JsonObject {
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

const text = t.string();
const counted = t.converted(t.count(), (all: readonly unknown[]) => all.length);

/** Fields of events to which a line adds names, or that it counts: there may be thousands in a list. */
const shownOtherwise: Readonly<Record<string, t.Fields>> = {
  type: {},
  plan: { planId: text },
  action: {
    action: t.string("The id of the action."),
    name: t.optional(t.string("The action in a few words; absent of what no plan at hand knows.")),
  },
  address: { address: t.string("Folded."), email: t.string("As it is written.") },
  team: { team: text, teamName: t.optional(text) },
  failure: { failure: json.failure },
  learned: { learned: json.learned },
  finding: { finding },
  ...Object.fromEntries(
    ["people", "teams", "users", "members", "keys", "seen", "gone"].map((name) => [name, { [name]: counted }]),
  ),
};

export function lineType(type: string): string {
  return type.replaceAll("-", "_");
}

function lineOf(event: t.Schema<RunEvent>): t.Schema<object> {
  const fields = Object.entries(fieldsOf(event)).flatMap(([name, field]) => {
    const shown = shownOtherwise[name] ?? { [name]: field };
    return Object.entries(t.isOptional(field) ? partly(shown) : shown);
  });
  const { description } = event;
  return { ...t.object(Object.fromEntries(fields)), ...(description === undefined ? {} : { description }) };
}

export const runLines = Object.fromEntries(
  Object.entries<t.Schema<RunEvent>>(runEvents).map(([type, event]) => [
    type,
    t.extended({ type: t.literal(lineType(type)) }, lineOf(t.inPlace(event))),
  ]),
) as Readonly<Record<RunEvent["type"], t.Schema<object>>>;

const partLines = Object.fromEntries(
  Object.entries<t.Schema<unknown>>(json.otherParts).map(([name, part]) => {
    const type = publishedName(name);
    return [type, t.extended({ type: t.literal(type) }, part)];
  }),
);

const { planId, service, users, teams } = planFields;
const { changes, blocking, privilegedGains } = json.driftFields;

export const eventLines = {
  version: t.object("The first line of every stream.", {
    type: t.literal("version"),
    formatVersion: json.formatVersion,
    roster: t.optional(t.string("The version of roster.")),
    command: t.string("The command; `roster` where it was not understood."),
  }),
  read: t.object("The progress of a long read: at its beginning, and then about once a second.", {
    type: t.literal("read"),
    at: t.string("When it happened, ISO 8601."),
    what: t.string("Such as `users listed`."),
    done: t.count("How many so far."),
    of: t.optional(t.count("Of how many, where that is known.")),
  }),
  planned: t.described(
    t.extended({ type: t.literal("planned"), planId, service, users, teams }, summary),
    "The plan in numbers; its actions and findings follow.",
  ),
  planned_action: t.extended({ type: t.literal("planned_action") }, action),
  finding: t.described(t.extended({ type: t.literal("finding") }, finding), "A finding of the plan."),
  ...Object.fromEntries(Object.entries(runLines).map(([type, event]) => [lineType(type), event])),
  drift: t.object("A drift in numbers; its items follow.", { type: t.literal("drift"), ...json.driftFields }),
  drift_item: t.extended({ type: t.literal("drift_item") }, driftItem),
  diagnostic: t.extended({ type: t.literal("diagnostic") }, diagnostic),
  problem: t.described(
    t.extended({ type: t.literal("problem") }, json.error),
    "What ended the command before its work was done.",
  ),
  ...partLines,
  summary: t.object("The last line, however the command ended.", {
    type: t.literal("summary"),
    command: text,
    exitCode: t.count(),
    means: t.string("What the exit code says, for people."),
    planId: t.optional(t.string("The plan, where one was made.")),
    plan: t.optional(summary),
    run: t.optional(
      t.object("The run, where there was one.", {
        run: text,
        counts: json.outcomeCounts,
        verified: t.optional(json.convergence),
        ended: t.optional(t.string("How it ended.")),
      }),
    ),
    drift: t.optional(t.object("What of a drift the exit code counts.", { changes, blocking, privilegedGains })),
    errors: t.count("Diagnostics that are errors."),
    warnings: t.count("Diagnostics that are warnings."),
    problem: t.optional(t.string("The code of what ended the command before its work was done.")),
  }),
};

export const eventLine = t.anyOf(...Object.values<t.Schema<unknown>>(eventLines));
