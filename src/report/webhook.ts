import { partly, publish } from "../codec/publish.ts";
import { formatExitCode } from "../codes/catalogue.ts";
import { formatCount } from "../codes/message.ts";
import * as t from "../model/declare.ts";
import { formatPlace } from "../model/fact.ts";
import { isAccepted } from "../model/finding.ts";
import type { JsonObject } from "../model/json.ts";
import type { CountingItem, Plan } from "../model/plan.ts";
import { byDriftClass, countsInExitCode, driftClasses, driftItem } from "../model/plan.ts";
import { formatHead, type LogHead } from "../model/state.ts";
import { type Actor, type RoleSet, roleSet } from "../model/values.ts";
import { planChanges, privilegedPart } from "./document/actions.ts";
import * as drifts from "./document/drift.ts";
import { firstOf, namesOf, type PlanNames, planNames, truncateText } from "./document/names.ts";
import { joinInline, plainText } from "./document/tree.ts";
import { driftFields, writtenDrift } from "./json/document-format.ts";
import type { CommandOutcome } from "./outcome.ts";
import { marker, safe } from "./safe.ts";

export type Delivery = Pick<t.Static<typeof driftSchema>, "delivery" | "at" | "rosterVersion">;

/** Entries of a list, what ended a command early, and characters of one text. */
const maxItems = 20;
const maxProblems = 5;
const maxTextLength = 500;

export function driftMessage(outcome: CommandOutcome, delivery: Delivery): string {
  const { command, title, exitCode, plan, drift } = outcome;
  const service = plan?.service ?? outcome.reading?.service;
  return message(messageText(outcome, service), driftSchema, {
    type: "drift",
    ...delivery,
    marker: marker(command, title),
    severity: severityOf(outcome),
    title,
    service,
    exitCode,
    means: formatExitCode(exitCode),
    errors: problemParts(outcome),
    ...(drift === undefined ? {} : driftPart(drift, namesOf(plan))),
  });
}

/** All lists, and all texts but the one for a chat, which is safe already, are made safe and short here. */
function message<T>(text: readonly string[], declared: t.Schema<T>, parts: Omit<T, "formatVersion" | "text">) {
  const published = publish(t.typed<Omit<T, "formatVersion" | "text">>(declared), parts);
  const safeParts = JSON.parse(JSON.stringify(published), (_, value: unknown) => {
    if (typeof value === "string") return truncateText(safe(value), maxTextLength);
    return Array.isArray(value) ? value.slice(0, maxItems) : value;
  }) as JsonObject;
  return JSON.stringify({ format_version: "1.0", text: text.map(chatLine).join("\n"), ...safeParts });
}

/** Sent before the first call of the run. */
export function privilegeMessage({ plan, run, actor, privileged, head }: PrivilegesAllowed, delivery: Delivery) {
  const given = planChanges(plan).flatMap((change) => {
    const { address, team, prefix, gains = [], temporary = [] } = privilegedPart(change, privileged) ?? {};
    const roles = roleSet([...gains, ...temporary]);
    return roles.length === 0 ? [] : [{ person: address, team: team && planNames(plan).team(team), prefix, roles }];
  });
  const lines = given.map(({ person, prefix, team, roles }) => {
    return `${person ?? `The key ${prefix}`} gets ${roles.join(", ")}${team === undefined ? "" : ` in ${team}`}.`;
  });
  const { text: reason = "no reason", source } = plan.reason ?? {};
  const first = `Privileged roles at ${plan.service}, allowed by ${actor.name}: ${reason}`;
  return message([first, ...firstOf(lines, maxLines, (more) => `${more} more.`)], privilegeSchema, {
    type: "privileged-roles",
    ...delivery,
    severity: "critical",
    service: plan.service,
    run,
    logHead: formatHead(head),
    planId: plan.id,
    reason,
    reasonSource: source,
    actor: actor.name,
    actorSource: actor.source,
    allowed: (plan.allowed ?? []).map(({ code }) => code),
    gives: given,
    givesLeftOut: Math.max(0, given.length - maxItems),
  });
}

interface PrivilegesAllowed {
  readonly plan: Plan;
  readonly run: string;
  readonly actor: Actor;
  readonly privileged: RoleSet;
  /** Where the log ends before the first call. */
  readonly head: LogHead;
}

function severityOf({ drift, exitCode }: CommandOutcome): "critical" | "error" | "warning" {
  if (drift === undefined) return "error";
  const { privilegedGains, blocking } = drifts.countDrift(drift);
  if (privilegedGains > 0) return "critical";
  return exitCode === 2 && blocking === 0 ? "warning" : "error";
}

/** Lines of the text that name a change each, and characters of one of them. */
const maxLines = 10;
const maxLineLength = 300;

function messageText(outcome: CommandOutcome, service: string | undefined): readonly string[] {
  const { drift, title, exitCode, plan } = outcome;
  const name = title === undefined ? "roster drift" : `roster drift (${title})`;
  const where = service === undefined ? "" : ` at ${service}`;
  if (drift === undefined) {
    const [first] = problemParts(outcome);
    const why = first === undefined ? `${formatExitCode(exitCode)}.` : first.message;
    return [`${name}${where} failed: ${why}`];
  }
  const names = namesOf(plan);
  const counting = countingItems(drift);
  const changed = counting.flatMap((item) => {
    const { changes, repair } = drifts.itemSentences(item, names);
    const mark = drifts.isPrivilegedGain(item) ? "Privileged gain: " : "";
    return changes.length === 0 ? [] : [`${mark}${plainText(joinInline([...changes, ...repair], " "))}`];
  });
  const shown = changed.length <= maxLines + 1 ? changed : changed.slice(0, maxLines);
  const rest = counting.length - shown.length;
  return [
    `${name}${where}: ${drifts.formatDriftCounts(drift) || formatExitCode(exitCode)}.`,
    ...shown,
    ...(rest === 0 ? [] : [`${formatCount(rest, "more difference")}: run \`roster drift\`.`]),
  ];
}

