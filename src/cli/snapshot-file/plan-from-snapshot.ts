import { hashedDigest, isPseudonym, type KeyedHash, reidentify } from "../../codec/pseudonymize.ts";
import { rewriteSnapshot, rewriteState } from "../../codec/rewrite-addresses.ts";
import type { Policy } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import type { SnapshotFile, SnapshotSource } from "../../model/saved-files.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { withListedAbsences } from "../../observe/absence.ts";
import { safe } from "../../report/safe.ts";
import { type CommandError, invalidInput, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { planFromReading, settleByReading } from "../planning/pipeline.ts";
import type { PlanHandler } from "../planning/with-plan.ts";
import { type PlanningFlags, withOfflineSession } from "../session.ts";
import { readSnapshot } from "./read-snapshot.ts";
import { snapshotAge, type WantedSnapshot } from "./snapshot-flags.ts";

export interface SnapshotPlanRequest {
  readonly paths: readonly string[];
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly wanted: WantedSnapshot;
  /** Addresses that are asked about, whom the roster need not know. */
  readonly about?: readonly string[] | undefined;
}

/**
 * Makes the plan of a snapshot file: the same path as that of a plan which reads the service, from there on. The time is that of
 * the reading, so that the same file and the same roster are the same plan; only its age is told by the clock of this machine.
 */
export async function planFromSnapshot(
  begun: CommandResult,
  { paths, flags, host, wanted, about }: SnapshotPlanRequest,
  work: PlanHandler,
): Promise<CommandResult> {
  if (wanted.path === "-" && paths.includes("-")) return { ...begun, stop: oneStream };
  const opened = await readSnapshot(wanted.path, host);
  if (!opened.ok) return { ...begun, stop: opened.error };
  const { file, seal } = opened.value;
  const { readAt } = file.snapshot;
  const age = snapshotAge({ ...wanted, readAt }, host.clock.now());
  if ("stop" in age) return { ...begun, stop: age.stop };
  host.stderr.write(`${safe(age.told)}\n`);
  return withOfflineSession(begun, { paths, flags, host: asOf(readAt, host) }, async (so, ready) => {
    const { loaded, policy } = ready;
    const { roster } = loaded;
    const unfit = unreadAccount(file, roster) ?? posingAsHidden(file, roster);
    if (unfit !== undefined) return { ...so, stop: unfit };
    const { snapshot, state, kept } = inputFromSnapshot(file, { roster, policy, seal, about });
    const read = settleByReading(snapshot, { roster, state, at: readAt, consistency: policy.consistency });
    const reading = { ...read.reading, kept: { madeAt: file.madeAt, addresses: kept.addresses } };
    const planned = planFromReading({ ...read, reading }, { roster, policy, kept, keyInUse: file.keyInUse });
    if (!planned.ok) return { ...so, stop: planned.error };
    const means = { host: asOf(readAt, host), everyone: "always", keyInUse: file.keyInUse, readTimes: [] } as const;
    return work(so, planned.value, { ...ready, ...means, state });
  });
}

/** For whoever plans it is the time at which the snapshot was read. */
function asOf(readAt: string, host: Host): Host {
  const { clock } = host;
  return { ...host, clock: { now: () => Date.parse(readAt), wait: (time, signal) => clock.wait(time, signal) } };
}

const oneStream = invalidSetting(
  "two-inputs",
  "Standard input can be either the snapshot or a roster file.",
  "Name one of them by its path.",
);

/** A key that may not list accounts cannot tell that there is no such account. */
function unreadAccount({ accounts, snapshot }: SnapshotFile, roster: Roster): CommandError | undefined {
  if (accounts === "all") return undefined;
  const unread = roster.accounts.find(({ value }) => !snapshot.accounts.has(value));
  if (unread === undefined) return undefined;
  return invalidInput([
    {
      code: "account-not-in-snapshot",
      severity: "error",
      message: `The snapshot does not hold the account ${unread.value}: the key that made it may not list accounts, and nobody named this one.`,
      hint: "Name the account in the settings of the job that runs `roster observe`, or there with --account.",
      place: unread.place,
    },
  ]);
}

/** Whoever has seen what stands for somebody could ask for them by it, and learn more; no service knows them by it. */
function posingAsHidden({ addresses }: SnapshotFile, { users, leavers }: Roster): CommandError | undefined {
  if (addresses.are === "plain") return undefined;
  const posing = [...users.values(), ...leavers.values()].find(({ address }) => isPseudonym(address));
  if (posing === undefined) return undefined;
  return invalidInput([
    {
      code: "hidden-address",
      severity: "error",
      message: `${posing.email} is nobody's address: it is what stands for an address that a snapshot hides.`,
      hint: "Write the address of the person.",
      place: posing.place,
    },
  ]);
}

/** What a plan is made of that reads neither the service nor the state. */
export interface SnapshotInput {
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly kept: SnapshotSource;
}

export interface SnapshotOptions {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly seal: KeyedHash | undefined;
  /** Addresses that are asked about. */
  readonly about?: readonly string[] | undefined;
}

/**
 * A snapshot file as a plan of this roster needs it: hashed addresses that the roster knows, or that are asked about, are found
 * again, others stay hidden; whoever was not searched for is judged by the complete list. `seal` is there where, and only where,
 * addresses are hashed.
 * @internal
 */
export function inputFromSnapshot(
  file: SnapshotFile,
  { roster, policy, seal, about = [] }: SnapshotOptions,
): SnapshotInput {
  if (seal === undefined) return withAbsences(file, roster, { addresses: "plain", hashedDigest: (digest) => digest });
  const anew = reidentify(seal, [...knownAddresses(roster, policy), ...about]);
  const found = { snapshot: rewriteSnapshot(file.snapshot, anew), state: rewriteState(file.state, anew) };
  return withAbsences(found, roster, { addresses: "hashed", hashedDigest: (digest) => hashedDigest(seal, digest) });
}

function withAbsences(
  { snapshot, state }: Pick<SnapshotFile, "snapshot" | "state">,
  roster: Roster,
  kept: Omit<SnapshotSource, "unsearched">,
): SnapshotInput {
  const { snapshot: whole, unsearched } = withListedAbsences(snapshot, roster, state);
  return { snapshot: whole, state, kept: { ...kept, unsearched } };
}

/**
 * Every address that the roster, the settings and this run's words know, as it is written where it says how: whoever has one
 * of them finds its holder in a snapshot with hashed addresses.
 */
function knownAddresses(roster: Roster, policy: Policy): readonly string[] {
  const written = [...roster.users.values(), ...roster.leavers.values()].map(({ email }) => email);
  const found = new Set(written);
  collectAddresses([roster, policy], found);
  return [...found];
}

/** Wherever an address may be written by now or later: what is none hides nothing and finds nobody. */
function collectAddresses(value: unknown, found: Set<string>): void {
  if (typeof value === "string") {
    if (value.includes("@")) found.add(value);
  } else if (value instanceof Map) {
    for (const [key, item] of value) collectAddresses([key, item], found);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collectAddresses(item, found);
  }
}
