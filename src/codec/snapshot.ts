import { problem, type Result, success } from "../model/result.ts";
import type { ObservedAccount, Snapshot } from "../model/snapshot.ts";
import type { SnapshotFile } from "../model/snapshot-file.ts";
import { emptyState, isUnusedState, type State } from "../model/state.ts";
import { checksumProblem, type DocumentFields, encodeDocument, parseDocument } from "./checked-document.ts";
import { validSnapshot } from "./generated/snapshot.js";
import { quoted } from "./quoted.ts";
import { schemaProblem } from "./shape-fault.ts";
import { snapshotProblem } from "./snapshot-faults.ts";
import { canonicalSnapshot } from "./snapshot-order.ts";
import type { AccountFields, SnapshotDocument } from "./snapshot-shape.ts";
import { decodeState, encodeState } from "./state-format.ts";

/** The version of the format that this program writes, and the newest that it reads. */
const snapshotVersion = "1.0";

/** What every snapshot file begins with. */
export const snapshotFileHeader = '{\n"document": "roster snapshot",\n';

type Digest = (text: string) => string;

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

function snapshotHeaderProblem({ document, format_version: version }: DocumentFields): string | undefined {
  if (document !== "roster snapshot") return "it is no snapshot: `roster observe --out FILE` writes one";
  if (version === snapshotVersion) return undefined;
  return `its format_version is ${quoted(version)}, and this version of roster reads ${snapshotVersion}`;
}

function snapshotSchemaProblem(document: DocumentFields): string | undefined {
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
