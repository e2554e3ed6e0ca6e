import type { Target } from "../../fleet/expand-fleet.ts";
import type { TargetOutcome } from "../../fleet/outcomes.ts";
import { targetQueue } from "../../fleet/select-targets.ts";
import { showDuration } from "../../library/duration.ts";
import type { OriginOptions } from "../../network/origin.ts";
import { formatTarget } from "../../report/document/fleet.ts";
import { safe } from "../../report/safe.ts";
import { type OpenTransport, openTransport } from "../../service/client.ts";
import type { Transport } from "../../service/retry.ts";
import type { Host } from "../host.ts";
import type { Fleet } from "./read-fleet.ts";
import { environmentForTargets, runTarget, type TargetCommand, withoutCredentials } from "./run-target.ts";

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

/** Transports that targets of one origin share. */
export interface SharedTransports {
  readonly open: OpenTransport;
  /** Ends all connections. */
  close(): Promise<void>;
}

/**
 * One transport for each origin, with at most so many calls at once from all targets together. A write is announced with the time
 * by which it leaves: it waits only for reads that have begun.
 * @internal
 */
export function sharedTransports(callsPerOrigin: number, open: OpenTransport = openTransport): SharedTransports {
  const opened = new Map<string, Transport>();
  return {
    open(options) {
      const key = transportKey(options);
      const shared = opened.get(key) ?? limited(open({ ...options, connections: callsPerOrigin }), callsPerOrigin);
      opened.set(key, shared);
      return { send: shared.send, close: async () => undefined };
    },
    async close() {
      await Promise.all([...opened.values()].map((transport) => transport.close()));
    },
  };
}

function transportKey({ origin, proxy, ca, timeout, largestAnswer }: OriginOptions): string {
  return JSON.stringify([origin, proxy, ca, timeout, largestAnswer]);
}

function limited(transport: Transport, limit: number): Transport {
  let free = limit;
  const waiting: (() => void)[] = [];
  const enter = async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((go) => waiting.push(go));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async send(call, key, signal) {
      if (call.effect === "write") return transport.send(call, key, signal);
      await enter();
      try {
        return await transport.send(call, key, signal);
      } finally {
        leave();
      }
    },
    close: () => transport.close(),
  };
}
