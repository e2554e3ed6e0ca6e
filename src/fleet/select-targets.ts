import type { Target } from "./expand-fleet.ts";

/** Gives out targets one at a time, so that a slow or dead origin holds up no other. */
export interface TargetQueue {
  /** The next target to run; nothing where none is left. */
  take(): Target | undefined;
  /** A target that was taken has ended. */
  end(target: Target): void;
}

/** Next is the first target of an origin of which the fewest run. */
export function targetQueue(targets: readonly Target[]): TargetQueue {
  const waiting = new Map<string, Target[]>();
  const running = new Map<string, number>();
  for (const target of targets) {
    const origin = originOf(target);
    const others = waiting.get(origin);
    if (others === undefined) waiting.set(origin, [target]);
    else others.push(target);
  }
  const count = (origin: string, by: number) => running.set(origin, (running.get(origin) ?? 0) + by);
  return {
    take() {
      let chosen: string | undefined;
      for (const [origin, { length }] of waiting) {
        const isFreer = chosen === undefined || (running.get(origin) ?? 0) < (running.get(chosen) ?? 0);
        if (length > 0 && isFreer) chosen = origin;
      }
      if (chosen === undefined) return undefined;
      count(chosen, 1);
      return waiting.get(chosen)?.shift();
    },
    end: (target) => void count(originOf(target), -1),
  };
}

/** Scheme, host and port; an address that is none is an origin of its own. */
export function originOf({ endpoint }: Target): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint;
}
