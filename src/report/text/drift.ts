import type { Action } from "../../model/action.ts";
import { countsInExitCode, type DriftClass, type DriftItem, driftClasses } from "../../model/drift.ts";
import { formatPlace } from "../../model/fact.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { formatSubject } from "../../model/subject.ts";
import { type DriftReport, formatAcknowledgement, formatCoverage, remainingDrift, reportedItems } from "../drift.ts";
import type { ReadSummary } from "../outcome.ts";
import { formatCount, formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { actionLines } from "./actions.ts";
import { findingLines, findingTitle } from "./findings.ts";
import { joinSections, type Line, prose, row } from "./lines.ts";
import { formatCallCount, formatMailCount, readingLines } from "./plan.ts";

/** A drift for people: class by class, the worst first, with what was acknowledged folded at its end. */
export function driftLines(told: DriftReport, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  const items = reportedItems(told);
  const isFolded = ({ acknowledged }: DriftItem) => acknowledged?.counts === true;
  const names = planNames(plan);
  return joinSections([
    readingLines("Drift at", plan, reading),
    ...driftClasses.map((name) =>
      classLines(
        name,
        items.filter((item) => item.class === name && !isFolded(item)),
        names,
      ),
    ),
    acknowledgedLines(items.filter(isFolded)),
    idleAcknowledgementLines(told),
    [prose(0, formatCoverage(told.drift.coverage), "dim")],
    [...healingLines(told), ...driftSummaryLines(told, plan), ...recordLines(told)],
  ]);
}

/** What each class is called, and what it means. */
export const driftHeadings: Readonly<Record<DriftClass, { readonly title: string; readonly means: string }>> = {
  tampered: { title: "Tampered with", means: "Somebody else has changed what our runs had made or put." },
  "to-apply": { title: "To apply", means: "The roster asks for it, and no record says that it was so." },
  blocked: { title: "Blocked", means: "The roster asks for it, and something stands in the way." },
  uncorrectable: { title: "Uncorrectable", means: "No call can correct it." },
  unknown: { title: "Unknown", means: "It was not shown, not read or not proven." },
  pending: { title: "Pending", means: "It waits for somebody, or is under way." },
  unmanaged: { title: "Unmanaged", means: "The service has it, and the roster does not name it." },
  information: { title: "To know", means: "Nothing has to be done." },
};

function classLines(name: DriftClass, items: readonly DriftItem[], names: PlanNames): readonly Line[] {
  if (items.length === 0) return [];
  const { title, means } = driftHeadings[name];
  return [
    row(0, [{ ink: "strong", text: `${title}: ${items.length}` }]),
    prose(0, means, "dim"),
    ...actionsIn(items).flatMap(([action, parts]) => actionPartLines(action, parts, names)),
    ...items.flatMap((item) => (item.of.is === "finding" ? findingItemLines(item, name) : [])),
  ];
}

/** The actions that items are parts of, each once. */
function actionsIn(items: readonly DriftItem[]): readonly (readonly [string, readonly DriftItem[]])[] {
  const actions = new Map<string, DriftItem[]>();
  for (const item of items) {
    if (item.of.is === "action") actions.set(item.of.action, [...(actions.get(item.of.action) ?? []), item]);
  }
  return [...actions];
}

function actionPartLines(id: string, parts: readonly DriftItem[], names: PlanNames): readonly Line[] {
  const action = names.action(id);
  const shown = action === undefined ? [] : actionLines(partOf(action, parts), names);
  return [
    ...shown,
    ...parts.flatMap((item) => sinceLines(item, parts.length === 1 ? "" : ` ${formatSubject(item.subject)}`)),
  ];
}

/** Of an addition of members, the people whom these items are about. */
function partOf(action: Action, parts: readonly DriftItem[]): Action {
  if (action.kind !== "add-members") return action;
  const people = new Set(parts.map(({ of }) => (of.is === "action" ? of.person : undefined)));
  return { ...action, members: action.members.filter(({ address }) => people.has(address)) };
}

/** Of people and keys beyond the roster there may be thousands: one line each, unless they block. */
function findingItemLines(item: DriftItem, name: DriftClass): readonly Line[] {
  if (item.of.is !== "finding") return [];
  const { finding } = item.of;
  const isShort = name === "unmanaged" && !finding.blocking;
  return [...(isShort ? [findingTitle(finding)] : findingLines(finding)), ...(isShort ? [] : sinceLines(item, ""))];
}

function sinceLines(item: DriftItem, about: string): readonly Line[] {
  const since = item.since === undefined ? "new" : `since ${item.since}`;
  const said =
    item.acknowledged === undefined ? [] : [prose(6, formatAcknowledgement(item, item.acknowledged), "alarm")];
  return [...said, row(6, [{ ink: "dim", text: `${item.fingerprint}${about}, ${since}` }])];
}

function acknowledgedLines(items: readonly DriftItem[]): readonly Line[] {
  if (items.length === 0) return [];
  return [
    row(0, [{ ink: "strong", text: `Acknowledged: ${items.length}` }]),
    ...items.flatMap((item) => [
      row(2, [{ ink: "dim", text: `${formatSubject(item.subject)}: ${item.code} (${item.class})` }]),
      ...(item.acknowledged === undefined ? [] : [prose(6, formatAcknowledgement(item, item.acknowledged), "dim")]),
    ]),
  ];
}

function idleAcknowledgementLines({ drift }: DriftReport): readonly Line[] {
  if (drift.idle.length === 0) return [];
  return [
    row(0, [{ ink: "strong", text: `Acknowledged, and not there: ${drift.idle.length}` }]),
    ...drift.idle.map(({ code, subject, place }) =>
      row(2, [{ ink: "dim", text: `${subject}: ${code}` }], formatPlace(place)),
    ),
    prose(2, "Take them out of the file: it is settled, or it is another matter by now.", "dim"),
  ];
}

/** Told beside the whole drift only where nothing was run. */
function healingLines({ healing }: DriftReport): readonly Line[] {
  if (healing === undefined) return [];
  return [prose(0, `Nothing of the class ${formatList(healing)} can be healed.`, "strong")];
}

function driftSummaryLines(told: DriftReport, plan: Plan): readonly Line[] {
  const { changes, blocking } = remainingDrift(told);
  const notNew = told.tells === "what-is-new" ? " that is new" : "";
  if (changes + blocking === 0) return [prose(0, formatNoDrift(told), "strong")];
  const first = `Drift${notNew}: ${formatDriftCounts({ changes, blocking })}${formatTampered(told)}.`;
  return [first, ...formatCorrection(changes, plan)].map((text) => prose(0, text, "strong"));
}

function formatNoDrift(told: DriftReport): string {
  if (told.tells === "what-is-new") return "No drift that is new.";
  const acknowledged = told.drift.items.filter(
    (item) => item.counts !== "nothing" && item.acknowledged?.counts === true,
  );
  if (acknowledged.length > 0) return "No drift but what is acknowledged.";
  return "No drift. The service agrees with the roster.";
}

function formatTampered(told: DriftReport): string {
  const tampered = reportedItems(told).filter((item) => item.class === "tampered" && countsInExitCode(item)).length;
  return tampered === 0 ? "" : ` (${tampered} tampered with)`;
}

function formatCorrection(changes: number, plan: Plan): readonly string[] {
  if (changes === 0) return ["No call can correct it."];
  const planned = countPlan(plan);
  return [`An apply corrects it with ${formatCallCount(planned)}. ${formatMailCount(planned)}`];
}

function recordLines({ record }: DriftReport): readonly Line[] {
  if (record.is !== "not-recorded") return [];
  return [prose(0, `What is new was not recorded, and stays new: ${record.why}.`, "dim")];
}

/** What is left beside what a run has healed. */
export function remainingDriftLines(told: DriftReport | undefined): readonly Line[] {
  if (told === undefined) return [];
  const { changes, blocking } = remainingDrift(told);
  if (changes + blocking === 0) return [prose(0, "Nothing else differs.", "dim")];
  const parts = formatDriftCounts({ changes, blocking });
  return [prose(0, `Left as they are: ${parts}; \`roster drift\` shows them.`, "strong")];
}

function formatDriftCounts({ changes, blocking }: ReturnType<typeof remainingDrift>): string {
  return formatList([
    ...(changes === 0 ? [] : [formatCount(changes, "change")]),
    ...(blocking === 0 ? [] : [formatCount(blocking, "blocking finding")]),
  ]);
}
