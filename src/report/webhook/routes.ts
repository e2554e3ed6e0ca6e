import { foldAddress } from "../../model/address.ts";
import { countsInExitCode, type DriftItem } from "../../model/drift.ts";
import { type DriftReport, reportedItems } from "../drift.ts";
import type { CommandOutcome } from "../outcome.ts";

/** What one webhook is told of an outcome. */
export interface RoutedOutcome {
  /** Whose webhook it is; absent for the default one. */
  readonly owner?: string;
  readonly outcome: CommandOutcome;
}

/**
 * Parts an outcome by the owners that have a webhook of their own. The default one gets the rest, and also what is about privileged
 * roles and guards, so that no change to a roster can keep these from it. Nobody is told of nothing; a drift that failed goes to the default.
 */
export function routeOutcome(outcome: CommandOutcome, owners: readonly string[]): readonly RoutedOutcome[] {
  const { drift } = outcome;
  if (drift === undefined || owners.length === 0) return [{ outcome }];
  const routed = new Set(owners.map(ownerKey));
  const hasRoute = (owner: string | undefined) => owner !== undefined && routed.has(ownerKey(owner));
  const rest = part(
    drift,
    ({ owner }) => !hasRoute(owner),
    ({ guarded }) => guarded,
  );
  const isTold = countingItems(rest).length > 0 || countingItems(drift).length === 0;
  return [
    ...(isTold ? [{ outcome: { ...outcome, drift: rest } }] : []),
    ...owners.flatMap((owner) => {
      const own = part(drift, (one) => one.owner !== undefined && ownerKey(one.owner) === ownerKey(owner));
      return countingItems(own).length === 0 ? [] : [{ owner, outcome: { ...outcome, drift: own } }];
    }),
  ];
}

/** Addresses are compared folded, as everywhere, and names exactly. */
function ownerKey(owner: string): string {
  return owner.includes("@") ? foldAddress(owner) : owner;
}

function countingItems(report: DriftReport): readonly DriftItem[] {
  return reportedItems(report).filter(countsInExitCode);
}

function part(
  report: DriftReport,
  isTheirs: (one: { readonly owner?: string }) => boolean,
  isAlso: (item: DriftItem) => boolean = () => false,
): DriftReport {
  const isKept = (item: DriftItem) => isTheirs(item) || isAlso(item);
  const { drift, todo } = report;
  return {
    ...report,
    drift: { ...drift, items: drift.items.filter(isKept) },
    todo: { open: todo.open.filter(({ item }) => isKept(item)), closed: todo.closed.filter(isTheirs) },
  };
}
