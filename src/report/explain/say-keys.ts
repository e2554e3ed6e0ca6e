import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { ExplainContext, Statement } from "./explanation.ts";

/** A key as the service shows it. */
export function formatObservedKey({ prefix, team, kind, status, roles }: ObservedKey): string {
  const where = team === undefined || team === "none" ? "" : ` in ${formatKeyTeam(team)}`;
  const about = [kind, status].filter((word) => word !== undefined);
  const told = about.length === 0 ? "" : ` (${about.join(", ")})`;
  return `key ${prefix}${where}${told}: ${roles === undefined ? "its roles are not shown" : formatRoles(roles)}`;
}

function formatKeyTeam({ name, identifier }: { readonly name?: string; readonly identifier?: string }): string {
  if (name === undefined) return `the team ${identifier ?? "that is not named"}`;
  return identifier === undefined ? name : `${name} (${identifier})`;
}

export function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/** What the state records of the roles of a key. */
export function recordedRoles(prefix: string, { keys }: State): readonly Statement[] {
  const record = keys.get(prefix);
  if (record === undefined) return [];
  const { put, at, readAs } = record;
  const read = readAs === undefined || sameRoles(readAs, put) ? "" : `, which then read as ${formatRoles(readAs)}`;
  return [{ says: `our last replacement of the roles of the key ${prefix} asked for ${formatRoles(put)}${read}`, at }];
}

/** Keys that are shown and of whose roles the roster says nothing. */
export function unmanagedKeys(user: ObservedUser, known: ExplainContext): readonly Statement[] {
  const asked = managedPrefixes(known);
  return (user.keys ?? [])
    .filter(({ prefix }) => !asked.has(prefix))
    .map((key) => ({ says: `the roster does not say which roles it has: ${formatObservedKey(key)}`, by: user.by }));
}

const managedPrefixesByContext = new WeakMap<ExplainContext, ReadonlySet<string>>();

function managedPrefixes(known: ExplainContext): ReadonlySet<string> {
  const prefixes = managedPrefixesByContext.get(known) ?? readManagedPrefixes(known);
  managedPrefixesByContext.set(known, prefixes);
  return prefixes;
}

/** Prefixes on which the roster wants roles, be they there already, planned, or told in a finding. */
function readManagedPrefixes({ roster, plan, agreements }: ExplainContext): ReadonlySet<string> {
  const settled = agreements.flatMap(({ prefix, basis }) =>
    prefix === undefined || basis === undefined ? [] : [prefix],
  );
  const planned = plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
    return action.key.prefix.known === "unknown" ? [] : [action.key.prefix.value];
  });
  const told = plan.findings.flatMap(({ subject }) => /^key (.+)$/u.exec(subject)?.[1] ?? []);
  return new Set([...settled, ...planned, ...told, ...roster.keys.map(({ prefix }) => prefix)]);
}
