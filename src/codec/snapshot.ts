import { type EmailKey, foldAddress } from "../model/address.ts";
import { byCodeUnit, sortedMap } from "../model/collections.ts";
import type { Static } from "../model/declare.ts";
import { observed } from "../model/fact.ts";
import type { SnapshotFile } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { roleSet, sameRoles } from "../model/role-set.ts";
import type { ObservedAccount, Snapshot, snapshotDocument } from "../model/snapshot.ts";
import { emptyState, isUnusedState, type State } from "../model/state.ts";
import type { ObservedUser } from "../model/user.ts";
import { canonicalJson, type Digest, encodeDocument, type JsonObject, quoted, readDocument } from "./document.ts";
import { validSnapshot } from "./generated/snapshot.js";
import { decodeStateDocument, encodeStateDocument } from "./state.ts";

type SnapshotDocument = Static<typeof snapshotDocument>;

/** The version of the format that this program writes, and the newest that it reads. */
const snapshotVersion = "2.0";

/** What every snapshot file begins with. */
export const snapshotFileHeader = '{\n"document": "roster snapshot",\n';

/**
 * The same world is always the same text, times aside: everything in one order, of ASCII alone. Of the state it holds what
 * planning needs.
 */
export function encodeSnapshot(file: SnapshotFile, digest: Digest): string {
  const head = { document: "roster snapshot", format_version: snapshotVersion };
  const written = documentOf(file);
  const state = stateForPlanning(file.state);
  return encodeDocument(
    head,
    isUnusedState(state) ? written : { ...written, state: encodeStateDocument(state) },
    digest,
  );
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
export function decodeSnapshot(text: string, digest: Digest): Result<SnapshotFile, string> {
  const read = readDocument(text, snapshotKind, digest);
  if (!read.ok) return read;
  const { value: document } = read;
  const state = decodeEmbeddedState(document["state"]);
  if (!state.ok) return state;
  const file = decodeFile(document as SnapshotDocument, state.value);
  const fault = snapshotProblem(file);
  if (fault !== undefined) return problem(fault);
  return encodeSnapshot(file, digest) === text ? success(file) : problem(notCanonicalSnapshot(file));
}

const snapshotKind = {
  version: snapshotVersion,
  schema: () => validSnapshot,
  otherKind({ document }: JsonObject) {
    if (document === "roster snapshot") return undefined;
    return "it is not a snapshot. `roster snapshot --out FILE` writes one";
  },
};

function decodeEmbeddedState(state: unknown): Result<State, string> {
  if (state === undefined) return success(emptyState(""));
  const decoded = decodeStateDocument(state, "state");
  return decoded.ok ? decoded : problem(`in its field state: ${decoded.error.message}`);
}

function notCanonicalSnapshot({ madeBy }: SnapshotFile): string {
  return `it was changed after roster ${madeBy} wrote it: something was added, repeated or formatted`;
}

/** A file and its snapshot in one: its longest lists stand last. */
function documentOf(file: SnapshotFile): Omit<SnapshotDocument, "document" | "format_version" | "checksum" | "state"> {
  const { service, readAt, times, reads, everyone, capabilities, unread, readings, roles, accounts, users, absences } =
    canonicalSnapshot(file.snapshot);
  if (everyone.read !== "complete") throw new Error("a snapshot lists all users");
  return {
    made_at: file.madeAt,
    made_by: file.madeBy,
    service,
    read_at: readAt,
    ...(times && { times }),
    reads,
    everyone,
    capabilities,
    ...(unread && { unread }),
    ...(file.keyInUse !== undefined && { key_in_use: file.keyInUse }),
    readings: [...readings].map(([read, record]) => ({ read, ...record })),
    roles: roles.known === "observed" ? roles.value : [],
    roles_by: roles.known === "observed" ? roles.by : "nothing",
    accounts_are: file.accounts,
    accounts: [...accounts].map(([asked, account]) => ({ asked, ...account })),
    users,
    absences: [...absences].map(([address, absence]) => ({ address, ...absence })),
  };
}

function decodeFile(document: SnapshotDocument, state: State): SnapshotFile {
  const { made_at, made_by, key_in_use, accounts_are, roles, roles_by, service, read_at, times, reads } = document;
  const { everyone, capabilities, unread, readings, accounts, users, absences } = document;
  return {
    madeAt: made_at,
    madeBy: made_by,
    ...(key_in_use !== undefined && { keyInUse: key_in_use }),
    accounts: accounts_are,
    snapshot: {
      service,
      readAt: read_at,
      ...(times && { times }),
      reads,
      everyone,
      capabilities,
      ...(unread && { unread }),
      readings: new Map(readings.map(({ read, ...record }) => [read, record])),
      roles: observed(roles, roles_by),
      accounts: new Map(accounts.map(({ asked, ...account }) => [asked, account])),
      users,
      absences: new Map(absences.map(({ address, ...absence }) => [address, absence])),
    },
    state,
  };
}

type SnapshotCheck = (file: SnapshotFile) => string | undefined;

/** What a valid document says against itself: one sentence without a trailing stop. */
function snapshotProblem(file: SnapshotFile): string | undefined {
  for (const check of snapshotChecks) {
    const fault = check(file);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const snapshotChecks: readonly SnapshotCheck[] = [
  ({ madeAt, snapshot: { readAt, readings } }) => {
    const reads = [...readings].map(([read, { at }]) => [read, at]);
    const wrong = [["made_at", madeAt], ["read_at", readAt], ...reads].find(([, at = ""]) =>
      Number.isNaN(Date.parse(at)),
    );
    return wrong && `the time ${quoted(wrong[1])} of ${quoted(wrong[0])} is not a time`;
  },
  ({ snapshot, state }) =>
    state.service === undefined || state.service === snapshot.service
      ? undefined
      : `its state is for the service ${quoted(state.service)}, but its reads are for ${quoted(snapshot.service)}`,
  unfoldedAddress,
  ({ snapshot: { users, absences } }) => {
    const there = new Set(users.map(({ address }) => address));
    const both = [...absences.keys()].find((address) => there.has(address));
    return both && `/absences and /users both have ${quoted(both)}`;
  },
  ({ snapshot: { users } }) => {
    const lists = users.flatMap(({ keys = [] }) => keys.flatMap(({ roles }) => (roles === undefined ? [] : [roles])));
    const wrong = lists.find((roles) => !sameRoles(roles, roleSet(roles)));
    return wrong && `the roles ${quoted(wrong)} of a key are not sorted, or have a duplicate`;
  },
];

/** An address that is not folded would be nobody's. */
function unfoldedAddress({ snapshot: { users, absences, accounts } }: SnapshotFile): string | undefined {
  const user = users.find(({ email, address }) => foldAddress(email) !== address);
  if (user !== undefined) return `/users: the address of ${quoted(user.email)} is not ${quoted(user.address)}`;
  const members = [...accounts.values()].flatMap(({ members = [], deletedMembers = [] }) => [
    ...members,
    ...deletedMembers,
  ]);
  const others: readonly string[] = [...absences.keys(), ...members];
  const wrong = others.find((address) => foldAddress(address) !== address);
  return wrong === undefined ? undefined : `the address ${quoted(wrong)} is not in lower case`;
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
