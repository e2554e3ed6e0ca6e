import { changeOf, checksum, encodeDocument, quoted, readDocument } from "../codec/document.ts";
import type { Validator } from "../codec/generated/snapshot.js";
import { publish, readPublished } from "../codec/publish.ts";
import { isUnusedState } from "../codec/state.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";
import { byCodeUnit, sortedMap } from "../model/collections.ts";
import * as t from "../model/declare.ts";
import { observed } from "../model/fact.ts";
import { canonicalJson, type JsonObject } from "../model/json.ts";
import { problem, type Result, success } from "../model/result.ts";
import { completeList, type ObservedAccount, observedRole, reading, type Snapshot } from "../model/snapshot.ts";
import { emptyState, type State, stateDocument } from "../model/state.ts";
import type { ObservedUser } from "../model/user.ts";
import { name, time } from "../model/values.ts";

const snapshotFile = t.object({
  madeAt: time,
  madeBy: t.string({ minLength: 1, maxLength: 100, description: "The version of roster that wrote it." }),
  keyInUse: t.optional(name, "The prefix of the key that read this, if the service shows it among a user's keys."),
  everyone: t.described(completeList, "The read that listed all users. A snapshot always has the complete list."),
  rolesBy: name,
  roles: t.list(observedRole, "The roles of the service."),
  accountsAre: t.described(
    t.oneOf("all", "named"),
    "`all`: every account that the key can see. `named`: the accounts from the settings or a roster.",
  ),
  ...reading,
  state: t.optional(t.verbatim(stateDocument)),
});
export const snapshotDocument = t.extended(
  {
    document: t.described(t.literal("roster snapshot"), "What this is."),
    formatVersion: t.described(t.literal("2.0"), "Major and minor version of this format."),
    checksum,
  },
  snapshotFile,
);

/** What one run has read of a service, kept for plans that are made without a key: all that they rest on but the roster. */
export interface SnapshotFile
  extends Pick<t.Static<typeof snapshotFile>, "madeAt" | "madeBy" | "keyInUse" | "accountsAre"> {
  readonly snapshot: Snapshot;
  /** What planning needs of the state, as it was read: calls that were open are open. */
  readonly state: State;
}

const snapshotVersion = "2.0";

/** The same world is always the same text, times aside: in one order, of ASCII alone. */
export function encodeSnapshot({ snapshot, state, ...file }: SnapshotFile): string {
  const { everyone, roles, ...reading } = canonicalSnapshot(snapshot);
  if (everyone.read !== "complete" || roles.known !== "observed")
    throw new Error("a snapshot lists all users and roles");
  const needed = stateForPlanning(state);
  const content = publish(snapshotFile, {
    ...reading,
    ...file,
    everyone,
    roles: roles.value,
    rolesBy: roles.by,
    state: isUnusedState(needed) ? undefined : { ...needed, version: 2 },
  });
  return encodeDocument({ document: "roster snapshot", format_version: snapshotVersion }, content);
}

/** Without what runs note of themselves and what a drift has seen: no plan rests on these. */
export function stateForPlanning(state: State): State {
  const { sequence: _order, planFiles: _files, openFindings: _seen, moved: _moved, ...known } = state;
  return isUnusedState(state) ? emptyState("") : { ...known, serial: Math.max(1, state.serial) };
}

/**
 * Reads a snapshot file back. It must be byte for byte as it was written: so that nothing in it goes unread, and nothing stands
 * in it twice. The error is one sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodeSnapshot(text: string, isValid: Validator): Result<SnapshotFile, string> {
  const read = readDocument(text, snapshotKind, isValid);
  if (!read.ok) return read;
  const content = readPublished(snapshotFile, read.value);
  const { madeAt, madeBy, keyInUse, accountsAre, roles, rolesBy, state, ...reading } = content;
  const { version: _, ...known } = state ?? { ...emptyState(""), version: 2 };
  const snapshot = { ...reading, roles: observed(roles, rolesBy) };
  const file: SnapshotFile = { madeAt, madeBy, keyInUse, accountsAre, snapshot, state: known };
  const fault = snapshotProblem(file);
  if (fault !== undefined) return problem(fault);
  const changed = changeOf(text, encodeSnapshot(file), madeBy);
  return changed === undefined ? success(file) : problem(changed);
}

const snapshotKind = {
  version: snapshotVersion,
  otherKind: ({ document }: JsonObject) =>
    document === "roster snapshot" ? undefined : "it is not a snapshot that roster wrote",
};

/** What a valid document says against itself: one sentence without a trailing stop. */
function snapshotProblem({ madeAt, snapshot, state }: SnapshotFile): string | undefined {
  const { service, readAt, readings, users, absences } = snapshot;
  const reads = [...readings].map(([read, { at }]) => [read, at] as const);
  const wrong = [["made_at", madeAt] as const, ["read_at", readAt] as const, ...reads].find(([, at]) =>
    Number.isNaN(Date.parse(at)),
  );
  if (wrong !== undefined) return `the time ${quoted(wrong[1])} of ${quoted(wrong[0])} is not a time`;
  if (state.service !== undefined && state.service !== service)
    return `its state is for the service ${quoted(state.service)}, but its reads are for ${quoted(service)}`;
  const user = users.find(({ email, address }) => foldAddress(email) !== address);
  if (user !== undefined) return `/users: the address of ${quoted(user.email)} is not ${quoted(user.address)}`;
  const both = users.find(({ address }) => absences.has(address));
  return both && `/absences and /users both have ${quoted(both.address)}`;
}

/** The same snapshot in the one order in which it is kept: how the service and the reads arranged it is of no matter. */
export function canonicalSnapshot(snapshot: Snapshot): Snapshot {
  const { roles, accounts, users, absences, readings } = snapshot;
  return {
    ...snapshot,
    ...(roles.known === "observed" ? { roles: { ...roles, value: sorted(roles.value) } } : {}),
    accounts: sortedMap(new Map([...accounts].map(([identifier, account]) => [identifier, canonicalAccount(account)]))),
    users: sorted(users.map(canonicalUser)),
    absences: sortedMap(absences),
    readings: sortedMap(readings),
  };
}

function canonicalAccount({ members, deletedMembers, ...account }: ObservedAccount): ObservedAccount {
  const [all, deleted] = [members?.toSorted(byCodeUnit), deletedMembers?.toSorted(byCodeUnit)];
  return { ...account, ...(all && { members: all }), ...(deleted && { deletedMembers: deleted }) };
}

function canonicalUser({ keys, ...user }: ObservedUser): ObservedUser {
  return keys === undefined ? user : { ...user, keys: sorted(keys) };
}

interface Sortable {
  readonly address?: EmailKey | undefined;
  readonly identifier?: string | undefined;
  readonly prefix?: string | undefined;
}

/** By what names a thing, and only where that does not tell by all that it says. */
function sorted<T extends Sortable>(things: readonly T[]): readonly T[] {
  return [...things].sort(
    (a, b) => byCodeUnit(sortName(a), sortName(b)) || byCodeUnit(canonicalJson(a), canonicalJson(b)),
  );
}

function sortName({ address, identifier, prefix }: Sortable): string {
  return address ?? prefix ?? identifier ?? "";
}
