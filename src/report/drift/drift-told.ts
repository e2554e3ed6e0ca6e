import { countsInExitCode, type Drift, type DriftClass, type DriftItem } from "../../model/drift.ts";

/** What a drift has to tell, and what became of it. */
export interface DriftReport {
  readonly drift: Drift;
  /** Of what is told and counted: what no recorded look has seen before, or everything. */
  readonly tells: "everything" | "what-is-new";
  readonly record: DriftRecording;
  /** What was to be healed, where that was asked for. */
  readonly healing?: readonly DriftClass[];
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
