import type { EmailKey } from "../model/address.ts";
import type { AuditedCall, AuditedTeam, AuditRecord } from "../model/audit.ts";
import type { Actor } from "../model/event.ts";
import type { RoleSet } from "../model/role-set.ts";

/** What a log says of one key: who holds it, and since when each of its roles. */
export interface AuditedAccess {
  readonly prefix: string;
  readonly person?: EmailKey | undefined;
  /** Absent for the user's own key. */
  readonly team?: AuditedTeam | undefined;
  /** Absent where no recorded call gave or took any. Undefined for a role that a call found on the key: nobody knows who gave it. */
  readonly roles?: AuditedRoles | undefined;
}

type AuditedRoles = ReadonlyMap<string, AuditedGrant | undefined>;

/** By which run a key got a role. */
export interface AuditedGrant {
  readonly at: string;
  readonly run: string;
  readonly actor?: Actor | undefined;
}

interface AccessDraft {
  readonly prefix: string;
  person: EmailKey | undefined;
  team: AuditedTeam | undefined;
  roles: AuditedRoles | undefined;
}

/**
 * The access that the records of a log add up to, by key prefix. Changes made outside roster are not in it, apart from roles
 * that a call found. `until`: milliseconds since the epoch; later records do not count. Clocks of different machines differ: a
 * record that counts may stand behind one that does not.
 */
export function replayAccess(
  records: Iterable<AuditRecord>,
  until = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, AuditedAccess> {
  const keys = new Map<string, AccessDraft>();
  const actors = new Map<string, Actor>();
  for (const record of records) {
    if (Date.parse(record.at) > until) continue;
    if (record.kind === "run-started" && record.actor !== undefined) actors.set(record.run, record.actor);
    if (record.kind === "key-learned") learnKey(keys, record);
    if (record.kind === "call" && record.outcome === "done") applyCall(keys, record, actors.get(record.run));
  }
  return keys;
}

function learnKey(
  keys: Map<string, AccessDraft>,
  { prefix, person, team }: Pick<AuditedCall, "person" | "team"> & { readonly prefix: string },
): AccessDraft {
  const known = keys.get(prefix);
  const key: AccessDraft = known ?? { prefix, person, team, roles: undefined };
  key.person = person ?? key.person;
  key.team = team ?? key.team;
  keys.set(prefix, key);
  return key;
}

function applyCall(keys: Map<string, AccessDraft>, call: AuditedCall, actor: Actor | undefined): void {
  const { prefix, rolesBefore, rolesAfter, at, run } = call;
  if (prefix === undefined) return;
  const key = learnKey(keys, { ...call, prefix });
  if (rolesAfter === undefined) return;
  key.roles = grantsAfter(key.roles, { before: rolesBefore, after: rolesAfter }, { at, run, actor });
}

/** A role that stays keeps the run that gave it. What a call found on the key counts, and not what was recorded before. */
function grantsAfter(
  known: AuditedRoles | undefined,
  {
    before = [...(known?.keys() ?? [])],
    after,
  }: { readonly before?: readonly string[] | undefined; readonly after: RoleSet },
  grant: AuditedGrant,
): AuditedRoles {
  return new Map(after.map((role) => [role, before.includes(role) ? known?.get(role) : grant]));
}

/** How many calls up to a time have an unknown outcome, and no later record that says more. */
export function countUnknownCalls(records: Iterable<AuditRecord>, until: number): number {
  const open = new Map<string, AuditedCall["prefix"]>();
  for (const record of records) {
    if (record.kind !== "call" || Date.parse(record.at) > until) continue;
    const call = [record.announcedBy ?? record.run, record.action, record.person, record.prefix].join("\n");
    if (record.outcome === "unknown") open.set(call, record.prefix);
    else open.delete(call);
    if (record.call !== "replace-roles" || record.outcome !== "done") continue;
    for (const [earlier, prefix] of open) if (prefix === record.prefix) open.delete(earlier);
  }
  return open.size;
}
