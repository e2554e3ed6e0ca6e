import type { accessOf } from "../library/access.ts";
import { showDuration } from "../library/duration.ts";
import { invalidInput, invalidSetting, stopError } from "../library/error.ts";
import type { LoadedRoster } from "../library/load-roster.ts";
import type { Log } from "../library/log.ts";
import {
  basisOf,
  plan as makePlan,
  type Planned,
  type PlanOptions,
  planFromReading,
  resolveBySnapshot,
} from "../library/plan.ts";
import { isWhole } from "../library/policy.ts";
import type { Policy } from "../model/policy.ts";
import { withListedAbsences } from "../observe/observe.ts";
import type { SnapshotFile } from "../observe/snapshot-file.ts";
import { decodeSnapshot } from "../observe/snapshot-file.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { safe } from "../report/safe.ts";
import { readInput } from "./files.ts";
import { type Flags, formatsIn, type OutputFlags, type SomeFlags } from "./flags.ts";
import type { Host } from "./host.ts";
import { reportActiveRun } from "./log.ts";
import { loadRoster, openPlanning, openReading } from "./open.ts";
import type { ProgressObserver } from "./progress-observer.ts";
import { type Command, planCommands } from "./run-command.ts";
import { checkPathTrust, snapshotFile } from "./trust.ts";

interface PlanRequest {
  readonly paths: readonly string[];
  readonly flags: Flags;
  readonly stdin?: Host["stdin"] | undefined;
  /** Whether all users of the service are read. Without it `--unmanaged` decides. */
  readonly everyone?: PlanOptions["everyone"];
}

interface PlanMade {
  readonly loaded: LoadedRoster;
  readonly observer: ProgressObserver;
  readonly planned: Planned;
  /** Undefined where a snapshot was read in its place. */
  readonly log?: Log;
}

/** Makes a plan from the service or from a snapshot, without a lock and without writing anything. Guards may refuse the plan. */
export async function planWithoutLock(command: Command, request: PlanRequest): Promise<PlanMade> {
  const { paths, flags, stdin, everyone } = request;
  if (flags.from !== undefined) return planFromSnapshot(command, flags.from, request);
  const { observer, options } = await openPlanning(command, paths, flags, stdin);
  const { roster: loaded, log } = options;
  await reportActiveRun(log, command.host);
  return { loaded, observer, planned: basisOf(await makePlan({ ...options, everyone })), log };
}

/** The time is that of the reading: the same file and roster are the same plan. Only the age of the file uses the clock of this machine. */
async function planFromSnapshot(
  command: Command,
  from: string,
  { paths, flags, stdin = command.host.stdin }: PlanRequest,
): Promise<PlanMade> {
  checkSnapshotFlags(from, paths, flags);
  const { snapshot: kept, accountsAre, madeAt, keyInUse, state } = await readSnapshot(from, command.host);
  const at = kept.readAt;
  const host = { ...command.host, stdin, clock: { ...command.host.clock, now: () => Date.parse(at) } };
  const { settings, observer, policy: said } = await openReading(command, flags, host, "neither");
  const policy = { ...said, ...planCommands(paths, flags, host) };
  const loaded = await loadRoster(paths, settings, host);
  command.tell({ roster: loaded.counts, diagnostics: loaded.warnings });
  const { roster } = loaded;
  const unread = roster.accounts.find(({ value }) => !kept.accounts.has(value));
  // A key that may not list accounts cannot tell that there is no such account.
  if (unread !== undefined && accountsAre === "named") {
    const message = `The snapshot does not have the account ${unread.value}. Its key could not list accounts, and this one was not named.`;
    const hint = "Name the account in the settings of the job that runs `roster snapshot`, or there with --account.";
    throw invalidInput([{ code: "account-unavailable", severity: "error", message, hint, place: unread.place }]);
  }
  // The complete list decides about users who were not searched for.
  const { snapshot, unsearched } = withListedAbsences(kept, roster, state);
  const read = resolveBySnapshot(snapshot, { roster, state, at, consistency: policy.consistency });
  const reading = { ...read.reading, kept: { madeAt } };
  const planned = planFromReading({ ...read, reading }, { roster, policy, unsearched, keyInUse });
  return { loaded, observer, planned };
}

