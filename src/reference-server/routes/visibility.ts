import { mayActIn } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import type { RequestContext } from "../service-context.ts";
import { isDeleted, type Key, type User } from "../world.ts";

/** The users that a list shows, in the order of their creation. No user is looked at where nothing is to be left out. */
export function listedUsers(call: RequestContext, users: readonly User[], lag: number): readonly User[] {
  const { knobs } = call;
  const mates = knobs.credentialScope === "team" ? teamMates(call.caller.key) : undefined;
  if (mates === undefined && knobs.deleted === "visible" && lag === 0) return users;
  return users.filter(
    (user) => isListed(knobs, user) && isOlderThan(call, user, lag) && (mates === undefined || mates.has(user)),
  );
}

/** The users that a search for one text finds. */
export function foundUsers(call: RequestContext, asked: string): readonly User[] {
  const { caller, knobs } = call;
  return searchCandidates(call, asked).filter(
    (user) => mayActIn(caller, user.account) && isListed(knobs, user) && isOlderThan(call, user, knobs.searchLagMs),
  );
}

/** The user that an identifier or an address names, unless it is none of the caller's concern. */
export function namedUser(
  call: RequestContext,
  who: string,
  by: Knobs["memberIdentifiers"] = "both",
): User | undefined {
  const identified = by === "email" ? undefined : call.world.users.get(who);
  const named = identified === undefined && by !== "identifier" ? usersWithAddress(call, who) : [];
  return [...(identified === undefined ? [] : [identified]), ...named].find(
    (user) => mayActIn(call.caller, user.account) && isListed(call.knobs, user),
  );
}

/** The user who stands in the way of a new one with that address. */
export function addressHolder(call: RequestContext, email: string): User | undefined {
  const { deleted } = call.knobs;
  return usersWithAddress(call, email).find((user) => deleted !== "reusable" || !isDeleted(user));
}

/** The keys that a list or a search shows of somebody, with the roles that it shows. `lag` is that of the list or search. */
export function shownKeys(call: RequestContext, user: User, lag: number): Iterable<Key> {
  const { shownKeyLagMs } = call.knobs;
  const longest = Math.max(lag, shownKeyLagMs);
  if (longest === 0) return user.keys;
  const old = [...user.keys].filter((key) => isOlderThan(call, key, longest));
  return old.map((key) => ({ ...key, roles: rolesBefore(key, call.now - shownKeyLagMs) }));
}

function rolesBefore({ roles, formerRoles }: Key, time: number): readonly string[] {
  return formerRoles.find(({ until }) => until > time)?.roles ?? roles;
}

export function isOlderThan(
  call: RequestContext,
  thing: { readonly createdAt: number },
  milliseconds: number,
): boolean {
  return call.now - thing.createdAt >= milliseconds;
}

function searchCandidates(call: RequestContext, asked: string): readonly User[] {
  const { world, knobs } = call;
  if (knobs.searchMatch === "fuzzy") return world.userList.filter((user) => contains(user, asked));
  const identified = world.users.get(asked);
  const exact = identified === undefined ? usersWithAddress(call, asked) : [identified];
  if (knobs.searchMatch === "exact" || exact.length > 0) return exact;
  return world.userList.filter((user) => user.externalIdentifier === asked);
}

function contains({ email, identifier }: User, asked: string): boolean {
  return email.toLowerCase().includes(asked.toLowerCase()) || identifier.includes(asked);
}

function usersWithAddress({ world, knobs }: RequestContext, email: string): readonly User[] {
  const users = world.usersByAddress(email);
  return knobs.match === "exact" ? users.filter((user) => user.email === email) : users;
}

function isListed({ deleted }: Knobs, user: User): boolean {
  return deleted === "visible" || !isDeleted(user);
}

function teamMates({ owner }: Key): ReadonlySet<User> {
  const mates = new Set([owner]);
  const teams = [...owner.keys].flatMap(({ team }) => (team?.members.has(owner) === true ? [team] : []));
  for (const { members } of teams) for (const member of members.keys()) mates.add(member);
  return mates;
}
