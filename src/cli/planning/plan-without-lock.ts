import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { errorFromFailure, invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import {
  type Planned,
  type PlanningInput,
  planFor,
  planFromReading,
  resolveBySnapshot,
} from "../../library/planning/planning.ts";
import type { SnapshotFile, SnapshotSource } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { withListedAbsences } from "../../observe/absence.ts";
import type { RosterLog } from "../../ports/log.ts";
import { safe } from "../../report/safe.ts";
import { type Host, readStandardInput } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { type CommandCall, type PlanningFlags, planningParts, readPorts, type Session } from "../session.ts";
import { reportActiveRun } from "../stores/lock.ts";
import { checkSnapshotTrust } from "../trust/file-trust.ts";
import { rosterSummary } from "./roster-files.ts";
import { snapshotAge } from "./snapshot-flags.ts";

interface PlanRequest extends CommandCall<PlanningFlags> {
  readonly paths: readonly string[];
  /** What is left of standard input for the roster. */
  readonly stdin?: Host["stdin"];
  /** Plans with this snapshot file; the service and the state are not read. */
  readonly snapshot?: string | undefined;
  /** Whether all users of the service are read. Without it `--unmanaged` decides. */
  readonly everyone?: (roster: Roster, state: State) => PlanningInput["everyone"];
}

/** A plan, the session that made it, and what the command knows so far. */
export interface PlanMade {
  readonly result: CommandResult;
  readonly session: Session<"policy" | "observer" | "loaded">;
  readonly planned: Planned;
  /** As it was read. */
  readonly state: State;
  /** Where it was read; absent for a snapshot. */
  readonly store?: RosterLog;
}

/** Makes a plan from the service or from a snapshot, without a lock and without writing anything. Guards may refuse the plan. */
export async function planWithoutLock(
  base: CommandResult,
  { snapshot, everyone: chosen, ...request }: PlanRequest,
): Promise<Result<PlanMade, CommandResult>> {
  if (snapshot !== undefined) return planFromSnapshot(base, { ...request, path: snapshot });
  const opened = await request.open({ ...request, command: base.command, needs: planningParts });
  if (!opened.ok) return problem({ ...base, ...opened.error });
  const session = opened.value;
  const { loaded, policy, store, host } = session;
  const result = { ...base, ...rosterSummary(loaded) };
  const state = await store.read();
  if (!state.ok) return problem({ ...result, stop: errorFromFailure(state.error) });
  await reportActiveRun(store, host);
  const { roster } = loaded;
  const wanted = request.flags.unmanaged === true ? "always" : chosen?.(roster, state.value);
  const everyone = wanted ?? "when-needed";
  const planned = await planFor(
    { roster, state: state.value, policy, everyone },
    { ...readPorts(session), storeTimes: store.times },
  );
  if (!planned.ok) return problem({ ...result, stop: planned.error });
  return success({ result, session, planned: planned.value, state: state.value, store });
}

interface SnapshotPlanRequest extends Pick<PlanRequest, "paths" | "flags" | "host" | "open" | "stdin"> {
  readonly path: string;
}

/**
 * Makes the plan of a snapshot file: the same path as that of a plan which reads the service, from there on. The time is that of
 * the reading, so that the same file and the same roster are the same plan. Only the age of the file uses the clock of this machine.
 */
async function planFromSnapshot(
  base: CommandResult,
  { host, open, path, ...request }: SnapshotPlanRequest,
): Promise<Result<PlanMade, CommandResult>> {
  if (path === "-" && request.paths.includes("-")) return problem({ ...base, stop: oneStream });
  const read = await readSnapshot(path, host);
  if (!read.ok) return problem({ ...base, stop: read.error });
  const file = read.value;
  const { readAt } = file.snapshot;
  const age = snapshotAge({ path, readAt }, host.clock.now());
  if ("stop" in age) return problem({ ...base, stop: age.stop });
  host.stderr.write(`${safe(age.notice)}\n`);
  const needs = ["policy", "observer", "loaded"] as const;
  const { command } = base;
  const opened = await open({ ...request, command, host: asOf(readAt, host), needs, meets: "neither" });
  if (!opened.ok) return problem({ ...base, ...opened.error });
  const session = opened.value;
  const { loaded, policy } = session;
  const { roster } = loaded;
  const result = { ...base, ...rosterSummary(loaded) };
  const stop = unreadAccount(file, roster);
  if (stop !== undefined) return problem({ ...result, stop });
  const planned = planFromFile(file, { roster, policy });
  if (!planned.ok) return problem({ ...result, stop: planned.error });
  return success({ result, session, ...planned.value });
}

function planFromFile(
  file: SnapshotFile,
  { roster, policy }: { readonly roster: Roster; readonly policy: Policy },
): Result<Pick<PlanMade, "planned" | "state">, RosterError> {
  const { readAt: at } = file.snapshot;
  const { snapshot, state, kept } = inputFromSnapshot(file, roster);
  const read = resolveBySnapshot(snapshot, { roster, state, at, consistency: policy.consistency });
  const reading = { ...read.reading, kept: { madeAt: file.madeAt } };
  const planned = planFromReading({ ...read, reading }, { roster, policy, kept, keyInUse: file.keyInUse });
  return planned.ok ? success({ planned: planned.value, state }) : planned;
}

/** A host whose time is that of the reading. */
function asOf(readAt: string, host: Host): Host {
  const { clock } = host;
  return {
    ...host,
    clock: { ...clock, now: () => Date.parse(readAt), wait: (time, signal) => clock.wait(time, signal) },
  };
}

const oneStream = invalidSetting(
  "usage",
  "Standard input cannot be both the snapshot and a roster file.",
  "Name one of them by its path.",
);

/** A key that may not list accounts cannot tell that there is no such account. */
function unreadAccount({ accounts, snapshot }: SnapshotFile, roster: Roster): RosterError | undefined {
  if (accounts === "all") return undefined;
  const unread = roster.accounts.find(({ value }) => !snapshot.accounts.has(value));
  if (unread === undefined) return undefined;
  return invalidInput([
    {
      code: "account-unavailable",
      severity: "error",
      message: `The snapshot does not have the account ${unread.value}. Its key could not list accounts, and this one was not named.`,
      hint: "Name the account in the settings of the job that runs `roster snapshot`, or there with --account.",
      place: unread.place,
    },
  ]);
}

/** What a plan is made of that reads neither the service nor the state. */
interface SnapshotInput {
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly kept: SnapshotSource;
}

/** A snapshot file as a plan of this roster needs it: the complete list decides about users who were not searched for. @internal */
export function inputFromSnapshot({ snapshot, state }: SnapshotFile, roster: Roster): SnapshotInput {
  const { snapshot: whole, unsearched } = withListedAbsences(snapshot, roster, state);
  return { snapshot: whole, state, kept: { unsearched } };
}

/** No snapshot is larger, in bytes. */
const largest = 256 * 1024 * 1024;

const snapshotHint = "Make one with `roster snapshot --out FILE`, and do not edit it.";

/** Reads a snapshot file, or says why it is none that may be planned with. Its age is not looked at. */
async function readSnapshot(path: string, host: Host): Promise<Result<SnapshotFile, RosterError>> {
  const untrusted = await checkSnapshotTrust(path, host);
  if (untrusted !== undefined) return problem(untrusted);
  const read = await textOf(path, host);
  if (!read.ok) return read;
  const { decodeSnapshot } = await import("../../codec/snapshot.ts");
  const decoded = decodeSnapshot(read.value, sha256);
  return decoded.ok ? decoded : problem(badSnapshot(path, decoded.error));
}

async function textOf(path: string, host: Host): Promise<Result<string, RosterError>> {
  try {
    const bytes =
      path === "-"
        ? await readStandardInput(host.stdin(), () => largest)
        : await readRegularFile(resolve(host.cwd, path), largest);
    return bytes.length > largest
      ? problem(badSnapshot(path, "it is larger than 256 MiB"))
      : success(bytes.toString("utf8"));
  } catch (error) {
    const why = whyUnread(error);
    const message = why === "ENOENT" ? `There is no file ${path}.` : `The snapshot ${path} cannot be read: ${why}.`;
    return problem(invalidSetting("unreadable-file", message, snapshotHint));
  }
}

function badSnapshot(path: string, why: string): RosterError {
  return invalidSetting("bad-file", `${path} is not a usable snapshot: ${why}.`, snapshotHint);
}
