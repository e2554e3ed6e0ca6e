import type { Target } from "../../fleet/expand-fleet.ts";
import type { TargetOutcome } from "../../fleet/outcomes.ts";
import { targetQueue } from "../../fleet/select-targets.ts";
import { showDuration } from "../../library/duration.ts";
import { formatTarget } from "../../report/document/fleet.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import type { Fleet } from "./read-fleet.ts";
import { runTarget, type TargetCommand, withoutCredentials } from "./run-target.ts";
import { sharedTransports } from "./shared-transports.ts";
import { environmentForTargets } from "./target-host.ts";

/** How the targets of a fleet are run. */
export interface FleetLimits {
  /** How many targets run at once. */
  readonly parallelism: number;
  /** How many calls run at once to one origin. */
  readonly callsPerOrigin: number;
  /** No target is started after so many have failed; absent: every one is started. */
  readonly maxFailures?: number;
  /** Milliseconds after which no target is started, and those under way end. */
  readonly deadline?: number;
}

/** Runs a command for each target of a fleet, and says what became of each, in the order of the fleet. */
export async function runFleet(
  targets: readonly Target[],
  command: TargetCommand,
  { fleet, host, limits }: { readonly fleet: Fleet; readonly host: Host; readonly limits: FleetLimits },
): Promise<readonly TargetOutcome[]> {
  const { clock, interruption } = host;
  const queue = targetQueue(targets);
  const transports = sharedTransports(limits.callsPerOrigin, host.openTransport);
  const shared = { fleet, host, env: environmentForTargets(fleet, host), openTransport: transports.open };
  const end = limits.deadline === undefined ? undefined : clock.now() + limits.deadline;
  const outcomes = new Map<string, TargetOutcome>();
  let failures = 0;
  const mayStart = () =>
    !interruption.signal.aborted &&
    failures < (limits.maxFailures ?? Number.POSITIVE_INFINITY) &&
    (end === undefined || clock.now() < end);
  const work = async () => {
    for (;;) {
      const target = mayStart() ? queue.take() : undefined;
      if (target === undefined) return;
      const left = end === undefined ? {} : { deadline: showDuration(Math.max(1000, end - clock.now())) };
      const outcome = await runTarget(target, command, { ...shared, ...left });
      queue.end(target);
      outcomes.set(target.name, outcome);
      if (outcome.status === "failed") failures += 1;
      host.stderr.write(`${safe(formatTarget(outcome))}\n`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limits.parallelism, targets.length) }, work));
  } finally {
    await transports.close();
  }
  return targets.map((target) => outcomes.get(target.name) ?? notStarted(target));
}

function notStarted({ name, labels, endpoint }: Target): TargetOutcome {
  const counts = { privilegedGains: 0, changes: 0, problems: 0, done: 0 };
  return { name, labels, service: withoutCredentials(endpoint), status: "not-started", ...counts, reports: [] };
}
