import {
  type Acknowledgement,
  type AcknowledgementStatus,
  type Coverage,
  type CoverageCount,
  countsInExitCode,
  type Drift,
  type DriftClass,
  type DriftItem,
  type InactiveAcknowledgementReason,
  maxAcknowledgementDays,
  maxGuardedAcknowledgementDays,
} from "../model/drift.ts";
import { formatPlace } from "../model/fact.ts";
import { formatCount, formatList } from "./phrases.ts";

/** What a drift has to tell, and what became of it. */
export interface DriftReport {
  readonly drift: Drift;
  /** Of what is told and counted: what no recorded look has seen before, or everything. */
  readonly tells: "everything" | "what-is-new";
  readonly record: DriftRecording;
  /** What was to be repaired, where that was asked for. */
  readonly repairing?: readonly DriftClass[];
}

/** Whether what was seen is remembered. `known`: there was nothing that is not known already. */
export type DriftRecording =
  | { readonly is: "recorded" | "known" | "not-wanted" }
  | { readonly is: "not-recorded"; readonly why: string };

/** What is told, in the order of the plan. */
export function reportedItems({ drift, tells }: DriftReport): readonly DriftItem[] {
  return tells === "everything" ? drift.items : drift.items.filter(({ since }) => since === undefined);
}

/** What of it the exit code counts. */
export function remainingDrift(told: DriftReport): { readonly changes: number; readonly blocking: number } {
  const counted = reportedItems(told).filter(countsInExitCode);
  const changes = counted.filter(({ counts }) => counts === "change").length;
  return { changes, blocking: counted.length - changes };
}

/** Whole percents, rounded down, so that 100 is said of all alone; nothing where nothing is shown. */
export function coveragePercent({ shown, named }: CoverageCount): number | undefined {
  return shown === 0 ? undefined : Math.floor((100 * named) / shown);
}

/** `The roster names 3 of 4 users (75%) and 1 of 1 team (100%) that the service shows.` */
export function formatCoverage({ users, teams, keys }: Coverage): string {
  const parts = [
    formatCovered(users, "user"),
    ...(teams === undefined ? [] : [formatCovered(teams, "team")]),
    ...(keys === undefined ? [] : [formatCovered(keys, "key")]),
  ];
  return `The roster names ${formatList(parts)} that the service shows.`;
}

function formatCovered(covered: CoverageCount, one: string): string {
  const percent = coveragePercent(covered);
  const share = percent === undefined ? "" : ` (${percent}%)`;
  return `${covered.named} of ${formatCount(covered.shown, one)}${share}`;
}

/** What somebody said of an item, in a sentence. */
export function formatAcknowledgement(item: DriftItem, acknowledged: AcknowledgementStatus): string {
  const { by } = acknowledged;
  if (acknowledged.counts) return `acknowledged until ${by.until} by ${by.by}: ${by.reason}`;
  return `acknowledged at ${formatPlace(by.place)} by ${by.by} (${by.reason}), which does not count: ${formatIdleReason(acknowledged.why, by, item)}`;
}

function formatIdleReason(why: InactiveAcknowledgementReason, by: Acknowledgement, { guarded }: DriftItem): string {
  switch (why) {
    case "expired":
      return `it ended with ${by.until}`;
    case "not-yet":
      return `it is said to be from ${by.at}, which has not come`;
    case "too-long":
      return guarded
        ? `what is at stake here may be acknowledged for ${maxGuardedAcknowledgementDays} days at the most, and ${by.at} to ${by.until} is longer`
        : `${by.at} to ${by.until} is more than ${maxAcknowledgementDays} days`;
    case "of-something-else":
      return `it is written as one of ${by.code} of ${by.subject}, and the fingerprint is not that`;
    case "not-trusted":
      return "with CI set, a file that a change to the checkout can edit silences no privilege and no guard";
  }
}
