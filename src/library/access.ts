import { foldWhere } from "../log/checkpoint.ts";
import type { Drift, Plan } from "../model/plan.ts";
import type { RoleSet } from "../model/values.ts";
import { computeDrift } from "../plan/drift/compute-drift.ts";
import { endedChanges, selectEnded } from "../plan/drift/ended-changes.ts";
import { rolesByKey } from "../plan/roles-before-after.ts";
import { type AccessMap, type AccessSelection, mapAccess, mapRecordedAccess } from "../report/access/access-map.ts";
import { knownNames } from "../report/explain/explain.ts";
import { emptyRoster } from "../roster/build.ts";
import { invalidSetting, orThrow, suggest, withoutSecrets } from "./error.ts";
import { isKnownName } from "./explain.ts";
import { type AskedTime, checkPruned, headOf, type Log } from "./log.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import { type Planned, type PlanOptions, planChecks, planFor, workOf } from "./plan.ts";
import { readPolicy } from "./policy.ts";

export interface AccessOptions extends PlanOptions {
  /** Everything where it is absent. */
  readonly only?: AccessSelection | undefined;
}

const only = is.shape({ person: is.text, team: is.text, role: is.text } satisfies OptionChecks<AccessSelection>);

/**
 * Reads everybody, and maps who has which role: what the service shows, why, since when, and what `apply` would change. Takes no
 * lock and writes nothing. Throws what `plan` throws; a plan that guards refuse is shown all the same.
 */
export async function access(options: AccessOptions): Promise<AccessMap> {
  checkOptions("access", { ...planChecks, only } satisfies OptionChecks<AccessOptions>, options);
  const work = workOf({ ...options, everyone: () => "always" });
  return withoutSecrets(work.secrets, async () => {
    const planned = await planFor(work, orThrow(await work.log.store.read()));
    return work.secrets.redactAll(await accessWithLog(planned, work.log, options.only));
  });
}

/** What was read, with what the plan changes. `drift`: what of it was changed outside roster, where that was computed before. */
export function accessOf(planned: Planned, selection?: AccessSelection, drift?: Drift): AccessMap {
  const { state, plan, context } = planned;
  const { policy, keyInUse } = context;
  const { privilegedRoles } = policy;
  const known = { ...accessAround(plan, planned), state, privilegedRoles, keyInUse };
  return mapAccess({ ...known, drift: drift ?? computeDrift(plan, context) }, selection);
}

/** The same, with the changes by others that ended, and where the log ends. A snapshot was read without a log. */
export async function accessWithLog(
  planned: Planned,
  log: Log | undefined,
  selection?: AccessSelection,
): Promise<AccessMap> {
  const map = accessOf(planned, selection);
  const { roster, policy } = planned.context;
  checkNames(map, selection, { ...planned, roster }, policy.privilegedRoles);
  if (log === undefined) return map;
  return { ...map, head: await headOf(log), ended: selectEnded(await endedChanges(log.store.readEvents()), selection) };
}

/** What was read of everybody, and each key before and after a plan, which may have been saved earlier. */
export function accessAround(plan: Plan, planned: Planned) {
  return { snapshot: planned.snapshot, roster: planned.context.roster, keys: rolesByKey(planned, plan) };
}

/** Of the policy, only the privileged roles count. */
export interface RecordedAccessOptions extends Pick<AccessOptions, "log" | "policy" | "only"> {
  /** ISO 8601 with an offset. What was recorded later does not count. */
  readonly asOf: string;
}

const { log, policy } = planChecks;
const recordedChecks: OptionChecks<RecordedAccessOptions> = { log, policy, only, asOf: is.required(is.time) };

/**
 * Maps who had which role at a time, as far as the log knew: what calls set, and what reads showed. Changes by others are in it from the
 * run that first saw them. Throws for a log without events, for one that was changed, and where the events of that time were pruned.
 */
export async function recordedAccess(options: RecordedAccessOptions): Promise<AccessMap> {
  checkOptions("recordedAccess", recordedChecks, options);
  const { log, policy = readPolicy() } = options;
  const asked = { name: "`asOf`", time: Date.parse(options.asOf) };
  return withoutSecrets(log.secrets, async () =>
    log.secrets.redactAll(await accessAt(asked, log, policy.privilegedRoles, options.only)),
  );
}

/** The same at a time that has another name. */
export async function accessAt(
  asked: AskedTime,
  { store }: Log,
  privilegedRoles: RoleSet,
  selection?: AccessSelection,
): Promise<AccessMap> {
  const { name, time } = asked;
  const read = await foldWhere(store.readEvents(), ({ event }) => Date.parse(event.at) <= time);
  if (read.from === undefined) {
    const hint = `If the log is in another place, use that place. To read the service, leave ${name} out.`;
    throw invalidSetting("missing-setting", `${name} needs a log, but the log has no events.`, hint);
  }
  checkPruned(asked, read.pruned);
  const ended = await endedChanges(store.readEvents(), time);
  const map = mapRecordedAccess(read, { asOf: new Date(time).toISOString(), ended }, privilegedRoles, selection);
  if ((selection?.team ?? selection?.role) !== undefined) {
    const { state } = await foldWhere(store.readEvents(), () => true);
    checkNames(map, selection, { roster: emptyRoster, state }, privilegedRoles);
  }
  return { ...map, ended: selectEnded(ended, selection) };
}

/** That nobody has a misspelt role proves nothing. A user may be nowhere. */
function checkNames(
  { rows }: AccessMap,
  only: AccessSelection = {},
  known: Parameters<typeof knownNames>[1],
  privileged: RoleSet,
): void {
  const those = known.snapshot === undefined ? "The log has" : "The service, the roster and the log have";
  for (const is of ["team", "role"] as const) {
    const { [is]: name } = only;
    if (name === undefined) continue;
    const shown = rows.flatMap((row) => row[is] ?? []);
    const names = [...knownNames({ is }, known), ...shown, ...(is === "role" ? privileged : [])];
    const hint = suggest(name, names, "`roster access` lists teams and roles.");
    if (!isKnownName({ is, name }, names)) throw invalidSetting("unknown-name", `${those} no ${is} ${name}.`, hint);
  }
}
