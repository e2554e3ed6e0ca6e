import { orThrow } from "../../library/error.ts";
import { findDrift } from "../../library/open-findings.ts";
import type { Log } from "../../library/open-log.ts";
import { findEnd } from "../../log/log.ts";
import type { Drift } from "../../model/drift.ts";
import type { LogHead } from "../../model/state.ts";
import { rolesByKey } from "../../plan/roles-by-key.ts";
import { type AccessMap, type AccessSelection, mapAccess } from "../../report/access/access-map.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import type { PlanMade } from "./plan-without-lock.ts";

type Made = Pick<PlanMade, "loaded" | "policy" | "planned">;

/** Who has which access, what the plan does to it, and what was changed outside roster. */
export function accessMapOf(
  { loaded: { roster }, policy, planned }: Made,
  selection: AccessSelection = {},
  found?: Drift,
): AccessMap {
  const { snapshot, state, plan } = planned;
  const { privilegedRoles } = policy;
  const drift = found ?? findDrift(planned, { roster, policy });
  return mapAccess({ roster, snapshot, state, privilegedRoles, keys: rolesByKey(planned, plan), drift }, selection);
}

/** Where the log ends; undefined without a log, and of one without events. */
export async function headOf(log: Log | undefined): Promise<LogHead | undefined> {
  if (log === undefined) return undefined;
  const { head } = orThrow(await findEnd(log.store.readEvents()));
  return head.position === 0 ? undefined : head;
}

/** Whether a format of this command draws the map. */
export function drawsAccess({ format, report = [] }: OutputFlags): boolean {
  return [format, ...report.map((one) => one.format)].some((name) => ["html", "markdown", "github"].includes(name));
}
