import { problem, type Result, success } from "../model/result.ts";
import type { ObservedAccount, Snapshot } from "../model/snapshot.ts";
import type { SnapshotFile } from "../model/snapshot-file.ts";
import { emptyState, holdsNothing, type State } from "../model/state.ts";
import { checksumFault, documentText, type Fields, fieldsOf } from "./checked-document.ts";
import { validSnapshot } from "./generated/snapshot.js";
import { quoted } from "./quoted.ts";
import { shapeFault } from "./shape-fault.ts";
import { snapshotFault } from "./snapshot-faults.ts";
import { inKeptOrder } from "./snapshot-order.ts";
import type { AccountFields, SnapshotDocument } from "./snapshot-shape.ts";
import { decodeState, encodeState } from "./state-format.ts";

/** The version of the format that this program writes, and the newest that it reads. */
const snapshotVersion = "1.0";

/** What every snapshot file begins with. */
export const snapshotMark = '{\n"document": "roster snapshot",\n';

type Digest = (text: string) => string;

/**
 * The same world is always the same text, times aside: everything in one order, of ASCII alone. Of the state it holds what
 * planning needs.
 */
export function encodeSnapshot(file: SnapshotFile, digest: Digest): string {
  const { addresses, keyInUse } = file;
  const snapshot = inKeptOrder(file.snapshot);
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
  return documentText(head, content, digest);
}

function accountFields([asked, { memberStatuses, ...account }]: readonly [string, ObservedAccount]): AccountFields {
  if (memberStatuses === undefined) return { asked, ...account };
  return { asked, ...account, memberStatuses: [...memberStatuses].map(([address, status]) => ({ address, status })) };
}

/** Without what runs note of themselves and what a drift has seen: no plan rests on these. */
export function stateForPlanning(state: State): State {
  const { sequence: _order, planFiles: _files, sightings: _seen, moved: _moved, ...known } = state;
  return holdsNothing(state) ? emptyState("") : { ...known, serial: Math.max(1, state.serial) };
}

function stateFields(state: State): { readonly state?: unknown } {
  const known = stateForPlanning(state);
  return holdsNothing(known) ? {} : { state: JSON.parse(encodeState(known)) };
}

/**
 * Reads a snapshot file back. It must be byte for byte as it was written: so that nothing in it goes unread, and nothing stands
 * in it twice. The error is one sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodeSnapshot(text: string, digest: Digest): Result<SnapshotFile, string> {
  const json = fieldsOf(text);
  if (!json.ok) return json;
  const { value: document } = json;
  const refusal = headFault(document) ?? checksumFault(document, digest) ?? faultOfShape(document);
  if (refusal !== undefined) return problem(refusal);
  const valid = document as unknown as SnapshotDocument;
  const state = stateOf(valid);
  if (!state.ok) return state;
  const fault = snapshotFault(valid, state.value);
  if (fault !== undefined) return problem(fault);
  const file = fileOf(valid, state.value);
  return encodeSnapshot(file, digest) === text ? success(file) : problem(otherwiseWritten(file));
}

function headFault({ document, format_version: version }: Fields): string | undefined {
  if (document !== "roster snapshot") return "it is no snapshot: `roster observe --out FILE` writes one";
  if (version === snapshotVersion) return undefined;
  return `its format_version is ${quoted(version)}, and this version of roster reads ${snapshotVersion}`;
}

function faultOfShape(document: Fields): string | undefined {
  return validSnapshot(document) ? undefined : shapeFault(validSnapshot.errors?.[0]);
}

function stateOf({ state }: SnapshotDocument): Result<State, string> {
  if (state === undefined) return success(emptyState(""));
  const decoded = decodeState(JSON.stringify(state), "state");
  return decoded.ok ? decoded : problem(`of its field state, ${decoded.error.message}`);
}

function otherwiseWritten({ madeBy }: SnapshotFile): string {
  return `it is not as roster writes it, with something twice, added or laid out otherwise; it says that roster ${madeBy} made it`;
}

function fileOf(document: SnapshotDocument, state: State): SnapshotFile {
  const { key_check: check, key_in_use: keyInUse } = document;
  return {
    madeAt: document.made_at,
    madeBy: document.made_by,
    addresses: check === undefined ? { are: "plain" } : { are: "hashed", check },
    accounts: document.accounts_are,
    ...(keyInUse === undefined ? {} : { keyInUse }),
    snapshot: readSnapshot(document),
    state,
  };
}

function readSnapshot(document: SnapshotDocument): Snapshot {
  const { roles, accounts, users, absences, readings } = document;
  return {
    service: document.service,
    readAt: document.read_at,
    reads: document.reads,
    readings: new Map(readings.map(({ read, ...reading }) => [read, reading])),
    roles: { known: "observed", value: roles, by: document.roles_by },
    accounts: new Map(accounts.map((account) => [account.asked, accountOf(account)])),
    users,
    absences: new Map(absences.map(({ address, ...absence }) => [address, absence])),
    everyone: document.everyone,
    capabilities: document.capabilities,
    ...(document.unread === undefined ? {} : { unread: document.unread }),
  };
}

function accountOf({ asked: _, memberStatuses, ...account }: AccountFields): ObservedAccount {
  if (memberStatuses === undefined) return account;
  return { ...account, memberStatuses: new Map(memberStatuses.map(({ address, status }) => [address, status])) };
}
