import { closestMatch } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import { hasLabel } from "../model/subject.ts";
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
  const idle = selectors.find((selector) => !targets.some((target) => isSelected(target, selector)));
  if (idle !== undefined) return problem(unknownSelector(idle, targets));
  if (selectors.length === 0) return success(targets);
  return success(targets.filter((target) => selectors.some((selector) => isSelected(target, selector))));
}

/** `NAME`, or `label=value`: no name has an equals sign. */
function isSelected({ name, labels }: Target, selector: string): boolean {
  const at = selector.indexOf("=");
  if (at < 0) return name === selector;
  return hasLabel({ labels }, selector.slice(0, at), selector.slice(at + 1));
}

function unknownSelector(selector: string, targets: readonly Target[]): UnknownSelector {
  const labels = targets.flatMap(({ labels: all }) => Object.entries(all).map(([key, value]) => `${key}=${value}`));
  const candidates = selector.includes("=") ? labels : targets.map(({ name }) => name);
  const near = closestMatch(selector, candidates);
  return near === undefined ? { selector } : { selector, near };
}
