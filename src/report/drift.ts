import { formatCount, joinList, sentence } from "../codes/message.ts";
import { type Acceptable, isAccepted, maxAcceptDays } from "../model/accept.ts";
import {
  type Coverage,
  type CoverageCount,
  countsInExitCode,
  type Drift,
  type DriftClass,
  type DriftItem,
  type DriftRecording,
  privilegesGained,
  type Tasks,
} from "../model/drift.ts";
import { formatPlace } from "../model/fact.ts";

export interface DriftReport {
  readonly drift: Drift;
  readonly tasks: Tasks;
  /** What is shown and counted: what no recorded run has seen before, or everything. */
  readonly shows: "everything" | "what-is-new";
  readonly record: DriftRecording;
  readonly repairing?: readonly DriftClass[];
}

/** The items that are shown, in the order of the plan. A privileged gain of the roster's own users is shown until it is taken back. */
export function reportedItems({ drift, shows }: DriftReport): readonly DriftItem[] {
  if (shows === "everything") return drift.items;
  const isGain = (item: DriftItem) => item.class !== "unmanaged" && privilegesGained(item).length > 0;
  return drift.items.filter((item) => item.since === undefined || isGain(item));
}

/** How much of it the exit code counts, each once. */
export function countDrift(report: DriftReport): { readonly changes: number; readonly problems: number } {
  return countItems(countedItems(report));
}

/** The same without privileged gains, for whoever tells those apart. */
export function remainingExceptGains(report: DriftReport): ReturnType<typeof countDrift> {
  return countItems(countedItems(report).filter((item) => !isPrivilegedGain(item)));
}

function countedItems(report: DriftReport): readonly DriftItem[] {
  return reportedItems(report).filter(countsInExitCode);
}

function countItems(items: readonly DriftItem[]) {
  const changes = items.filter(({ counts }) => counts === "change").length;
  return { changes, problems: items.length - changes };
}

/** How much of it the exit code counts. A privileged role that the roster does not give blocks, even where apply can remove it. */
export function remainingDrift(report: DriftReport): { readonly changes: number; readonly blocking: number } {
  const counted = countedItems(report);
  const blocking = counted.filter((item) => item.counts === "blocking" || isPrivilegedGain(item)).length;
  return { changes: countItems(counted).changes, blocking };
}

/** `new`: what no recorded run has seen before. It is among `open`. */
export function countTasks({ open, closed }: Tasks): Readonly<Record<"open" | "new" | "closed", number>> {
  const isNew = open.filter(({ since }) => since === undefined);
  return { open: open.length, new: isNew.length, closed: closed.length };
}

/** How many keys have a privileged role that the roster does not give, without what is accepted. */
export function countPrivilegedGains(report: DriftReport): number {
  const gains = reportedItems(report)
    .filter(isPrivilegedGain)
    .flatMap(({ outside = [] }) => outside.filter(({ privileged }) => privileged.length > 0));
  // A finding and an action may show the same change.
  return new Set(gains.map(({ key, person }) => key?.prefix ?? person?.address)).size;
}

/** Whether a user has a privileged role that the roster does not give, and it is not accepted. */
export function isPrivilegedGain(item: DriftItem): boolean {
  return privilegesGained(item).length > 0 && !isAccepted(item);
}

/** Whole percents, rounded down, so that only all of them are 100; undefined where nothing is shown. */
export function coveragePercent({ shown, named }: CoverageCount): number | undefined {
  return shown === 0 ? undefined : Math.floor((100 * named) / shown);
}

/** `The roster accounts for 3 of 4 users (75%) and 1 of 1 team (100%) that the service shows.` */
export function formatCoverage({ users, teams, keys, without }: Coverage): string {
  const parts = [
    formatCovered(users, "user"),
    ...(teams === undefined ? [] : [formatCovered(teams, "team")]),
    ...(keys === undefined ? [] : [formatCovered(keys, "key")]),
  ];
  const uncounted = without === undefined ? "" : " The owner of your API key is not counted.";
  return `The roster accounts for ${joinList(parts)} that the service shows.${uncounted}`;
}

function formatCovered(covered: CoverageCount, one: string): string {
  const percent = coveragePercent(covered);
  const share = percent === undefined ? "" : ` (${percent}%)`;
  return `${covered.named} of ${formatCount(covered.shown, one)}${share}`;
}

/** What the roster says of it, in words: `accepted until 2026-12-01 (roster.yaml:3:5): incident 12`. */
export function formatAccepted(one: Acceptable): string | undefined {
  if (one.accepted === undefined) return undefined;
  const { is, code, until, place, reason } = one.accepted;
  const where = `(${formatPlace(place)})`;
  switch (is) {
    case "in-force":
      return `accepted until ${until} ${where}: ${reason}`;
    case "over":
      return `no longer accepted since ${until} ${where}: ${reason}`;
    case "too-long":
      return `not accepted ${where}: ${until} is more than ${maxAcceptDays(one)} days ahead`;
    case "other-facts":
      return `not accepted ${where}: ${code} does not fit: ${sentence("other-facts", {})}`;
  }
}

/** The entry to paste under `accept:` in a roster file; it counts when it has a reason. Undefined where it is accepted, or cannot be. */
export function acceptLine(one: Acceptable): string | undefined {
  if (one.accept === undefined || isAccepted(one)) return undefined;
  const { code, until } = one.accept;
  return `- { code: ${JSON.stringify(code)}, reason: "...", until: ${until} }`;
}
