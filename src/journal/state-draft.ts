import type { FoldedAddress } from "../model/address.ts";
import type { RecordedCapabilities } from "../model/capabilities.ts";
import type { RecordedRefusal, RefusalKey, RefusedPart, RequestDigest } from "../model/refusal.ts";
import type { OpenIntent, RecordedKey, RecordedMembership, RecordedTeam, RecordedUser, State } from "../model/state.ts";
import type { MembershipKey, TeamKey } from "../model/team.ts";

/** A state under change: copied once for a whole fold, so that a fold costs what it changes. */
export interface StateDraft {
  service: string | undefined;
  sequence: number | undefined;
  capabilities: RecordedCapabilities | undefined;
  queues: State["queues"];
  writes: State["writes"];
  readonly users: Map<FoldedAddress, RecordedUser>;
  readonly teams: Map<TeamKey, RecordedTeam>;
  readonly memberships: Map<MembershipKey, RecordedMembership>;
  readonly keys: Map<string, RecordedKey>;
  readonly open: Map<string, OpenIntent>;
  readonly refusals: Map<RefusalKey, RecordedRefusal>;
  planFiles: State["planFiles"];
  applied: State["applied"];
  sightings: State["sightings"];
  /** The run that announced an action since the last run began: events without a run of their own belong to it. */
  readonly announcedBy: Map<string, string>;
  /** What the run has asked for each person of its additions, by action and address. */
  readonly asked: Map<string, { readonly part: RefusedPart; readonly request: RequestDigest }>;
  /** Of which kinds of calls the run was allowed one. */
  readonly allowed: Set<string>;
  /** What the run was not allowed, by kind, until it is known whether it was allowed another call of the kind. */
  readonly forbidden: Map<string, readonly RecordedRefusal[]>;
}

export function draftFromState(state: State): StateDraft {
  return {
    service: state.service,
    sequence: state.sequence,
    capabilities: state.capabilities,
    queues: state.queues,
    writes: state.writes,
    users: new Map(state.users),
    teams: new Map(state.teams),
    memberships: new Map(state.memberships),
    keys: new Map(state.keys),
    open: new Map(state.open.map((open) => [intentKey(open.run, open.action), open])),
    refusals: new Map(state.refusals),
    planFiles: state.planFiles,
    applied: state.applied,
    sightings: state.sightings,
    announcedBy: new Map(),
    asked: new Map(),
    allowed: new Set(),
    forbidden: new Map(),
  };
}

/** Forgets what counts within one run alone. */
export function forgetRun({ announcedBy, asked, allowed, forbidden }: StateDraft): void {
  for (const ofOneRun of [announcedBy, asked, allowed, forbidden]) ofOneRun.clear();
}

export function requestKey(action: string, address: FoldedAddress): string {
  return `${action}\n${address}`;
}

export function stateFromDraft(draft: StateDraft, { lineage, serial, moved }: State): State {
  const { service, sequence, users, teams, memberships, keys, open, refusals, planFiles, applied, sightings } = draft;
  const about = { ...(service === undefined ? {} : { service }), ...(sequence === undefined ? {} : { sequence }) };
  const learned = draft.capabilities === undefined ? {} : { capabilities: draft.capabilities };
  const later = draft.queues === undefined ? {} : { queues: draft.queues };
  const writes = draft.writes === undefined ? {} : { writes: draft.writes };
  const left = moved === undefined ? {} : { moved };
  return {
    lineage,
    serial,
    ...left,
    ...about,
    ...learned,
    ...later,
    ...writes,
    users,
    teams,
    memberships,
    keys,
    open: [...open.values()],
    refusals,
    ...(planFiles === undefined ? {} : { planFiles }),
    ...(applied === undefined ? {} : { applied }),
    ...(sightings === undefined ? {} : { sightings }),
  };
}

/** Two runs may announce the same action; each answers for its own. */
export function intentKey(run: string, action: string): string {
  return `${run}\n${action}`;
}
