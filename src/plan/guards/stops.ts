import { messageOf, truncateList } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { prefixOf } from "../../model/plan.ts";
import type { State } from "../../model/state.ts";
import { rolesWithout } from "../../model/values.ts";
import { holdsAny, rolesByUser } from "../roles-by-key.ts";
import { callFacts, type GuardInput, roleLossFacts, rolesFact, type Stop } from "./guard.ts";

/**
 * Protects from creating a crowd by mistake: a wrong export, a merge that nobody read, the roster of another service.
 * Nobody who was created can be deleted. 100 people unless set.
 */
export function maxNewUsers({ context, actions }: GuardInput): Stop | undefined {
  const { maxNewUsers: most } = context.policy.guards;
  const created = actions.filter((action) => action.kind === "create-user");
  if (most === "off" || created.length <= most) return undefined;
  const emails = created.map(({ user }) => user.email);
  const message = messageOf("max-new-users", { count: created.length, most, emails });
  return { message, facts: created.flatMap((action) => callFacts(action, context)) };
}

/**
 * Protects from mailing a crowd by mistake: each person who is added to a team gets a mail, and none can be unsent.
 * 100 additions unless set, a person in two teams counting twice.
 */
export function maxInvitations({ context, actions, teams: names }: GuardInput): Stop | undefined {
  const { maxInvitations: most } = context.policy.guards;
  const teams = actions.flatMap((action) => (action.kind === "add-members" ? [action] : []));
  const mails = teams.reduce((sum, { members }) => sum + members.length, 0);
  if (most === "off" || mails <= most) return undefined;
  const named = teams.map(({ team, members }) => `${members.length} to ${names.get(team)?.name ?? team}`);
  const message = messageOf("max-invitations", { count: mails, most, teams: named });
  return { message, facts: teams.flatMap((action) => callFacts(action, context)) };
}

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

/**
 * Protects from running out of administrators. Counted are the active people that the plan reads, which is everybody with
 * `--unmanaged` and in `drift`. Off until set.
 */
export function minAdmins(input: GuardInput): Stop | undefined {
  const { minAdmins: settings } = input.context.policy.guards;
  if (settings === "off") return undefined;
  const { role, count } = settings;
  const people = [...rolesByUser(input.context, input)].sort(([a], [b]) => (a < b ? -1 : 1));
  const keep = people.filter(([, { after }]) => holdsAny(after, [role]) === "yes").map(([address]) => address);
  const lose = people
    .filter(([, { before, after }]) => holdsAny(before, [role]) === "yes" && holdsAny(after, [role]) !== "yes")
    .map(([address]) => address);
  if (lose.length === 0 || keep.length >= count) return undefined;
  const left =
    keep.length === 0 ? "no user that roster read" : `only ${keep.length} that roster read (${truncateList(keep)})`;
  const message = messageOf("min-admins", { role, lose, left, least: count });
  return { message, facts: roleLossFacts(input, lose) };
}

/**
 * Protects the administrators that the settings name: no plan takes the last privileged role from one of them, nor may it
 * where the service does not show what their keys carry. Off until set.
 */
export function requiredAdmins(input: GuardInput): Stop | undefined {
  const { guards, privilegedRoles } = input.context.policy;
  if (guards.requiredAdmins.length === 0) return undefined;
  const held = rolesByUser(input.context, input);
  const lose = guards.requiredAdmins.filter((address) => {
    const { before, after } = held.get(address) ?? { before: [], after: [] };
    return holdsAny(before, privilegedRoles) !== "no" && holdsAny(after, privilegedRoles) === "no";
  });
  if (lose.length === 0) return undefined;
  const message = messageOf("required-admins", { lose });
  return { message, facts: roleLossFacts(input, lose) };
}

/**
 * Protects from a roster that was lost on its way, such as by a wrong path or a checkout that failed: no plan is made of a
 * roster without users while the state or the service knows people. Whom it names as leavers are not lost: a roster of keys or
 * leavers alone is none that lost its people, unless the last applied one or the state has others. Always on.
 */
export function emptyRoster({ context, actions }: GuardInput): Stop | undefined {
  const { roster, state, snapshot } = context;
  if (roster.users.size > 0) return undefined;
  const others = (known: ReadonlyMap<EmailKey, unknown>) =>
    [...known.keys()].filter((address) => !roster.leavers.has(address)).length;
  const isWithoutPeople = roster.leavers.size > 0 || (roster.keys.length > 0 && roster.teams.length === 0);
  const [found] = [
    { knower: "The last applied roster had", count: others(state.applied?.people ?? new Map()) },
    { knower: "The state has", count: others(state.users) },
    { knower: "The service shows", count: isWithoutPeople ? 0 : snapshot.users.length },
  ].filter(({ count }) => count > 0);
  if (found === undefined) return undefined;
  const message = messageOf("empty-roster", { ...found, except: roster.leavers.size > 0 ? "leavers" : undefined });
  return { message, facts: ["a roster without users", ...actions.flatMap((action) => callFacts(action, context))] };
}

/** The share of the roster's people of whom a plan need not know whether they are there. */
const maxUnprovenShare = 0.5;

/**
 * Protects from going by a service that shows a part of itself, such as with a key that sees one account of three. A person who is
 * neither shown nor proven to be absent is left alone in any case; where these are more than half of the roster's people,
 * what is left of the plan is not to be trusted either. An allowance covers the actions that the plan had, and no others.
 */
export function incompleteSnapshot({ context, actions }: GuardInput): Stop | undefined {
  const { roster, snapshot, facts } = context;
  if (actions.length === 0) return undefined;
  const unproven = [...roster.users.values()].filter(
    ({ address }) => !facts.people.has(address) && snapshot.absences.get(address)?.proven !== true,
  );
  if (unproven.length <= maxUnprovenShare * roster.users.size) return undefined;
  const message = messageOf("incomplete-snapshot", {
    count: unproven.length,
    all: roster.users.size,
    emails: unproven.map(({ email }) => email),
    why: snapshot.everyone.read === "incomplete" ? snapshot.everyone.why : undefined,
    actions: actions.length,
  });
  const calls = actions.flatMap((action) => callFacts(action, context));
  return { message, facts: [...unproven.map(({ address }) => `${address} is not shown`), ...calls] };
}
