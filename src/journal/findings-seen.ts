import { type Drift, type DriftItem, driftClasses } from "../model/drift.ts";
import type { FindingsSeen, SeenFinding } from "../model/event.ts";
import type { State } from "../model/state.ts";

export interface DriftObservation {
  readonly at: string;
  readonly service: string;
  /** Whether all was looked at, so that what is not seen any more is gone. */
  readonly lookedAt: "everything" | "a-part";
  /** Fingerprints of what this very run has put right. */
  readonly settled?: ReadonlySet<string>;
}

/**
 * What of a drift the state does not know yet, and what it knows that is no more. Undefined where there is nothing of
 * either. What a run is working on is neither.
 */
export function findingsSeen({ items }: Drift, state: State, look: DriftObservation): FindingsSeen | undefined {
  const { at, service, lookedAt, settled = new Set() } = look;
  const known = state.sightings ?? new Map();
  const remaining = items.filter(({ fingerprint }) => !settled.has(fingerprint));
  const there = new Set(remaining.map(({ fingerprint }) => fingerprint));
  const seen = [...remaining].sort(byWeight).filter((item) => !known.has(item.fingerprint) && !isInProgress(item));
  const gone = [...known.keys()].filter(
    (fingerprint) => settled.has(fingerprint) || (lookedAt === "everything" && !there.has(fingerprint)),
  );
  if (seen.length + gone.length === 0) return undefined;
  return { type: "findings-seen", at, service, seen: seen.map(seenFinding), gone };
}

/** An action that a run has in hand: it will be done, or be seen by the next look. */
function isInProgress({ class: ofClass, counts, of }: DriftItem): boolean {
  return ofClass === "pending" && counts === "nothing" && (of.is === "action" || of.finding.blocking);
}

function byWeight(a: DriftItem, b: DriftItem): number {
  return weight(a) - weight(b);
}

/** What counts comes first, then class by class: more than can be remembered is never what matters. */
function weight({ counts, class: ofClass }: DriftItem): number {
  return (counts === "nothing" ? driftClasses.length : 0) + driftClasses.indexOf(ofClass);
}

function seenFinding({ fingerprint, code, subject, guarded }: DriftItem): SeenFinding {
  return { fingerprint, code, subject, ...(guarded ? { guarded: true } : {}) };
}
