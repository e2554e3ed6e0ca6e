import type { KeyedHash } from "../../codec/pseudonymize.ts";
import { decodeSnapshot, encodeSnapshot, snapshotFileHeader } from "../../codec/snapshot.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { SnapshotFile } from "../../model/saved-files.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooking/onlooker.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type OutKind, refuseOccupied, writeOut } from "../plan-file/out-file.ts";
import { loadRoster } from "../planning/load-roster.ts";
import { stateServiceMismatch } from "../planning/pipeline.ts";
import { type CommandSession, withSessionWithoutRoster } from "../planning/prepare.ts";
import type { SettingFlags, Settings } from "../settings/settings.ts";
import { makeSnapshotFile } from "../snapshot-file/make-snapshot-file.ts";
import { readEverything } from "../snapshot-file/read-whole.ts";
import { noSnapshotKey, snapshotHashKey } from "../snapshot-file/snapshot-key.ts";
import { formatSnapshotSummary } from "../snapshot-file/snapshot-words.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../stop.ts";
import { reportActiveRun } from "../stores/run-under-way.ts";
import { sha256 } from "../system.ts";

export interface ObserveFlags extends SettingFlags {
  readonly out: string;
  readonly hashAddresses?: boolean | undefined;
  readonly debug?: boolean;
  readonly deadline?: string | undefined;
}

const snapshotKind: OutKind = { name: "snapshot", mark: snapshotFileHeader };

/** Reads everything that a plan could need, and keeps it in a file. Takes no lock and changes nothing else. */
export async function observe(paths: readonly string[], flags: ObserveFlags, host: Host): Promise<number> {
  const begun: CommandResult = { command: "roster", tells: "success-only", diagnostics: [] };
  const taken = flags.out === "-" ? undefined : await refuseOccupied(flags.out, host, snapshotKind);
  if (taken !== undefined) return finish({ ...begun, stop: taken }, printedForPeople, host);
  const seal = await wantedHashKey(flags, host);
  if (!seal.ok) return finish({ ...begun, stop: seal.error }, printedForPeople, host);
  const asked = { flags: { ...flags, ...printedForPeople }, host };
  const concluded = await withSessionWithoutRoster(begun, asked, async (so, ready) => {
    const file = await readAndWrite(ready, { paths, seal: seal.value, host });
    return file.ok ? writeSnapshot(so, file.value, flags.out, host) : { ...so, stop: file.error };
  });
  return finish(concluded, printedForPeople, host);
}

async function wantedHashKey(
  { hashAddresses }: ObserveFlags,
  host: Host,
): Promise<Result<KeyedHash | undefined, CommandError>> {
  if (hashAddresses !== true) return success(undefined);
  const seal = await snapshotHashKey(host);
  return seal.ok && seal.value === undefined ? problem(keyNeeded) : seal;
}

const keyNeeded = invalidSetting("no-snapshot-key", "--hash-addresses needs a key, and there is none.", noSnapshotKey);

interface ObserveSession {
  readonly paths: readonly string[];
  readonly seal: KeyedHash | undefined;
  readonly host: Host;
}

async function readAndWrite(
  { settings, store, service, halting, onlooker }: Omit<CommandSession, "loaded">,
  { paths, seal, host }: ObserveSession,
): Promise<Result<SnapshotFile, CommandError>> {
  const roster = await rosterBeside(paths, settings, host);
  if (!roster.ok) return roster;
  const read = await store.read();
  if (!read.ok) return problem(errorFromFailure(read.error));
  const state = read.value;
  const stray = stateServiceMismatch(state, service);
  if (stray !== undefined) return problem(stray);
  await reportActiveRun(store, host);
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
  const question = { roster: roster.value, state, accounts: namedAccounts(settings) };
  const whole = await readEverything(question, { ...ports, signal: halting.signal });
  if (!whole.ok) return problem(errorFromFailure(whole.error));
  return success(makeSnapshotFile(whole.value, { state, keyPrefix: service.keyPrefix, seal }, host));
}

function namedAccounts({ account, accounts }: Settings): readonly string[] {
  const identifierOf = (name: string) => accounts.get(name) ?? name;
  return [...(account === undefined ? [] : [identifierOf(account)]), ...accounts.values()];
}

const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
};

/** A roster that nobody names need not be there. */
async function rosterBeside(
  paths: readonly string[],
  settings: Settings,
  host: Host,
): Promise<Result<Roster, CommandError>> {
  const loaded = await loadRoster(paths, settings, host);
  if (loaded.ok) return success(loaded.value.roster);
  const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
  const isMissing = loaded.error.diagnostics?.every(({ code }) => code === "no-roster-files") === true;
  return isMissing && !isNamed ? success(emptyRoster) : loaded;
}

/** What could not be read again is not written, and nothing that is to be kept secret. */
async function writeSnapshot(so: CommandResult, file: SnapshotFile, out: string, host: Host): Promise<CommandResult> {
  const text = encodeSnapshot(file, sha256);
  const again = decodeSnapshot(text, sha256);
  if (!again.ok) return { ...so, stop: unusableSnapshot(`it could not be read again: ${again.error}`) };
  if (host.secrets.redact(text) !== text)
    return { ...so, stop: unusableSnapshot("the service shows the key in use, or another secret") };
  const words = formatSnapshotSummary(again.value, out);
  if (out === "-") {
    host.stderr.write(words);
    return { ...so, ownWords: { text } };
  }
  const written = await writeOut(out, text, host, snapshotKind);
  return written.ok ? { ...so, ownWords: { text: words } } : { ...so, stop: written.error };
}

function unusableSnapshot(why: string): CommandError {
  const hint = "See with `roster doctor` what the service answers; nothing was written.";
  return { reason: "failed", problem: { code: "unfit-snapshot", message: `no snapshot can be kept: ${why}`, hint } };
}
