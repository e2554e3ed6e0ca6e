import { decodeSnapshot, encodeSnapshot, snapshotFileHeader, stateForPlanning } from "../../codec/snapshot.ts";
import { formatCount } from "../../codes/message.ts";
import { orThrow, RosterError, stopError } from "../../library/error.ts";
import { checkService, portsFor, resolveBySnapshot } from "../../library/plan.ts";
import { readEverything } from "../../library/read-everything.ts";
import type { SnapshotFile } from "../../model/plan.ts";
import { emptyRoster, type Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { type OutKind, refuseOccupied, writeOut } from "../files/write-output.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { openLog, reportActiveRun } from "../log.ts";
import { connectService, loadRoster, openReading } from "../open.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { accountIdentifiers, type Settings } from "../settings/settings.ts";

export interface SaveSnapshotFlags extends Omit<Flags, "format"> {
  readonly out: string;
}

const snapshotKind: OutKind = { name: "snapshot", mark: snapshotFileHeader };

/** Reads everything that a plan could need, and keeps it in a file. Takes no lock and changes nothing else. */
export function snapshot(paths: readonly string[], flags: SaveSnapshotFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("roster", printedForPeople, host, async (command) => {
    const { out } = flags;
    if (out !== "-") await refuseOccupied(out, host, snapshotKind);
    const file = await readSnapshotFile(command, paths, { ...flags, ...printedForPeople });
    const text = encodeSnapshot(file);
    // What could not be read again is not written, and nothing that is to be kept secret.
    const again = decodeSnapshot(text);
    if (!again.ok) throw unusable(`it could not be read again: ${again.error}`);
    if (host.secrets.redact(text) !== text) throw unusable("the service shows the key in use, or another secret");
    const summary = formatSnapshotSummary(again.value, out);
    if (out === "-") host.stderr.write(summary);
    else await writeOut(out, text, host, snapshotKind);
    command.tell({ ownWords: { text: out === "-" ? text : summary } });
  });
}

async function readSnapshotFile(command: Command, paths: readonly string[], flags: Flags): Promise<SnapshotFile> {
  const { host } = command;
  const { settings, observer } = await openReading(command, flags);
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  const roster = await rosterInDirectory(paths, settings, host);
  const state = orThrow(await log.store.read());
  checkService(state, service);
  await reportActiveRun(log, host);
  const { signal } = command.cancellation;
  const everything = { roster, state, accounts: accountIdentifiers(settings) };
  const ports = portsFor(service, host.clock, { signal, progress: observer.read });
  const { snapshot, accounts } = await readEverything(everything, ports);
  const keyInUse = shownPrefix(service.keyPrefix, snapshot);
  return {
    madeAt: isoTime(host.clock),
    madeBy: installedPackage().version,
    accounts,
    ...(keyInUse === undefined ? {} : { keyInUse }),
    snapshot,
    state: stateForPlanning(state),
  };
}

/** A roster that nobody names need not be there. */
async function rosterInDirectory(paths: readonly string[], settings: Settings, host: Host): Promise<Roster> {
  try {
    return (await loadRoster(paths, settings, host)).roster;
  } catch (error) {
    const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
    if (!isNamed && error instanceof RosterError && error.code === "no-roster-files") return emptyRoster;
    throw error;
  }
}

function unusable(why: string): RosterError {
  const hint = "Nothing was written. Run `roster doctor` to see what the service answers.";
  return stopError("failed", "incomplete-read", `the snapshot cannot be saved: ${why}`, hint);
}
/** Of the key in use nothing is kept that the service does not show everybody who may read its users. */
function shownPrefix(prefix: string | undefined, { users }: Snapshot): string | undefined {
  return users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix)) ? prefix : undefined;
}

function formatSnapshotSummary(file: SnapshotFile, out: string): string {
  const { snapshot } = file;
  const { users, accounts, roles } = snapshot;
  const parts = [
    formatCount(users.length, "user"),
    formatCount(accounts.size, "account"),
    formatCount(roles.known === "observed" ? roles.value.length : 0, "role"),
  ];
  const lines = [
    `Snapshot of ${snapshot.service}, read at ${snapshot.readAt} with ${formatCount(snapshot.reads, "request")}: ${parts.join(", ")}.`,
    ...formatOpenCalls(file),
    "It has addresses and names: share it only with people who may read the users of the service.",
    ...(out === "-" ? [] : [`Written to ${out}. \`roster plan --from ${out}\` plans with it, without a key.`]),
  ];
  return lines.map((line) => `${safe(line)}\n`).join("");
}

/** What reading has not resolved is held back in every plan of it. */
function formatOpenCalls({ state, snapshot }: SnapshotFile): readonly string[] {
  const times = { at: snapshot.readAt, consistency: undefined };
  const { open } = resolveBySnapshot(snapshot, { roster: emptyRoster, state, ...times }).state;
  if (open.length === 0) return [];
  const calls = open.length === 1 ? "1 call of an earlier run has" : `${open.length} calls of earlier runs have`;
  return [
    `${calls} an unknown outcome, also after these reads. Plans hold actions that depend on ${open.length === 1 ? "it" : "them"}.`,
  ];
}
