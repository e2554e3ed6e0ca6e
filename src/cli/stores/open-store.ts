import { lstat } from "node:fs/promises";
import { errorFromFailure, invalidSetting, type RosterError } from "../../library/error.ts";
import { type AddressSource, byPerson, sourceOf } from "../../library/stores/address.ts";
import { openStoreAt as openAt, refusingMoved } from "../../library/stores/open-store.ts";
import { auditRecords, emptyAudit } from "../../log/audit-records.ts";
import type { PlacedRecord } from "../../model/audit.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { RosterLog } from "../../ports/log.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";
import { trustsCheckout } from "../trust/checkout.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";
import { beforePrune } from "./head.ts";

/** The configured log. Reads and writes nothing yet. */
export async function openStore(
  { state, network }: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<RosterLog, RosterError>> {
  if (state === undefined) return problem(notNamed);
  return openStoreAt(state.value, host, network, sourceOf(state));
}

/** The log at an address, such as `file:.roster/log.jsonl`. A file must be one that may be believed. */
export function openStoreAt(
  address: string,
  host: Host,
  network: NetworkSettings,
  source: AddressSource = byPerson,
): Promise<Result<RosterLog, RosterError>> {
  return openAt(address, host, { network, source, distrusts: (path) => checkStateFileTrust(path, host) });
}

const notNamed = invalidSetting(
  "missing-setting",
  "CI is set, but no log address is set: a log in the checkout would be lost.",
  "Pass --state URL or set ROSTER_STATE.",
);

/** The configured log, for runs. What was moved elsewhere is refused there: two histories would do things twice. */
export async function openUsableStore(
  settings: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<RosterLog, RosterError>> {
  const store = await openStore(settings, host);
  return store.ok ? success(refusingMoved(store.value)) : store;
}

export interface StateFlags {
  readonly state?: string | undefined;
}

export const stateResult: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };

/**
 * Says why a log in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. A writer of the log decides what roster takes for done, and whose keys are whose. @internal
 */
export async function checkStateFileTrust(
  path: string,
  host: Host,
  user = process.getuid?.(),
): Promise<RosterError | undefined> {
  const trusted = await checkPathTrust(path, stateFile, host);
  if (!trusted.ok) return trusted.error;
  if (trustsCheckout(host)) return undefined;
  for (const file of [trusted.value, `${trusted.value}.checkpoint`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreignState(file, owner);
  }
  return undefined;
}

const stateFile: GuardedFile = {
  name: (end) => `The log ${end}`,
  git: "and-beside",
  leadsOut: (end) => ({
    why: `is a symbolic link that leads out of the checkout to ${end}. A change to the checkout could choose which log is used.`,
    hint: `Name the log where it is, as in --state file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git. A change to the repository could edit what roster has recorded.",
    hint: "Remove it from git (`git rm -r --cached`, and `.roster/` in .gitignore). Name a log that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  },
};

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function foreignState(path: string, owner: number): RosterError {
  return invalidSetting(
    "untrusted",
    `The log's file ${path} belongs to another user of this machine (${owner}). That user could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another log with --state.",
  );
}

/** The events of the log as a person reads them. `until`: no later ones are wanted. A log that was changed is never shown as if it were whole. */
export async function readAudit(
  store: RosterLog,
  until = Number.POSITIVE_INFINITY,
): Promise<Result<readonly PlacedRecord[], RosterError>> {
  const draft = emptyAudit();
  const records: PlacedRecord[] = [];
  for await (const read of store.readEvents()) {
    if (!read.ok) return problem(errorFromFailure(read.error));
    const lost = beforePrune("--as-of", until, read.value.base?.before);
    if (lost !== undefined) return problem(lost);
    for (const record of auditRecords(read.value, draft)) records.push(record);
  }
  return success(records);
}
