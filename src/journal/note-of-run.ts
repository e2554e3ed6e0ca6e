import type {
  FindingsSeen,
  PlanFileBegun,
  RosterApplied,
  RunStarted,
  Sequenced,
  ServiceLearned,
  WritesLearned,
} from "../model/event.ts";
import { forgetRun, type StateDraft } from "./state-draft.ts";

/** What a run says of itself and of the service, and not of anybody in it. */
export type RunNoteEvent =
  | RunStarted
  | Sequenced
  | PlanFileBegun
  | RosterApplied
  | ServiceLearned
  | WritesLearned
  | FindingsSeen;

/** A file is good for days at the most: nobody applies so many in that time. */
const maxPlanFiles = 100;

export function recordRunNote(draft: StateDraft, event: RunNoteEvent): void {
  switch (event.type) {
    case "run-started":
      draft.service = event.service;
      forgetRun(draft);
      break;
    case "sequenced":
      draft.sequence = Math.max(draft.sequence ?? 0, event.sequence);
      break;
    case "plan-file-begun":
      recordPlanFile(draft, event);
      break;
    case "roster-applied": {
      const { at, digest, people } = event;
      draft.applied = { at, digest, people: new Map(people.map(({ address, email }) => [address, { email }])) };
      break;
    }
    case "service-learned":
      draft.service = event.service;
      draft.capabilities = { learned: event.capabilities, at: event.at };
      break;
    case "writes-learned":
      draft.writes = event.writes;
      break;
    case "findings-seen":
      recordSightings(draft, event);
      break;
  }
}

function recordPlanFile(draft: StateDraft, { file, at }: PlanFileBegun): void {
  const others = [...(draft.planFiles ?? [])].filter(([known]) => known !== file);
  draft.planFiles = new Map([...others, [file, { at }] as const].slice(-maxPlanFiles));
}

/** More would make every save of a state slow; what matters most comes first. */
const maxSightings = 10_000;

function recordSightings(draft: StateDraft, { at, service, seen, gone }: FindingsSeen): void {
  draft.service = service;
  const sightings = new Map(draft.sightings);
  for (const fingerprint of gone) sightings.delete(fingerprint);
  for (const { fingerprint, ...what } of seen) {
    if (sightings.size < maxSightings && !sightings.has(fingerprint))
      sightings.set(fingerprint, { since: at, ...what });
  }
  draft.sightings = sightings.size === 0 ? undefined : sightings;
}
