import { type EmailKey, foldAddress } from "../model/address.ts";
import { byCodeUnit } from "../model/collections.ts";
import { observed } from "../model/fact.ts";
import type { SnapshotFile } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { roleSet, sameRoles } from "../model/role-set.ts";
import type { ObservedAccount, ObservedRole, Snapshot } from "../model/snapshot.ts";
import { emptyState, isUnusedState, type State } from "../model/state.ts";
import type { ObservedUser } from "../model/user.ts";
import { canonicalJson, type Digest, encodeDocument, quoted, readDocument } from "./document.ts";
import { validSnapshot } from "./generated/snapshot.js";
import { type Codec, entries, fields, inline, type JsonObject, plain, sortedMap, verbatim } from "./mapping.ts";
import { decodeStateDocument, encodeStateDocument } from "./state.ts";

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
  const written = content.encode({ ...file, ...canonicalSnapshot(file.snapshot), accountsAre: file.accounts });
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
  const file = decodeFile(document, state.value);
  const fault = snapshotProblem(file, document);
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

function decodeFile(document: JsonObject, state: State): SnapshotFile {
  const { madeAt, madeBy, accountsAre, keyInUse, ...snapshot } = content.decode(document);
  const file = { madeAt, madeBy, accounts: accountsAre, snapshot, state };
  return keyInUse === undefined ? file : { ...file, keyInUse };
}

/** A file and its snapshot in one, as the document has them. */
interface SnapshotContent extends Snapshot, Pick<SnapshotFile, "madeAt" | "madeBy" | "keyInUse"> {
  readonly accountsAre: SnapshotFile["accounts"];
}

const roles: Codec<Snapshot["roles"], JsonObject> = {
  encode: (roles) =>
    roles.known === "observed" ? { roles: roles.value, roles_by: roles.by } : { roles: [], roles_by: "nothing" },
  decode: (written) => {
    const { roles, roles_by } = written as { readonly roles: readonly ObservedRole[]; readonly roles_by: string };
    return observed(roles, roles_by);
  },
};

const status: Codec<string, JsonObject> = {
  encode: (status) => ({ status }),
  decode: (written) => (written as { readonly status: string }).status,
};

const memberStatuses: Codec<ReadonlyMap<EmailKey, string>> = entries("address", plain, status);

const account: Codec<ObservedAccount, JsonObject> = {
  encode: ({ memberStatuses: statuses, ...account }) =>
    statuses === undefined ? account : { ...account, memberStatuses: memberStatuses.encode(statuses) },
  decode: (written) => {
    const { memberStatuses: statuses, ...account } = written as ObservedAccount;
    return statuses === undefined ? account : { ...account, memberStatuses: memberStatuses.decode(statuses) };
  },
};

/** Records of a schema that is closed stand as they are. */
const content = fields<SnapshotContent>({
  madeAt: plain,
  madeBy: plain,
  service: plain,
  readAt: plain,
  times: verbatim,
  reads: plain,
  everyone: verbatim,
  capabilities: verbatim,
  unread: verbatim,
  keyInUse: plain,
  readings: entries("read", plain, verbatim),
  roles: inline(roles),
  accountsAre: plain,
  accounts: entries("asked", plain, account),
  users: verbatim,
  absences: entries("address", plain, verbatim),
});

type SnapshotCheck = (file: SnapshotFile, document: JsonObject) => string | undefined;

/** What a valid document says against itself: one sentence without a trailing stop. */
function snapshotProblem(file: SnapshotFile, document: JsonObject): string | undefined {
  for (const check of snapshotChecks) {
    const fault = check(file, document);
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
  const others: readonly string[] = [...absences.keys(), ...[...accounts.values()].flatMap(accountMembers)];
  const wrong = others.find((address) => foldAddress(address) !== address);
  return wrong === undefined ? undefined : `the address ${quoted(wrong)} is not in lower case`;
}

function accountMembers({ members = [], memberStatuses }: ObservedAccount): readonly EmailKey[] {
  return [...members, ...(memberStatuses?.keys() ?? [])];
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
  readonly address?: EmailKey;
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
