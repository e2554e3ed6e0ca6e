import { type FoldedAddress, foldAddress } from "../model/address.ts";
import type { Capabilities, UnreadField } from "../model/capabilities.ts";
import { problem, type Result, success } from "../model/result.ts";
import { byCodeUnit, roleSet, sameRoles } from "../model/role-set.ts";
import type { SnapshotFile } from "../model/saved-files.ts";
import type {
  Absence,
  ObservedAccount,
  ObservedRole,
  ObservedUser,
  ReadRecord,
  Snapshot,
  UserListStatus,
} from "../model/snapshot.ts";
import { emptyState, isUnusedState, type State } from "../model/state.ts";
import {
  canonicalJson,
  checksumProblem,
  type Digest,
  encodeDocument,
  parseDocument,
  quoted,
  schemaProblem,
} from "./document.ts";
import { validSnapshot } from "./generated/snapshot.js";
import type { JsonObject } from "./mapping.ts";
import { isPseudonym } from "./pseudonymize.ts";
import { decodeState, encodeState } from "./state.ts";

/** The version of the format that this program writes, and the newest that it reads. */
const snapshotVersion = "1.0";

/** What every snapshot file begins with. */
export const snapshotFileHeader = '{\n"document": "roster snapshot",\n';

/**
 * The same world is always the same text, times aside: everything in one order, of ASCII alone. Of the state it holds what
 * planning needs.
 */
export function encodeSnapshot(file: SnapshotFile, digest: Digest): string {
  const { addresses, keyInUse } = file;
  const snapshot = canonicalSnapshot(file.snapshot);
  const { roles, readings, accounts, absences } = snapshot;
  const head = { document: "roster snapshot", format_version: snapshotVersion };
  const content = {
    made_at: file.madeAt,
    made_by: file.madeBy,
    addresses: addresses.are,
    ...(addresses.are === "hashed" ? { key_check: addresses.check } : {}),
    service: snapshot.service,
    read_at: snapshot.readAt,
    reads: snapshot.reads,
    everyone: snapshot.everyone,
    capabilities: snapshot.capabilities,
    ...(snapshot.unread === undefined ? {} : { unread: snapshot.unread }),
    ...(keyInUse === undefined ? {} : { key_in_use: keyInUse }),
    readings: [...readings].map(([read, reading]) => ({ read, ...reading })),
    roles: roles.known === "observed" ? roles.value : [],
    roles_by: roles.known === "observed" ? roles.by : "nothing",
    accounts_are: file.accounts,
    accounts: [...accounts].map(accountFields),
    users: snapshot.users,
    absences: [...absences].map(([address, absence]) => ({ address, ...absence })),
    ...stateFields(file.state),
  };
  return encodeDocument(head, content, digest);
}

function accountFields([asked, { memberStatuses, ...account }]: readonly [string, ObservedAccount]): AccountFields {
  if (memberStatuses === undefined) return { asked, ...account };
  return { asked, ...account, memberStatuses: [...memberStatuses].map(([address, status]) => ({ address, status })) };
}

/** Without what runs note of themselves and what a drift has seen: no plan rests on these. */
export function stateForPlanning(state: State): State {
  const { sequence: _order, planFiles: _files, sightings: _seen, moved: _moved, ...known } = state;
  return isUnusedState(state) ? emptyState("") : { ...known, serial: Math.max(1, state.serial) };
}

function stateFields(state: State): { readonly state?: unknown } {
  const known = stateForPlanning(state);
  return isUnusedState(known) ? {} : { state: JSON.parse(encodeState(known)) };
}

