import { countsInExitCode, type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace } from "../../model/place.ts";
import { type DriftTold, remaining, toldItems } from "../drift/drift-told.ts";
import { exitCodeWords } from "../exit-code-words.ts";
import { marker } from "../markdown/safe-markdown.ts";
import type { CommandOutcome } from "../outcome.ts";
import type { JsonPart } from "../plan-json.ts";
import { safe } from "../safe.ts";

/** What a delivery says of itself. */
export interface Delivery {
  /** The same for each attempt. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  /** The version of roster that sends it. */
  readonly version: string;
}

/** How many items and troubles are told; the others are counted. */
const mostItems = 20;
const mostTroubles = 5;

/** Characters of one text. */
const longestText = 500;

/** What a drift came to, as a document of JSON for whoever is to be told: bounded, and described by `schemas/webhook.schema.json`. */
export function driftMessage(outcome: CommandOutcome, { id, at, version }: Delivery): string {
  const { command, title, exitCode, plan, drift } = outcome;
  const service = plan?.service ?? outcome.reading?.service;
  const document: JsonPart = {
    format_version: "1.0",
    type: "drift",
    delivery: id,
    at,
    roster_version: version,
    marker: marker(command, title),
    title: title === undefined ? undefined : shown(title),
    service: service === undefined ? undefined : shown(service),
    exit_code: exitCode,
    means: exitCodeWords(exitCode),
    troubles: troublesOf(outcome),
    ...(drift === undefined ? {} : driftPart(drift)),
  };
  return JSON.stringify(document);
}

function driftPart(told: DriftTold): JsonPart {
  const counting = toldItems(told).filter(countsInExitCode);
  const items = driftClasses.flatMap((name) => newFirst(counting.filter((item) => item.class === name)));
  return {
    only_new: told.tells === "what-is-new",
    ...remaining(told),
    classes: Object.fromEntries(
      driftClasses.map((name) => [name, countsOf(told.drift.items.filter((item) => item.class === name))]),
    ),
    items: items.slice(0, mostItems).map(itemPart),
    items_left_out: Math.max(0, items.length - mostItems),
  };
}

function newFirst(items: readonly DriftItem[]): readonly DriftItem[] {
  return [...items.filter(isNew), ...items.filter((item) => !isNew(item))];
}

function countsOf(items: readonly DriftItem[]): JsonPart {
  const acknowledged = items.filter((item) => item.acknowledged?.counts === true);
  const left = items.filter((item) => !acknowledged.includes(item));
  const isNewCount = left.filter(isNew).length;
  return { new: isNewCount, known: left.length - isNewCount, acknowledged: acknowledged.length };
}

function isNew({ since }: DriftItem): boolean {
  return since === undefined;
}

function itemPart(item: DriftItem): JsonPart {
  const finding = item.of.is === "finding" ? item.of.finding : undefined;
  const [place] = finding?.because ?? [];
  return {
    fingerprint: shown(item.fingerprint),
    class: item.class,
    code: shown(item.code),
    subject: shown(item.subject),
    counts: item.counts,
    message: finding === undefined ? undefined : shown(finding.message),
    place: place === undefined ? undefined : shown(formatPlace(place)),
    since: item.since,
  };
}

/** What ended the command before its work was done. */
function troublesOf({ diagnostics, problem }: CommandOutcome): readonly JsonPart[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const all = [...(problem === undefined ? [] : [problem]), ...errors];
  return all.slice(0, mostTroubles).map(({ code, message }) => ({ code: shown(code), message: shown(message) }));
}

function shown(text: string): string {
  const characters = [...safe(text)];
  return characters.length <= longestText ? characters.join("") : `${characters.slice(0, longestText - 1).join("")}…`;
}
