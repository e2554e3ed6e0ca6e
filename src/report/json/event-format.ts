import { action } from "../../model/action.ts";
import {
  anyOf,
  count,
  described,
  extended,
  type Fields,
  fieldsOf,
  inPlace,
  isOptional,
  literal,
  object,
  optional,
  partly,
  publishedName,
  type Schema,
  string,
  writtenFrom,
} from "../../model/declare.ts";
import { driftItem } from "../../model/drift.ts";
import { type RunEvent, runEvents } from "../../model/event.ts";
import { finding } from "../../model/finding.ts";
import { planFields, summary } from "../../model/plan.ts";
import {
  convergence,
  diagnostic,
  driftFields,
  error,
  failure,
  formatVersion,
  learned,
  otherParts,
  outcomeCounts,
} from "./document-format.ts";

const text = string();
const counted = writtenFrom(count(), (all: readonly unknown[]) => all.length);

/** Fields of events to which a line adds names, or that it counts: there may be thousands in a list. */
const shownOtherwise: Readonly<Record<string, Fields>> = {
  type: {},
  plan: { planId: text },
  action: {
    action: string("The id of the action."),
    name: optional(string("The action in a few words; absent of what no plan at hand knows.")),
  },
  address: { address: string("Folded."), email: string("As it is written.") },
  team: { team: text, teamName: optional(text) },
  failure: { failure },
  learned: { learned },
  finding: { finding },
  ...Object.fromEntries(
    ["people", "teams", "users", "members", "keys", "seen", "gone"].map((name) => [name, { [name]: counted }]),
  ),
};

export function lineType(type: string): string {
  return type.replaceAll("-", "_");
}

function lineOf(event: Schema<RunEvent>): Schema<object> {
  const fields = Object.entries(fieldsOf(event)).flatMap(([name, field]) => {
    const shown = shownOtherwise[name] ?? { [name]: field };
    return Object.entries(isOptional(field) ? partly(shown) : shown);
  });
  const { description } = event;
  return { ...object(Object.fromEntries(fields)), ...(description === undefined ? {} : { description }) };
}

/** The lines about a run, by the types of the events. */
export const runLines = Object.fromEntries(
  Object.entries<Schema<RunEvent>>(runEvents).map(([type, event]) => [
    type,
    extended({ type: literal(lineType(type)) }, lineOf(inPlace(event))),
  ]),
) as Readonly<Record<RunEvent["type"], Schema<object>>>;

/** The parts of the JSON document of these names. */
const partLines = Object.fromEntries(
  Object.entries<Schema<unknown>>(otherParts).map(([name, part]) => {
    const type = publishedName(name);
    return [type, extended({ type: literal(type) }, part)];
  }),
);

const { planId, service, users, teams } = planFields;

/** The lines of `--format ndjson`, by their types. */
export const eventLines = {
  version: object("The first line of every stream.", {
    type: literal("version"),
    formatVersion,
    roster: optional(string("The version of roster.")),
    command: string("The command; `roster` where it was not understood."),
  }),
  read: object("The progress of a long read: at its beginning, and then about once a second.", {
    type: literal("read"),
    at: string("When it happened, ISO 8601."),
    what: string("Such as `users listed`."),
    done: count("How many so far."),
    of: optional(count("Of how many, where that is known.")),
  }),
  planned: described(
    extended({ type: literal("planned"), planId, service, users, teams }, summary),
    "The plan in numbers; its actions and findings follow.",
  ),
  planned_action: extended({ type: literal("planned_action") }, action),
  finding: described(extended({ type: literal("finding") }, finding), "A finding of the plan."),
  ...Object.fromEntries(Object.entries(runLines).map(([type, event]) => [lineType(type), event])),
  drift: object("A drift in numbers; its items follow.", { type: literal("drift"), ...driftFields }),
  drift_item: extended({ type: literal("drift_item") }, driftItem),
  diagnostic: extended({ type: literal("diagnostic") }, diagnostic),
  problem: described(extended({ type: literal("problem") }, error), "What ended the command before its work was done."),
  ...partLines,
  summary: object("The last line, however the command ended.", {
    type: literal("summary"),
    command: text,
    exitCode: count(),
    means: string("What the exit code says, for people."),
    planId: optional(string("The plan, where one was made.")),
    plan: optional(summary),
    run: optional(
      object("The run, where there was one.", {
        run: text,
        counts: outcomeCounts,
        verified: optional(convergence),
        ended: optional(string("How it ended.")),
      }),
    ),
    drift: optional(
      object("What of a drift the exit code counts.", {
        changes: driftFields.changes,
        blocking: driftFields.blocking,
        privilegedGains: driftFields.privilegedGains,
      }),
    ),
    errors: count("Diagnostics that are errors."),
    warnings: count("Diagnostics that are warnings."),
    problem: optional(string("The code of what ended the command before its work was done.")),
  }),
};

export const eventLine = anyOf(...Object.values<Schema<unknown>>(eventLines));
