import { closestMatch } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Target } from "./expand-fleet.ts";

/** A selector that matches no target, and the name that was most likely meant. */
interface UnknownSelector {
  readonly selector: string;
  readonly near?: string;
}

/** The targets that any of the selectors matches, in the order of the fleet; all of them where there is none. */
export function selectTargets(
  targets: readonly Target[],
  selectors: readonly string[],
): Result<readonly Target[], UnknownSelector> {
  const idle = selectors.find((selector) => !targets.some((target) => target.name === selector));
  if (idle !== undefined) return problem(unknownSelector(idle, targets));
  if (selectors.length === 0) return success(targets);
  return success(targets.filter((target) => selectors.some((selector) => target.name === selector)));
}

function unknownSelector(selector: string, targets: readonly Target[]): UnknownSelector {
  const near = closestMatch(
    selector,
    targets.map(({ name }) => name),
  );
  return near === undefined ? { selector } : { selector, near };
}

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
