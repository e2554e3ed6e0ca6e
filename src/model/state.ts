import type { Profile } from "./action.ts";
import type { FoldedAddress } from "./address.ts";
import { consistencyWindow, type RecordedCapabilities, settlementWindow, type WriteBehaviour } from "./capabilities.ts";
import type { Intent, ServerDate, Sighting } from "./event.ts";
import type { Exception } from "./policy.ts";
import type { RecordedRefusal, RefusalKey } from "./refusal.ts";
import type { Failure } from "./result.ts";
import type { RoleSet } from "./role-set.ts";
import type { Snapshot } from "./snapshot.ts";
import { foldName, type MembershipKey, type TeamKey } from "./team.ts";

/** What we remember of what we did. A journal and a cache: never a reason to believe that something is gone. */
export interface State {
  /** Names this state apart from every other; given once, at its creation. */
  readonly lineage: string;
  /** Counts the saved versions of one lineage. */
  readonly serial: number;
  /** The service that this state is about, once a run has learned something of it. */
  readonly service?: string;
  /** ISO 8601, since when it is known to have started anew: what was recorded before is forgotten. */
  readonly epoch?: string;
  /** The highest sequence that an apply has named, such as the number of a pipeline's run. */
  readonly sequence?: number;
  readonly users: ReadonlyMap<FoldedAddress, RecordedUser>;
  readonly teams: ReadonlyMap<TeamKey, RecordedTeam>;
  readonly memberships: ReadonlyMap<MembershipKey, RecordedMembership>;
  /** By prefix. */
  readonly keys: ReadonlyMap<string, RecordedKey>;
  /** By prefix: what a read has shown of keys that no run has written since. */
  readonly seenKeys?: ReadonlyMap<string, SeenKey>;
  /** What this service was last found to show. */
  readonly capabilities?: RecordedCapabilities;
  /** When this service last took a call for later: what became of any of its calls may show long after it was sent. */
  readonly queues?: { readonly at: string };
  /** How this service was last found to take writes. */
  readonly writes?: WriteBehaviour;
  /** Announced calls whose outcome was never learned, oldest first. */
  readonly open: readonly OpenIntent[];
  /** Creations with a team that no read showed and that count as not done: a read that shows the user later refutes it. Never empty. */
  readonly presumedUndone?: readonly OpenIntent[];
  /** Where this state lives now, and since when: what is left here is no longer to be used. */
  readonly moved?: { readonly to: string; readonly at: string };
  /** Requests that the service refused and would refuse again, by their subjects. */
  readonly refusals: ReadonlyMap<RefusalKey, RecordedRefusal>;
  /** The plan files that were begun to be applied, by their ids: the last ones, in the order in which they were. */
  readonly planFiles?: ReadonlyMap<string, { readonly at: string }>;
  /** The people of the last applied roster. A user of the service who is in it, and not in the roster now, was dropped. */
  readonly applied?: AppliedRoster;
  /** Where the audit trail ended when a run last saved this state. It may have grown since; it is never shorter. */
  readonly audit?: AuditHead;
  /** What the last recorded runs saw to differ from the roster, by fingerprint. */
  readonly sightings?: ReadonlyMap<string, Sighting>;
}

/** Where an audit trail ends: how many records it has, and the hash of the last one. */
export interface AuditHead {
  readonly records: number;
  readonly hash: string;
}

/** The last roster that an apply was about as a whole. */
export interface AppliedRoster {
  readonly at: string;
  /** Digests the roster, whatever its files. */
  readonly digest: string;
  /** Its users, and those who were dropped before and are still to be settled. */
  readonly people: ReadonlyMap<FoldedAddress, { readonly email: string }>;
}

/** A person whom a run created or met. */
export interface RecordedUser {
  readonly address: FoldedAddress;
  readonly email: string;
  readonly account: string;
  readonly identifier?: string;
  /** ISO 8601, when our creation was answered; absent for people who were met, not created. */
  readonly createdAt?: string;
  /** ISO 8601, when a run last met them in the service; of people whom a run created, when a read first showed them. */
  readonly seenAt?: string;
  /** The prefix of the key that the creation returned. */
  readonly key?: string;
  /** The team that was created together with this user: then `key` is the key of that team. */
  readonly founded?: TeamKey;
  readonly profile?: RecordedProfile;
}

/** What our creation asked for and what the service made of it, by field name. */
interface RecordedProfile {
  readonly sent: Profile;
  readonly answered: Profile;
}

export interface RecordedTeam {
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  readonly identifier?: string;
  readonly founder?: FoldedAddress;
  /** ISO 8601, when it was founded or, for a team that was met, first seen. */
  readonly at: string;
}

export interface RecordedMembership {
  readonly team: TeamKey;
  readonly address: FoldedAddress;
  readonly how: "founded" | "added" | "seen";
  readonly at: string;
  /** The prefix of the team key, once learned. */
  readonly prefix?: string;
  /** ISO 8601, when a read first showed a membership that a run made. */
  readonly seenAt?: string;
}

export interface RecordedKey {
  readonly prefix: string;
  /** The roles that our last replacement asked for. */
  readonly put: RoleSet;
  readonly at: string;
  /** What the key read as after it: the same again is no reason to ask once more. */
  readonly readAs?: RoleSet;
  /** It was read so soon that it may be what the key had before. */
  readonly early?: true;
}

/** A key as a read showed it, where the read equalled the roster or the roster leaves its roles alone. */
export interface SeenKey {
  readonly prefix: string;
  /** Its holder. */
  readonly address: FoldedAddress;
  readonly roles: RoleSet;
  readonly at: string;
}