function checkSnapshotFlags(from: string, paths: readonly string[], flags: SomeFlags): void {
  const unusable = ["endpoint", "parallelism", "debug", "state", "deadline", "out"] as const;
  const names = unusable.filter((name) => flags[name] !== undefined);
  const conflict = `${names.map((name) => `--${name}`).join(", ")} cannot be combined with --from`;
  const wrong = (message: string, hint: string) => invalidSetting("usage", message, hint);
  if (names.includes("out")) {
    const hint = "Save a plan without --from, or print the preview with `--format json`.";
    throw wrong(`${conflict}: a plan from a snapshot is a preview and cannot be applied.`, hint);
  }
  if (names.length > 0) {
    const hint = "Use it with `roster snapshot`, or remove it.";
    throw wrong(`${conflict}: the snapshot replaces the service and the state.`, hint);
  }
  if (from === "-" && paths.includes("-"))
    throw wrong("Standard input cannot be both the snapshot and a roster file.", "Name one of them by its path.");
}

const largest = 256 * 1024 * 1024;

const maxAge = 86_400_000;

/** Milliseconds by which the clock of the machine that made a snapshot may be ahead. */
const clocksApart = 5 * 60_000;

/** Throws where it is too old, or too new, to plan with. */
async function readSnapshot(path: string, host: Host): Promise<SnapshotFile> {
  await checkPathTrust(path, snapshotFile, host);
  const hint = "Make one with `roster snapshot --out FILE`, and do not edit it.";
  const bytes = await readInput(path, { what: "snapshot", largest, hint }, host);
  const { validSnapshot } = await import("../codec/generated/snapshot.js");
  const decoded = decodeSnapshot(bytes.toString("utf8"), validSnapshot);
  const name = path === "-" ? "The standard input" : path;
  if (!decoded.ok) throw invalidSetting("bad-file", `${name} cannot be used as a snapshot: ${decoded.error}.`, hint);
  const { readAt } = decoded.value.snapshot;
  const age = host.clock.now() - Date.parse(readAt);
  const ago = age < 1000 ? "just now" : `${showDuration(age)} ago`;
  if (age < -clocksApart || age > maxAge) {
    const why =
      age < 0
        ? `says that it was read at ${readAt}, which is in the future`
        : `is too old: it was read ${ago}, at ${readAt}, and may be at most ${showDuration(maxAge)} old`;
    const again = "make a new one with `roster snapshot --out FILE`, or check the job that makes it";
    throw stopError("stale", "stale", `the snapshot ${path} ${why}`, again);
  }
  const said = `the snapshot ${path} was read ${ago}, at ${readAt}. This plan does not know what changed in the service after that`;
  host.stderr.write(`${safe(said)}\n`);
  return decoded.value;
}

export function shownAs(
  { view }: Pick<OutputFlags, "view">,
  policy: Pick<Policy, "privilegedRoles" | "include" | "exclude" | "planAgain">,
): Pick<CommandOutcome, "view" | "privilegedRoles" | "selected" | "planAgain"> {
  const { privilegedRoles, planAgain } = policy;
  return { privilegedRoles, view, selected: isWhole(policy) ? undefined : true, planAgain };
}

/** Maps the access that some formats draw, where one of them is asked for: it is loaded only then. */
export async function accessDrawer(flags: OutputFlags): Promise<typeof accessOf | undefined> {
  const isDrawn = formatsIn(flags).some((name) => name === "html" || name === "markdown" || name === "github");
  return isDrawn ? (await import("../library/access.ts")).accessOf : undefined;
}
