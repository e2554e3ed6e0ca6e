import type { EmailKey } from "./address.ts";
import { described, extended, integer, list, literal, object, optional, type Static } from "./declare.ts";
import { type RecordedAccess, type RecordedKey, recordedAccess, recordedKey, type SeenKey, seenKey } from "./key.ts";
import { type MembershipKey, membership, type RecordedMembership } from "./membership.ts";
import {
  actor,
  capabilities,
  name,
  type OpenFinding,
  type OpenIntent,
  openFinding,
  openIntent,
  people,
  type RecordedRefusal,
  refusal,
  type TeamKey,
  text,
  time,
  writes,
} from "./recorded.ts";
import { sha256 } from "./sha256.ts";
import { type RecordedTeam, recordedTeam } from "./team.ts";
import { type RecordedUser, recordedUser } from "./user.ts";

/** Recorded before the calls that it lets pass: what is left of its list is covered until these are sent. */
export type RecordedAllowance = Static<typeof recordedAllowance>;
export const allowance = object({ code: name, covers: list(text, { minItems: 1 }) });
const recordedAllowance = extended({ at: time }, allowance);

/** Where a log ends: the position of its last line, counted from 1, and the hash of that line. */
export type LogHead = Static<typeof logHead>;
export const logHead = object({ position: integer({ minimum: 1 }), hash: name });

export type RecordedRun = Static<typeof recordedRun>;
export const recordedRun = object("A run that announced a call: who ran it, from which commit.", {
  run: name,
  actor: optional(actor),
  commit: optional(text),
});

export const sequence = integer({
  minimum: 0,
  maximum: 9007199254740991,
  description:
    "The number of an apply in a sequence, such as the number of a pipeline run. The state has the highest one.",
});

/** A state as it is stored: lists of records, where the program has maps by their keys. */
export type StateDocument = Static<typeof state>;
export const state = object({
  version: described(literal(2), "The version of this format."),
  lineage: described(name, "Names this log apart from every other; given once, at its creation."),
  serial: described(
    integer({ minimum: 1, maximum: 9007199254740991 }),
    "The position of the last event that is in it.",
  ),
  users: list(recordedUser),
  teams: list(recordedTeam),
  memberships: list(membership),
  keys: list(recordedKey),
  access: list(recordedAccess, { description: "Which access calls gave, since when, and by which run." }),
  runs: list(recordedRun, { description: "The runs that announced calls." }),
  former: optional(
    object(
      "Users who were gone when the log was pruned, as digests of their addresses. roster does not create them again. Absent without such users.",
      { before: time, users: list(name) },
    ),
  ),
  seenKeys: optional(
    list(seenKey, {
      minItems: 1,
      description:
        "What reads showed of keys that no run has written since. Drift compares the service with it. Absent without such keys.",
    }),
  ),
  open: list(openIntent, { description: "Recorded calls with an unknown outcome, oldest first." }),
  /** A read that shows the user later refutes it. */
  presumedUndone: optional(
    list(openIntent, {
      minItems: 1,
      description:
        "Calls that create a user with a team, which no read showed. If a later read shows the user, roster counts the team as created. Absent without such calls.",
    }),
  ),
  refusals: optional(
    list(refusal, {
      description: "Requests that the service refused and would refuse again. Absent without refusals.",
    }),
  ),
  allowances: optional(
    list(recordedAllowance, {
      minItems: 1,
      description:
        "The last code of each kind and subject that an apply used, and what it covered. Absent where none was used.",
    }),
  ),
  planFiles: optional(
    list(object({ file: name, at: time }), {
      maxItems: 100,
      description: "The ids and times of the last applied plan files, oldest first. Absent without plan files.",
    }),
  ),
  applied: optional(
    object(
      "The last roster that was applied completely: its time, digest and users. Also users that were removed earlier and are still open. Absent before the first apply.",
      { at: time, digest: name, people },
    ),
  ),
  openFindings: optional(
    list(openFinding, {
      minItems: 1,
      maxItems: 10000,
      description:
        "What the last recorded runs saw to differ from the roster, and since when. Absent where that was nothing.",
    }),
  ),
  service: optional(described(name, "The base address of the service that this state is about.")),
  epoch: optional(
    described(
      time,
      "When you last allowed `service-reset`. The state has no users, teams, members or keys from before that time. Absent if you never did.",
    ),
  ),
  sequence: optional(sequence),
  moved: optional(
    object(
      "Where the log goes on, and since when: what is left here is no longer used. Absent where it was not copied.",
      { to: name, at: time },
    ),
  ),
  pruned: optional(
    object(
      "When the log was last pruned. All events from before a time are in its exports. Absent where it never was.",
      {
        before: time,
        at: time,
      },
    ),
  ),
  queues: optional(
    object(
      "When this service last accepted a call for later. The outcome of a call may show a long time after it was sent. Absent where it never did.",
      { at: time },
    ),
  ),
  capabilities: optional(
    object("What this service was last found to show, and when.", { learned: capabilities, at: time }),
  ),
  writes: optional(writes),
});

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
