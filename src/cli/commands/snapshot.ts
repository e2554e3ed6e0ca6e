import { formatCount } from "../../codes/message.ts";
import { orThrow, RosterError, stopError } from "../../library/error.ts";
import { checkService, portsFor, resolveBySnapshot } from "../../library/plan.ts";
import { readEverything } from "../../library/read-everything.ts";
import type { SnapshotFile } from "../../observe/snapshot-file.ts";
import { decodeSnapshot, encodeSnapshot, snapshotFileHeader, stateForPlanning } from "../../observe/snapshot-file.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { emptyRoster } from "../../roster/build.ts";
import { type OutKind, refuseOccupied, writeOut } from "../files.ts";
import { type Flags, printedForPeople } from "../flags.ts";
import { installedPackage } from "../installed-package.ts";
import { openLog, reportActiveRun } from "../log.ts";
import { connectService, loadRoster, openReading } from "../open.ts";
import type { Command } from "../run-command.ts";
import { accountIdentifiers } from "../settings/settings.ts";

const snapshotKind: OutKind = { name: "snapshot", mark: snapshotFileHeader };

/** Reads everything that a plan could need, and keeps it in a file. Takes no lock and changes nothing else. */
export async function snapshot(
  command: Command,
  paths: readonly string[],
  flags: Omit<Flags, "format"> & { readonly out: string },
): Promise<void> {
  const { host } = command;
  const { out } = flags;
  if (out !== "-") await refuseOccupied(out, host, snapshotKind);
  const text = encodeSnapshot(await readSnapshotFile(command, paths, { ...flags, ...printedForPeople }));
  // What could not be read again is not written, and nothing that is to be kept secret.
  const { validSnapshot } = await import("../../codec/generated/snapshot.js");
  const again = decodeSnapshot(text, validSnapshot);
  const isSecret = host.secrets.redact(text) !== text;
  if (!again.ok || isSecret) {
    const why = again.ok
      ? "the service shows the key in use, or another secret"
      : `it could not be read again: ${again.error}`;
    const hint = "Nothing was written. Run `roster doctor` to see what the service answers.";
    throw stopError("failed", "incomplete-read", `the snapshot cannot be saved: ${why}`, hint);
  }
  const summary = formatSnapshotSummary(again.value, out);
  if (out === "-") host.stderr.write(summary);
  else await writeOut(out, text, host, snapshotKind);
  command.tell({ ownWords: { text: out === "-" ? text : summary } });
}

async function readSnapshotFile(command: Command, paths: readonly string[], flags: Flags): Promise<SnapshotFile> {
  const { host } = command;
  const { settings, observer } = await openReading(command, flags);
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
  const roster = await loadRoster(paths, settings, host).then(
    (loaded) => loaded.roster,
    (error: unknown) => {
      // A roster that nobody names need not be there.
      if (!isNamed && error instanceof RosterError && error.code === "no-roster-files") return emptyRoster;
      throw error;
    },
  );
  const state = orThrow(await log.store.read());
  checkService(state, service, log);
  await reportActiveRun(log, host);
  const { signal } = command.cancellation;
  const everything = { roster, state, accounts: accountIdentifiers(settings) };
  const ports = portsFor(service, host.clock, { signal, progress: observer.read });
  const { snapshot, accounts } = await readEverything(everything, ports);
  // Of the key in use nothing is kept that the service does not show everybody who may read its users.
  const { keyPrefix } = service;
  const isShown = snapshot.users.some(({ keys = [] }) => keys.some(({ prefix }) => prefix === keyPrefix));
  return {
    madeAt: isoTime(host.clock),
    madeBy: installedPackage().version,
    accountsAre: accounts,
    keyInUse: isShown ? keyPrefix : undefined,
    snapshot,
    state: stateForPlanning(state),
  };
}

function formatSnapshotSummary({ snapshot, state }: SnapshotFile, out: string): string {
  const { users, accounts, roles, service, readAt, reads } = snapshot;
  const parts = [
    formatCount(users.length, "user"),
    formatCount(accounts.size, "account"),
    formatCount(roles.known === "observed" ? roles.value.length : 0, "role"),
  ];
  // What reading has not resolved is held back in every plan of it.
  const times = { at: readAt, consistency: undefined };
  const { open } = resolveBySnapshot(snapshot, { roster: emptyRoster, state, ...times }).state;
  const calls = open.length === 1 ? "1 call of an earlier run has" : `${open.length} calls of earlier runs have`;
  const them = open.length === 1 ? "this call" : "these calls";
  const held = `${calls} an unknown outcome, also after this reading. Plans leave out actions that depend on ${them}.`;
  const lines = [
    `Snapshot of ${service}, read at ${readAt} with ${formatCount(reads, "request")}: ${parts.join(", ")}.`,
    ...(open.length === 0 ? [] : [held]),
    "It has addresses and names: share it only with people who may read the users of the service.",
    ...(out === "-" ? [] : [`Written to ${out}. \`roster plan --from ${out}\` plans with it, without a key.`]),
  ];
  return lines.map((line) => `${safe(line)}\n`).join("");
}
