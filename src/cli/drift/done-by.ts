import { type RunSummary, refusedMembers } from "../../journal/summary.ts";
import type { Drift, DriftItem } from "../../model/drift.ts";

/** Fingerprints of what a run has put right: what it did, and what came to be as wanted without it. */
export function fixedByRun(run: RunSummary | undefined, { items }: Drift): ReadonlySet<string> {
  return new Set(items.filter((item) => isFixed(item, run)).map(({ fingerprint }) => fingerprint));
}

function isFixed({ of }: DriftItem, run: RunSummary | undefined): boolean {
  const outcome = of.is === "action" ? run?.outcomes.get(of.action) : undefined;
  if (of.is === "finding" || outcome === undefined) return false;
  if (outcome.is !== "succeeded") return outcome.is === "unneeded";
  if (outcome.learned.kind !== "add-members" || of.person === undefined) return true;
  const refused = refusedMembers(outcome).some(({ address }) => address === of.person);
  return !refused && outcome.learned.members.some(({ address }) => address === of.person);
}
