import type { KeyedHash } from "../../codec/rewriting.ts";
import { decodeSnapshot, encodeSnapshot, snapshotFileHeader } from "../../codec/snapshot.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { SnapshotFile } from "../../model/snapshot-file.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooking/onlooker.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type OutKind, occupied, writeOut } from "../plan-file/out-file.ts";
import { loadRoster } from "../planning/load-roster.ts";
import { strayState } from "../planning/pipeline.ts";
import { type Prepared, preparedWithoutRoster } from "../planning/prepare.ts";
import type { SettingFlags, Settings } from "../settings/settings.ts";
import { makeSnapshotFile } from "../snapshot-file/make-snapshot-file.ts";
import { readWhole } from "../snapshot-file/read-whole.ts";
import { noSnapshotKey, snapshotSeal } from "../snapshot-file/snapshot-key.ts";
import { snapshotWords } from "../snapshot-file/snapshot-words.ts";
import { invalidSetting, type Stop, stopFor } from "../stop.ts";
import { tellRunUnderWay } from "../stores/run-under-way.ts";
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
  const begun: Conclusion = { command: "roster", tells: "success-only", diagnostics: [] };
  const taken = flags.out === "-" ? undefined : await occupied(flags.out, host, snapshotKind);
  if (taken !== undefined) return conclude({ ...begun, stop: taken }, printedForPeople, host);
  const seal = await wantedSeal(flags, host);
  if (!seal.ok) return conclude({ ...begun, stop: seal.error }, printedForPeople, host);
  const asked = { flags: { ...flags, ...printedForPeople }, host };
  const concluded = await preparedWithoutRoster(begun, asked, async (so, ready) => {
    const file = await observed(ready, { paths, seal: seal.value, host });
    return file.ok ? kept(so, file.value, flags.out, host) : { ...so, stop: file.error };
  });
  return conclude(concluded, printedForPeople, host);
}

async function wantedSeal({ hashAddresses }: ObserveFlags, host: Host): Promise<Result<KeyedHash | undefined, Stop>> {
  if (hashAddresses !== true) return success(undefined);
  const seal = await snapshotSeal(host);
  return seal.ok && seal.value === undefined ? problem(keyNeeded) : seal;
}

const keyNeeded = invalidSetting("no-snapshot-key", "--hash-addresses needs a key, and there is none.", noSnapshotKey);

interface Observing {
  readonly paths: readonly string[];
  readonly seal: KeyedHash | undefined;
  readonly host: Host;
}

async function observed(
  { settings, store, service, halting, onlooker }: Omit<Prepared, "loaded">,
  { paths, seal, host }: Observing,
): Promise<Result<SnapshotFile, Stop>> {
  const roster = await rosterBeside(paths, settings, host);
  if (!roster.ok) return roster;
  const read = await store.read();
  if (!read.ok) return problem(stopFor(read.error));
  const state = read.value;
  const stray = strayState(state, service);
  if (stray !== undefined) return problem(stray);
  await tellRunUnderWay(store, host);
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
  const question = { roster: roster.value, state, accounts: namedAccounts(settings) };
  const whole = await readWhole(question, { ...ports, signal: halting.signal });
  if (!whole.ok) return problem(stopFor(whole.error));
  return success(makeSnapshotFile(whole.value, { state, keyPrefix: service.keyPrefix, seal }, host));
}

function namedAccounts({ account, accounts }: Settings): readonly string[] {
  const identifierOf = (name: string) => accounts.get(name) ?? name;
  return [...(account === undefined ? [] : [identifierOf(account)]), ...accounts.values()];
}

const nobody: Roster = { accounts: [], users: new Map(), leavers: new Map(), teams: [], keys: [], roleSets: new Map() };

/** A roster that nobody names need not be there. */
async function rosterBeside(paths: readonly string[], settings: Settings, host: Host): Promise<Result<Roster, Stop>> {
  const loaded = await loadRoster(paths, settings, host);
  if (loaded.ok) return success(loaded.value.roster);
  const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
  const isMissing = loaded.error.diagnostics?.every(({ code }) => code === "no-roster-files") === true;
  return isMissing && !isNamed ? success(nobody) : loaded;
}

/** What could not be read again is not written, and nothing that is to be kept secret. */
async function kept(so: Conclusion, file: SnapshotFile, out: string, host: Host): Promise<Conclusion> {
  const text = encodeSnapshot(file, sha256);
  const again = decodeSnapshot(text, sha256);
  if (!again.ok) return { ...so, stop: unfit(`it could not be read again: ${again.error}`) };
  if (host.secrets.redact(text) !== text)
    return { ...so, stop: unfit("the service shows the key in use, or another secret") };
  const words = snapshotWords(again.value, out);
  if (out === "-") {
    host.stderr.write(words);
    return { ...so, ownWords: { text } };
  }
  const written = await writeOut(out, text, host, snapshotKind);
  return written.ok ? { ...so, ownWords: { text: words } } : { ...so, stop: written.error };
}

function unfit(why: string): Stop {
  const hint = "See with `roster doctor` what the service answers; nothing was written.";
  return { reason: "failed", problem: { code: "unfit-snapshot", message: `no snapshot can be kept: ${why}`, hint } };
}
