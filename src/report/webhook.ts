import type { JsonObject } from "../codec/mapping.ts";
import { countsInExitCode, type DriftItem, driftClasses } from "../model/drift.ts";
import { formatPlace } from "../model/fact.ts";
import { formatSubject } from "../model/subject.ts";
import { formatExitCode } from "./codes/exit-codes.ts";
import { type DriftReport, remainingDrift, reportedItems } from "./drift.ts";
import { marker } from "./markdown/safe-markdown.ts";
import type { CommandOutcome } from "./outcome.ts";
import { truncateText } from "./phrases.ts";
import { safe } from "./safe.ts";

/** What identifies a delivery. */
interface Delivery {
  /** The same for each attempt. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** The version of roster that sends it. */
  readonly version: string;
}

/** How many items and problems are listed; the others are counted. */
const maxItems = 20;
const maxProblems = 5;

/** Characters of one text. */
const maxTextLength = 500;

/** What a drift came to, as a JSON document for the receiver of the webhook: bounded, and described by `schemas/webhook.schema.json`. */
export function driftMessage(outcome: CommandOutcome, { id, at, version }: Delivery): string {
  const { command, title, exitCode, plan, drift } = outcome;
  const service = plan?.service ?? outcome.reading?.service;
  const document: JsonObject = {
    format_version: "1.0",
    type: "drift",
    delivery: id,
    at,
    roster_version: version,
    marker: marker(command, title),
    title: title === undefined ? undefined : safeText(title),
    service: service === undefined ? undefined : safeText(service),
    exit_code: exitCode,
    means: formatExitCode(exitCode),
    troubles: problemParts(outcome),
    ...(drift === undefined ? {} : driftPart(drift)),
  };
  return JSON.stringify(document);
}

function driftPart(report: DriftReport): JsonObject {
  const counting = reportedItems(report).filter(countsInExitCode);
  const items = driftClasses.flatMap((name) => newFirst(counting.filter((item) => item.class === name)));
  return {
    only_new: report.shows === "what-is-new",
    ...remainingDrift(report),
    classes: Object.fromEntries(
      driftClasses.map((name) => [name, countsOf(report.drift.items.filter((item) => item.class === name))]),
    ),
    items: items.slice(0, maxItems).map(itemPart),
    items_left_out: Math.max(0, items.length - maxItems),
  };
}

function newFirst(items: readonly DriftItem[]): readonly DriftItem[] {
  return [...items.filter(isNew), ...items.filter((item) => !isNew(item))];
}

function countsOf(items: readonly DriftItem[]): JsonObject {
  const acknowledged = items.filter((item) => item.acknowledged?.counts === true);
  const left = items.filter((item) => !acknowledged.includes(item));
  const isNewCount = left.filter(isNew).length;
  return { new: isNewCount, known: left.length - isNewCount, acknowledged: acknowledged.length };
}

function isNew({ since }: DriftItem): boolean {
  return since === undefined;
}

function itemPart(item: DriftItem): JsonObject {
  const finding = item.of.is === "finding" ? item.of.finding : undefined;
  const [place] = finding?.because ?? [];
  return {
    fingerprint: safeText(item.fingerprint),
    class: item.class,
    code: safeText(item.code),
    subject: safeText(formatSubject(item.subject)),
    counts: item.counts,
    message: finding === undefined ? undefined : safeText(finding.message),
    place: place === undefined ? undefined : safeText(formatPlace(place)),
    since: item.since,
  };
}

/** What ended the command before its work was done. */
function problemParts({ diagnostics, problem }: CommandOutcome): readonly JsonObject[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const all = [...(problem === undefined ? [] : [problem]), ...errors];
  return all.slice(0, maxProblems).map(({ code, message }) => ({ code: safeText(code), message: safeText(message) }));
}

function safeText(text: string): string {
  return truncateText(safe(text), maxTextLength);
}
