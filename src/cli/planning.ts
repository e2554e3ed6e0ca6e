import type { accessOf } from "../library/access.ts";
import { invalidSetting } from "../library/error.ts";
import type { LoadedRoster } from "../library/load-roster.ts";
import type { Log } from "../library/log.ts";
import { basisOf, plan as makePlan, type Planned, type PlanOptions } from "../library/plan.ts";
import { isWhole } from "../library/policy.ts";
import type { Policy } from "../model/policy.ts";
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
  if (flags.from !== undefined) return previewFrom(command, flags.from, request);
  const { observer, options } = await openPlanning(command, paths, flags, stdin);
  const { roster: loaded, log } = options;
  await reportActiveRun(log, command.host);
  return { loaded, observer, planned: basisOf(await makePlan({ ...options, everyone })), log };
}

/** The time is that of the reading. Only the age of the file uses the clock of this machine. */
async function previewFrom(
  command: Command,
  from: string,
  { paths, flags, stdin = command.host.stdin }: PlanRequest,
): Promise<PlanMade> {
  checkSnapshotFlags(from, paths, flags);
  await checkPathTrust(from, snapshotFile, command.host);
  const { howToSnapshot: hint, planFromSnapshot, readSnapshot } = await import("../library/snapshot.ts");
  const bytes = await readInput(from, { what: "snapshot", largest, hint }, command.host);
  const { kept, ago } = await readSnapshot({ file: from, text: bytes.toString("utf8") }, command.host.clock.now());
  const { readAt } = kept.snapshot;
  const said = `the snapshot ${from} was read ${ago}, at ${readAt}. This plan does not know what changed in the service after that`;
  command.host.stderr.write(`${safe(said)}\n`);
  const host = { ...command.host, stdin, clock: { ...command.host.clock, now: () => Date.parse(readAt) } };
  const { settings, observer, policy: read } = await openReading(command, flags, host, "neither");
  const policy = { ...read, ...planCommands(paths, flags, host) };
  const loaded = await loadRoster(paths, settings, host);
  command.tell({ roster: loaded.counts, diagnostics: loaded.warnings });
  return { loaded, observer, planned: planFromSnapshot(kept, { roster: loaded.roster, policy }) };
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