/**
 * Reads a snapshot file back. It must be byte for byte as it was written: so that nothing in it goes unread, and nothing stands
 * in it twice. The error is one sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodeSnapshot(text: string, digest: Digest): Result<SnapshotFile, string> {
  const json = parseDocument(text);
  if (!json.ok) return json;
  const { value: document } = json;
  const refusal =
    snapshotHeaderProblem(document) ?? checksumProblem(document, digest) ?? snapshotSchemaProblem(document);
  if (refusal !== undefined) return problem(refusal);
  const valid = document as unknown as SnapshotDocument;
  const state = decodeEmbeddedState(valid);
  if (!state.ok) return state;
  const fault = snapshotProblem(valid, state.value);
  if (fault !== undefined) return problem(fault);
  const file = decodeFile(valid, state.value);
  return encodeSnapshot(file, digest) === text ? success(file) : problem(notCanonicalSnapshot(file));
}

function snapshotHeaderProblem({ document, format_version: version }: JsonObject): string | undefined {
  if (document !== "roster snapshot") return "it is no snapshot: `roster observe --out FILE` writes one";
  if (version === snapshotVersion) return undefined;
  return `its format_version is ${quoted(version)}, and this version of roster reads ${snapshotVersion}`;
}

function snapshotSchemaProblem(document: JsonObject): string | undefined {
  return validSnapshot(document) ? undefined : schemaProblem(validSnapshot.errors?.[0]);
}

function decodeEmbeddedState({ state }: SnapshotDocument): Result<State, string> {
  if (state === undefined) return success(emptyState(""));
  const decoded = decodeState(JSON.stringify(state), "state");
  return decoded.ok ? decoded : problem(`of its field state, ${decoded.error.message}`);
}

function notCanonicalSnapshot({ madeBy }: SnapshotFile): string {
  return `it is not as roster writes it, with something twice, added or laid out otherwise; it says that roster ${madeBy} made it`;
}

function decodeFile(document: SnapshotDocument, state: State): SnapshotFile {
  const { key_check: check, key_in_use: keyInUse } = document;
  return {
    madeAt: document.made_at,
    madeBy: document.made_by,
    addresses: check === undefined ? { are: "plain" } : { are: "hashed", check },
    accounts: document.accounts_are,
    ...(keyInUse === undefined ? {} : { keyInUse }),
    snapshot: decodeReads(document),
    state,
  };
}

function decodeReads(document: SnapshotDocument): Snapshot {
  const { roles, accounts, users, absences, readings } = document;
  return {
    service: document.service,
    readAt: document.read_at,
    reads: document.reads,
    readings: new Map(readings.map(({ read, ...reading }) => [read, reading])),
    roles: { known: "observed", value: roles, by: document.roles_by },
    accounts: new Map(accounts.map((account) => [account.asked, decodeAccount(account)])),
    users,
    absences: new Map(absences.map(({ address, ...absence }) => [address, absence])),
    everyone: document.everyone,
    capabilities: document.capabilities,
    ...(document.unread === undefined ? {} : { unread: document.unread }),
  };
}

function decodeAccount({ asked: _, memberStatuses, ...account }: AccountFields): ObservedAccount {
  if (memberStatuses === undefined) return account;
  return { ...account, memberStatuses: new Map(memberStatuses.map(({ address, status }) => [address, status])) };
}

type SnapshotCheck = (document: SnapshotDocument, state: State) => string | undefined;

/** What a valid document says against itself: one sentence without a trailing stop. */
function snapshotProblem(document: SnapshotDocument, state: State): string | undefined {
  for (const check of snapshotChecks) {
    const fault = check(document, state);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const snapshotChecks: readonly SnapshotCheck[] = [
  ({ made_at, read_at, readings }) => {
    const times = [["made_at", made_at], ["read_at", read_at], ...readings.map(({ read, at }) => [read, at])];
    const wrong = times.find(([, at = ""]) => Number.isNaN(Date.parse(at)));
    return wrong && `the time ${quoted(wrong[1])} of ${quoted(wrong[0])} is none`;
  },
  ({ addresses, key_check: check }) =>
    (addresses === "hashed") === (check !== undefined)
      ? undefined
      : "key_check stands there where, and only where, addresses are hashed",
  ({ service }, state) =>
    state.service === undefined || state.service === service
      ? undefined
      : `its state is about the service ${quoted(state.service)}, and its reads are of ${quoted(service)}`,
  unfoldedAddress,
  ({ users, absences }) => {
    const there = new Set<string>(users.map(({ address }) => address));
    const both = absences.find(({ address }) => there.has(address));
    return both && `/absences names ${quoted(both.address)}, who is among /users`;
  },
  ({ users }) => {
    const lists = users.flatMap(({ keys = [] }) => keys.flatMap(({ roles }) => (roles === undefined ? [] : [roles])));
    const wrong = lists.find((roles) => !sameRoles(roles, roleSet(roles)));
    return wrong && `the roles ${quoted(wrong)} of a key are not sorted, or name one twice`;
  },
  plainAddressAmongHashed,
];

/** An address that is not folded would be nobody's. */
function unfoldedAddress({ users, accounts, absences }: SnapshotDocument): string | undefined {
  const user = users.find(({ email, address }) => foldAddress(email) !== address);
  if (user !== undefined) return `/users: the address of ${quoted(user.email)} is not ${quoted(user.address)}`;
  const others: readonly string[] = [...absences.map(({ address }) => address), ...accounts.flatMap(accountMembers)];
  const wrong = others.find((address) => foldAddress(address) !== address);
  return wrong === undefined ? undefined : `the address ${quoted(wrong)} is not written as it is compared`;
}

function accountMembers({
  members = [],
  memberStatuses = [],
}: SnapshotDocument["accounts"][number]): readonly string[] {
  return [...members, ...memberStatuses.map(({ address }) => address)];
}

function plainAddressAmongHashed({ addresses, users, accounts, absences }: SnapshotDocument): string | undefined {
  if (addresses === "plain") return undefined;
  const all = [...users, ...absences].map(({ address }): string => address);
  const plain = [...all, ...accounts.flatMap(accountMembers)].find((address) => !isPseudonym(address));
  return plain === undefined ? undefined : `it says that addresses are hashed, and ${quoted(plain)} is not`;
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

function canonicalAccount({ members, memberStatuses, ...account }: ObservedAccount): ObservedAccount {
  return {
    ...account,
    ...(members === undefined ? {} : { members: [...members].sort(byCodeUnit) }),
    ...(memberStatuses === undefined ? {} : { memberStatuses: sortedMap(memberStatuses) }),
  };
}

function canonicalUser({ keys, ...user }: ObservedUser): ObservedUser {
  return keys === undefined ? user : { ...user, keys: sorted(keys) };
}

interface Sortable {
  readonly address?: FoldedAddress;
  readonly identifier?: string;
  readonly prefix?: string;
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

function sortedMap<Key extends string, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return new Map([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** A snapshot file, once it is known to be valid, its addresses folded: described by `schemas/snapshot.schema.json`. */
interface SnapshotDocument {
  readonly document: "roster snapshot";
  readonly format_version: string;
  readonly checksum: string;
  readonly made_at: string;
  readonly made_by: string;
  readonly addresses: "plain" | "hashed";
  readonly key_check?: string;
  readonly service: string;
  readonly read_at: string;
  readonly reads: number;
  readonly readings: readonly ({ readonly read: string } & ReadRecord)[];
  readonly everyone: UserListStatus & { readonly read: "complete" };
  readonly capabilities: Capabilities;
  readonly unread?: readonly UnreadField[];
  readonly key_in_use?: string;
  readonly roles: readonly ObservedRole[];
  readonly roles_by: string;
  readonly accounts_are: "all" | "named";
  readonly accounts: readonly AccountFields[];
  readonly users: readonly ObservedUser[];
  readonly absences: readonly ({ readonly address: FoldedAddress } & Absence)[];
  /** As its own file holds it; absent where nothing was ever kept. */
  readonly state?: Readonly<Record<string, unknown>>;
}

interface AccountFields extends Omit<ObservedAccount, "memberStatuses"> {
  /** By which identifier it was asked for. */
  readonly asked: string;
  readonly memberStatuses?: readonly { readonly address: FoldedAddress; readonly status: string }[];
}
