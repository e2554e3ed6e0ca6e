import { messageOf } from "../../codes/message.ts";
import { prefixOf } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import { rolesWithout } from "../../model/role-set.ts";
import type { State } from "../../model/state.ts";
import { rolesFact } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects from revoking all roles of a company by mistake: a role set that was emptied, teams that were cut off a file. No more keys may
 * lose roles than a quarter of the managed keys whose roles are known, and ten in any case. Keys that our own runs created
 * and have not yet made exact do not count. Other numbers may be set.
 */
export function maxRoleRemovals({ context, actions, users, knownKeys }: GuardInput): Stop | undefined {
  const { maxRoleRemovals: settings } = context.policy.guards;
  if (settings === "off") return undefined;
  const fresh = freshKeys(context.state);
  const losing = actions.flatMap((action) => {
    if (action.kind !== "replace-roles") return [];
    const { key, before, roles } = action;
    const prefix = prefixOf(action);
    const email = key.address && users.get(key.address)?.email;
    const lost = rolesWithout(factValue(before) ?? [], roles);
    if (prefix === undefined || lost.length === 0 || fresh.has(prefix)) return [];
    const name = email === undefined ? `key ${prefix}` : `${email} (key ${prefix})`;
    const fact = `${prefix}: ${rolesFact(`remove ${JSON.stringify(lost)}`, action, context)}`;
    return [{ prefix, name, fact }];
  });
  const known = new Set([...knownKeys, ...losing.map(({ prefix }) => prefix)]);
  const counted = [...known].filter((prefix) => !fresh.has(prefix)).length;
  const most = Math.max(settings.floor, Math.floor(settings.ratio * counted));
  if (losing.length <= most) return undefined;
  const share = Math.round((losing.length / counted) * 100);
  const keys = losing.map(({ name }) => name);
  const message = messageOf("max-role-removals", { count: losing.length, all: counted, share, most, keys });
  return { message, facts: losing.map(({ fact }) => fact) };
}

/** Prefixes that our creations and additions gave, and that no replacement of ours has made exact yet; not those that were met. */
function freshKeys({ users, memberships, keys }: State): ReadonlySet<string> {
  const given = [
    ...[...users.values()].map(({ createdAt, key }) => (createdAt === undefined ? undefined : key)),
    ...[...memberships.values()].map(({ how, prefix }) => (how === "seen" ? undefined : prefix)),
  ];
  return new Set(given.filter((prefix) => prefix !== undefined).filter((prefix) => !keys.has(prefix)));
}