export interface OpenIntent {
  readonly run: string;
  readonly action: string;
  /** ISO 8601, when the call was announced, or until when it may have been on its way where that is known: a time to come at first. */
  readonly at: string;
  /** Until when it may have been on its way, at the latest, by a clock that nobody sets on this machine. */
  readonly dated?: ServerDate;
  /** The service took the call and may do it later. */
  readonly accepted?: true;
  /** The service would not create the user; who stands behind that was not read to the end. */
  readonly declined?: Failure;
  readonly intent: Intent;
}

/** Nothing was ever recorded in it: neither of people and calls nor of a move. */
export function isUnusedState(state: State): boolean {
  const { serial, moved, planFiles } = state;
  return serial === 0 && moved === undefined && recordCount(state) + (planFiles?.size ?? 0) === 0;
}

/** It may hold what runs note of themselves and what a drift has seen, and nothing that a plan could rest on. */
export function hasNoPlanningRecords(state: State): boolean {
  return state.moved === undefined && state.applied === undefined && recordCount(state) === 0;
}

function recordCount({ users, teams, memberships, keys, open, refusals }: State): number {
  return users.size + teams.size + memberships.size + keys.size + open.length + refusals.size;
}

/** What a state knows once its service has started anew. Calls whose outcome is not known stay open. */
export function withoutRecords({ seenKeys: _, ...state }: State): State {
  const { users, teams, memberships, keys, refusals } = emptyState(state.lineage);
  return { ...state, users, teams, memberships, keys, refusals };
}

export function emptyState(lineage: string): State {
  return {
    lineage,
    serial: 0,
    users: new Map(),
    teams: new Map(),
    memberships: new Map(),
    keys: new Map(),
    open: [],
    refusals: new Map(),
  };
}

/**
 * Milliseconds since the epoch, until when the reads of a service need not show a user whom we created. A user whom a read has shown is
 * never "not shown yet" again.
 */
export function unshownUntil({ createdAt, seenAt }: RecordedUser, consistency: number | undefined): number {
  if (createdAt === undefined || seenAt !== undefined) return 0;
  return Date.parse(createdAt) + consistencyWindow(consistency);
}

/**
 * Milliseconds since the epoch, by the clock of the reading: from when on a call that no read shows counts as not done. Both the
 * clocks of machines and those of servers are set now and then, so that the window must be over by either. Undefined where no server
 * tells the time: then only reads that show the call, or a person, can decide.
 */
export function decidedFrom(
  { at, dated, accepted, declined }: OpenIntent,
  { readAt, times }: Pick<Snapshot, "readAt" | "times">,
  { queues }: Pick<State, "queues">,
  consistency: number | undefined,
): number | undefined {
  const time = dated === undefined ? undefined : times?.[dated.by];
  if (dated === undefined || time === undefined) return undefined;
  // A run that died may have been told that the call is taken for later, and have recorded nothing of it; a refusal is told at once.
  const mayBeQueued = accepted === true || (queues !== undefined && declined === undefined);
  const window = settlementWindow(consistency, { mayBeQueued });
  const left = Date.parse(dated.at) + window - Date.parse(time);
  return Math.max(Date.parse(at) + window, Date.parse(readAt) + left);
}

/** Whether that time has come. */
export function isDecided(
  open: OpenIntent,
  reading: Pick<Snapshot, "readAt" | "times">,
  state: Pick<State, "queues">,
  consistency: number | undefined,
): boolean {
  const from = decidedFrom(open, reading, state, consistency);
  return from !== undefined && Date.parse(reading.readAt) >= from;
}

/** A short name of an announced call, to be told and typed: the same for as long as the call is open. */
export function callIdOf(
  { run, action }: Pick<OpenIntent, "run" | "action">,
  digest: (text: string) => string,
): string {
  return digest(`${run}\n${action}`).slice(0, 8);
}

/** That the founding by an open call was not done, under the name with which the call was sent. Undefined where it founds no team. */
export function absentFoundingOf(open: OpenIntent, digest: (text: string) => string): Exception | undefined {
  const founds = open.intent.kind === "create-user" ? open.intent.founds : undefined;
  if (founds === undefined) return undefined;
  return { is: "absent-founding", team: foldName(founds.name), call: callIdOf(open, digest) };
}

/** The run that holds a lock. What a store's protocol does not say is absent. */
export interface LockHolder {
  /** Names this holding of the lock apart from every other. */
  readonly id: string;
  /** Such as `ada@build-7`. */
  readonly who?: string;
  readonly operation?: string;
  /** ISO 8601, when the lock was taken. */
  readonly since?: string;
  /** Milliseconds since the holder last gave a sign of life, by the store's own clock. */
  readonly silentFor?: number;
  /** Counts the holders: a holder with a lower number can record nothing any more. */
  readonly fence?: number;
}

/** Who holds a lock, since when and for what: `by ada@build-7 for apply since 2026-11-20T09:00:00.000Z, silent for 14 min`. */
export function formatLockHolder({ who, operation, since, silentFor }: LockHolder): string {
  const doing = operation === undefined ? "" : ` for ${operation}`;
  const from = since === undefined ? "" : ` since ${since}`;
  const silent = silentFor === undefined || silentFor < usualSilence ? "" : `, silent for ${formatSilence(silentFor)}`;
  return `by ${who ?? "an unknown run"}${doing}${from}${silent}`;
}

/** A living holder gives several signs of life within this many milliseconds. */
const usualSilence = 60_000;

function formatSilence(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
