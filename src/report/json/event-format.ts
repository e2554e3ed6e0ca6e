import { action } from "../../model/action.ts";
import type { Fields, Schema } from "../../model/declare.ts";
import * as t from "../../model/declare.ts";
import { driftItem } from "../../model/drift.ts";
import { type RunEvent, runEvents } from "../../model/event.ts";
import { finding } from "../../model/finding.ts";
import { planFields, summary } from "../../model/plan.ts";
import * as json from "./document-format.ts";

const text = t.string();
const counted = t.writtenFrom(t.count(), (all: readonly unknown[]) => all.length);

/** Fields of events to which a line adds names, or that it counts: there may be thousands in a list. */
const shownOtherwise: Readonly<Record<string, Fields>> = {
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

function lineOf(event: Schema<RunEvent>): Schema<object> {
  const fields = Object.entries(t.fieldsOf(event)).flatMap(([name, field]) => {
    const shown = shownOtherwise[name] ?? { [name]: field };
    return Object.entries(t.isOptional(field) ? t.partly(shown) : shown);
  });
  const { description } = event;
  return { ...t.object(Object.fromEntries(fields)), ...(description === undefined ? {} : { description }) };
}

export const runLines = Object.fromEntries(
  Object.entries<Schema<RunEvent>>(runEvents).map(([type, event]) => [
    type,
    t.extended({ type: t.literal(lineType(type)) }, lineOf(t.inPlace(event))),
  ]),
) as Readonly<Record<RunEvent["type"], Schema<object>>>;

const partLines = Object.fromEntries(
  Object.entries<Schema<unknown>>(json.otherParts).map(([name, part]) => {
    const type = t.publishedName(name);
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
  diagnostic: t.extended({ type: t.literal("diagnostic") }, json.diagnostic),
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

export const eventLine = t.anyOf(...Object.values<Schema<unknown>>(eventLines));
