import type { EmailKey } from "./address.ts";
import { decisionWindow } from "./capabilities.ts";
import type { RecordedAccess, RecordedKey, SeenKey } from "./key.ts";
import type { MembershipKey, RecordedMembership } from "./membership.ts";
import type {
  OpenFinding,
  OpenIntent,
  RecordedAllowance,
  RecordedRefusal,
  RecordedRun,
  StateDocument,
  TeamKey,
} from "./recorded.ts";
import { sha256 } from "./sha256.ts";
import type { Snapshot } from "./snapshot.ts";
import type { RecordedTeam } from "./team.ts";
import type { RecordedUser } from "./user.ts";

/**
 * What the events of a log add up to, as `recorded.ts` declares it, with maps instead of lists of records. Never a reason to believe
 * that something is gone.
 */
export interface State
  extends Omit<StateDocument, "version" | "applied" | "open" | "presumedUndone" | Listed<StateDocument>>,
    Pick<StateDocument, "open" | "presumedUndone"> {
  readonly users: ReadonlyMap<EmailKey, RecordedUser>;
  readonly teams: ReadonlyMap<TeamKey, RecordedTeam>;
  readonly memberships: ReadonlyMap<MembershipKey, RecordedMembership>;
  readonly keys: ReadonlyMap<string, RecordedKey>;
  /** By prefix: the access that calls gave. */
  readonly access: ReadonlyMap<string, RecordedAccess>;
  readonly runs: ReadonlyMap<string, RecordedRun>;
  /** By prefix: what a read has shown of keys that no run has written since. */
  readonly seenKeys?: ReadonlyMap<string, SeenKey>;
  readonly refusals: ReadonlyMap<string, RecordedRefusal>;
  /** By the codes without their digits: the last that was used of each. */
  readonly allowances?: ReadonlyMap<string, RecordedAllowance>;
  /** By their ids, in the order in which they were begun. */
  readonly planFiles?: ReadonlyMap<string, { readonly at: string }>;
  /** The people of the last applied roster. A user of the service who is in it, and not in the roster now, was dropped. */
  readonly applied?: Omit<NonNullable<StateDocument["applied"]>, "people"> & {
    readonly people: ReadonlyMap<EmailKey, { readonly email: string }>;
  };
  readonly openFindings?: ReadonlyMap<string, OpenFinding>;
}

/** What a stored state has as a list of records. */
type Listed<T> = { [Name in keyof T]-?: NonNullable<T[Name]> extends readonly unknown[] ? Name : never }[keyof T];

/** Where a log ends: the position of its last line, counted from 1, and the hash of that line. */
export interface LogHead {
  readonly position: number;
  readonly hash: string;
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
export function withoutRecords({ seenKeys: _, former: _former, allowances: _allowed, ...state }: State): State {
  const { users, teams, memberships, keys, access, refusals } = emptyState(state.lineage);
  return { ...state, users, teams, memberships, keys, access, refusals };
}

export function emptyState(lineage: string): State {
  return {
    lineage,
    serial: 0,
    users: new Map(),
    teams: new Map(),
    memberships: new Map(),
    keys: new Map(),
    access: new Map(),
    runs: new Map(),
    open: [],
    refusals: new Map(),
  };
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
  const window = decisionWindow(consistency, { mayBeQueued });
  const left = Date.parse(dated.at) + window - Date.parse(time);
  return Math.max(Date.parse(at) + window, Date.parse(readAt) + left);
}

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
export function callIdOf({ run, action }: Pick<OpenIntent, "run" | "action">): string {
  return sha256(`${run}\n${action}`).slice(0, 8);
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

export function formatHead({ position, hash }: LogHead): string {
  return `${position}:${hash}`;
}
