import { decodeSnapshot, encodeSnapshot, snapshotFileHeader, stateForPlanning } from "../../codec/snapshot.ts";
import { errorFromFailure, type RosterError, stopError } from "../../library/error.ts";
import { resolveBySnapshot, stateServiceMismatch } from "../../library/planning/planning.ts";
import { readEverything } from "../../library/planning/read-everything.ts";
import type { SnapshotFile } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { emptyRoster, type Roster } from "../../model/roster.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { isoTime } from "../../ports/clock.ts";
import { formatCount } from "../../report/phrases.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type OutKind, refuseOccupied, writeOut } from "../plan-file/plan-file.ts";
import { loadRoster } from "../planning/roster-files.ts";
import { type CommandCall, readPorts, runCommand, type Session } from "../session.ts";
import type { SettingFlags, Settings } from "../settings/settings.ts";
import { reportActiveRun } from "../stores/lock.ts";

export interface SaveSnapshotFlags extends SettingFlags {
  readonly out: string;
  readonly debug?: boolean;
  readonly deadline?: string | undefined;
}

const snapshotKind: OutKind = { name: "snapshot", mark: snapshotFileHeader };

/** Reads everything that a plan could need, and keeps it in a file. Takes no lock and changes nothing else. */
export async function snapshot(paths: readonly string[], flags: SaveSnapshotFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => snapshotResult(paths, { flags, host, open })), printedForPeople, host);
}

async function snapshotResult(
  paths: readonly string[],
  { flags, host, open }: CommandCall<SaveSnapshotFlags>,
): Promise<CommandResult> {
  const base: CommandResult = { command: "roster", tells: "success-only", diagnostics: [] };
  const stop = flags.out === "-" ? undefined : await refuseOccupied(flags.out, host, snapshotKind);
  if (stop !== undefined) return { ...base, stop };
  const needs = ["policy", "observer", "store", "service"] as const;
  const session = await open({ command: base.command, flags: { ...flags, ...printedForPeople }, host, needs });
  if (!session.ok) return { ...base, ...session.error };
  const file = await readSnapshotFile(session.value, paths);
  return file.ok ? writeSnapshot(base, file.value, flags.out, host) : { ...base, stop: file.error };
}

async function readSnapshotFile(
  session: Session<"policy" | "observer" | "store" | "service">,
  paths: readonly string[],
): Promise<Result<SnapshotFile, RosterError>> {
  const { settings, store, service, host } = session;
  const roster = await rosterInDirectory(paths, settings, host);
  if (!roster.ok) return roster;
  const read = await store.read();
  if (!read.ok) return problem(errorFromFailure(read.error));
  const state = read.value;
  const mismatch = stateServiceMismatch(state, service);
  if (mismatch !== undefined) return problem(mismatch);
  await reportActiveRun(store, host);
  const everything = { roster: roster.value, state, accounts: namedAccounts(settings) };
  const whole = await readEverything(everything, readPorts(session));
  if (!whole.ok) return problem(errorFromFailure(whole.error));
  const { snapshot, accounts } = whole.value;
  const keyInUse = shownPrefix(service.keyPrefix, snapshot);
  return success({
    madeAt: isoTime(host.clock),
    madeBy: installedPackage().version,
    accounts,
    ...(keyInUse === undefined ? {} : { keyInUse }),
    snapshot,
    state: stateForPlanning(state),
  });
}

function namedAccounts({ account, accounts }: Settings): readonly string[] {
  const identifierOf = (name: string) => accounts.get(name) ?? name;
  return [...(account === undefined ? [] : [identifierOf(account)]), ...accounts.values()];
}

/** A roster that nobody names need not be there. */
async function rosterInDirectory(
  paths: readonly string[],
  settings: Settings,
  host: Host,
): Promise<Result<Roster, RosterError>> {
  const loaded = await loadRoster(paths, settings, host);
  if (loaded.ok) return success(loaded.value.roster);
  const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
  const isMissing = loaded.error.diagnostics?.every(({ code }) => code === "no-roster-files") === true;
  return isMissing && !isNamed ? success(emptyRoster) : loaded;
}

/** What could not be read again is not written, and nothing that is to be kept secret. */
async function writeSnapshot(base: CommandResult, file: SnapshotFile, out: string, host: Host): Promise<CommandResult> {
  const text = encodeSnapshot(file, sha256);
  const again = decodeSnapshot(text, sha256);
  if (!again.ok) return { ...base, stop: unusableSnapshot(`it could not be read again: ${again.error}`) };
  if (host.secrets.redact(text) !== text)
    return { ...base, stop: unusableSnapshot("the service shows the key in use, or another secret") };
  const summary = formatSnapshotSummary(again.value, out);
  if (out === "-") {
    host.stderr.write(summary);
    return { ...base, ownWords: { text } };
  }
  const written = await writeOut(out, text, host, snapshotKind);
  return written.ok ? { ...base, ownWords: { text: summary } } : { ...base, stop: written.error };
}

function unusableSnapshot(why: string): RosterError {
  const hint = "Nothing was written. Run `roster doctor` to see what the service answers.";
  return stopError("failed", "incomplete-read", `the snapshot cannot be saved: ${why}`, hint);
}

/** Of the key in use nothing is kept that the service does not show everybody who may read its users. */
function shownPrefix(prefix: string | undefined, { users }: Snapshot): string | undefined {
  return users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix)) ? prefix : undefined;
}

/** What a snapshot holds, in a few lines for the person who made it. */
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
