import { orThrow } from "../../library/error.ts";
import type { Log } from "../../library/open-log.ts";
import type { Drift } from "../../model/drift.ts";
import type { LogHead } from "../../model/state.ts";
import { computeDrift } from "../../plan/drift/compute-drift.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessMap, type AccessSelection, mapAccess } from "../../report/access/access-map.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import type { PlanMade } from "./plan-without-lock.ts";

type Made = Pick<PlanMade, "loaded" | "policy" | "planned">;

export function accessMapOf(
  { loaded: { roster }, policy, planned }: Made,
  selection: AccessSelection = {},
  found?: Drift,
): AccessMap {
  const { snapshot, state, plan, context } = planned;
  const { privilegedRoles } = policy;
  const drift = found ?? computeDrift(plan, context);
  return mapAccess({ roster, snapshot, state, privilegedRoles, keys: rolesByKey(planned, plan), drift }, selection);
}

export function drawnAccess({ format, report = [] }: OutputFlags, made: Made, found?: Drift): AccessMap | undefined {
  const isDrawn = [format, ...report.map((one) => one.format)].some((name) => drawing.includes(name));
  return isDrawn ? accessMapOf(made, {}, found) : undefined;
}

const drawing: readonly string[] = ["html", "markdown", "github"];

/** Where the log ends; undefined without a log, and of one without events. */
export async function headOf(log: Log | undefined): Promise<LogHead | undefined> {
  const head = log && orThrow(await log.store.head());
  return head?.position === 0 ? undefined : head;
}