/** Nothing in it mentions anybody, links or is markup where a chat shows it: Slack and Teams read these three characters as entities. */
function chatLine(text: string): string {
  const line = truncateText(safe(text), maxLineLength).replaceAll("](", "] (");
  return line.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function driftPart(report: drifts.DriftReport, names: PlanNames) {
  const items = countingItems(report);
  return {
    ...writtenDrift(report),
    classes: byDriftClass((name) => {
      const all = report.drift.items.filter((item) => item.class === name);
      const left = all.filter((item) => !isAccepted(item));
      const known = left.filter(({ since }) => since !== undefined).length;
      return { new: left.length - known, known, accepted: all.length - left.length };
    }),
    items: items.map((item) => {
      const [place] = drifts.itemPlaces(item, names);
      const message = drifts.itemText(item, names) || undefined;
      return { ...item, privileged: drifts.isPrivilegedGain(item), message, place: place && formatPlace(place) };
    }),
    itemsLeftOut: Math.max(0, items.length - maxItems),
  };
}

/** Privileged gains first, then class by class, and what is new first within it. */
function countingItems(report: drifts.DriftReport): readonly CountingItem[] {
  const counting = drifts.reportedItems(report).filter(countsInExitCode);
  const rank = (item: CountingItem) =>
    (drifts.isPrivilegedGain(item) ? 0 : 100) +
    driftClasses.indexOf(item.class) * 2 +
    (item.since === undefined ? 0 : 1);
  return counting.toSorted((one, other) => rank(one) - rank(other));
}

function problemParts({ diagnostics, problem }: CommandOutcome) {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const all = [...(problem === undefined ? [] : [problem]), ...errors];
  return all.slice(0, maxProblems).map(({ code, message }) => ({ code, message }));
}

const text = t.string({ maxLength: 500 });
const counts = t.object({ new: t.count(), known: t.count(), accepted: t.count() });
const classes = byDriftClass(() => counts);
const { onlyNew, changes, blocking, privilegedGains, tasks } = driftFields;
const itemFields = {
  privileged: t.boolean("Whether the user has a privileged role that the roster does not give."),
  message: t.optional(text, "What was changed by others, what apply does about it, and the message of a finding."),
  place: t.optional(text, "File, line and column of the roster."),
};
const items = t.list(t.extended(itemFields, driftItem), {
  maxItems: 20,
  description: "What the exit code counts: privileged gains first, then class by class, new items first in each.",
});

const delivery = {
  formatVersion: t.literal("1.0"),
  delivery: t.string("The same for each attempt, as in the header Roster-Delivery."),
  at: t.string({ format: "date-time", description: "When the drift ended, or when the run began." }),
  rosterVersion: t.string(),
  severity: t.described(
    t.oneOf("critical", "error", "warning"),
    "`critical`: a user has a privileged role that is not in the roster, or a person allowed one. `error`: the drift failed, or a person must act. `warning`: apply corrects all of it.",
  ),
  text: t.string({
    maxLength: 12000,
    description:
      "A message that Slack and Teams show as it is. Privileged gains come first. `&`, `<` and `>` are written as entities.",
  }),
};

export const driftSchema = t.object(
  "A drift that found something, or failed. Other texts than `text` have at most 500 characters, and lists at most 20 entries.",
  {
    ...delivery,
    type: t.literal("drift"),
    marker: t.string("Finds a comment or an issue of this roster again, as in its Markdown."),
    title: t.optional(t.string("The name of the target, in a fleet.")),
    service: t.optional(t.string("The account service. Absent if roster did not reach it.")),
    exitCode: t.integer({ minimum: 1 }),
    means: t.string(),
    errors: t.list(t.object({ code: text, message: text }), {
      maxItems: 5,
      description: "What ended the drift early.",
    }),
    ...partly({ onlyNew, changes, blocking, privilegedGains, tasks }),
    classes: t.optional(t.object("All differences, by class.", classes)),
    items: t.optional(items),
    itemsLeftOut: t.optional(t.count()),
  },
);

export const privilegeSchema = t.object(
  "A run gives privileged roles that a person allowed with `--allow`. roster sends it before the first call.",
  {
    ...delivery,
    type: t.literal("privileged-roles"),
    service: t.string("The account service."),
    run: t.described(text, "The run, as in the log."),
    logHead: t.string("Where the log ends before the first call, as `position:hash`."),
    planId: t.described(text, "The plan that the run applies."),
    reason: t.described(text, "Why, as the person wrote it."),
    reasonSource: t.optional(t.oneOf("flag", "variable", "library"), "How the reason was passed."),
    actor: t.described(text, "Who runs it."),
    actorSource: t.described(text, "The CI system that names the user, or `os`."),
    allowed: t.list(text, { maxItems: 20, description: "The values of `--allow`." }),
    gives: t.list(
      t.object({
        person: t.optional(text),
        team: t.optional(text),
        prefix: t.optional(text),
        roles: t.list(text, { maxItems: 20 }),
      }),
      { maxItems: 20, description: "Who gets which ones." },
    ),
    givesLeftOut: t.count("How many more it gives."),
  },
);

export const webhookMessage = t.anyOf(driftSchema, privilegeSchema);
