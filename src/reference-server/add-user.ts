import type { RequestContext } from "./call.ts";
import type { CreateUserRequest, FoundTeamRequest } from "./create-user.ts";
import type { CreatedUser } from "./dialect/tell-created.ts";
import type { Account, Key, Team, User } from "./entities.ts";
import { storedEmail } from "./knobs/email-case.ts";
import { storedExternalId } from "./knobs/external-id.ts";
import { founderKeyRoles } from "./knobs/founder-roles.ts";
import { storedNames } from "./knobs/texts.ts";
import { teamRole } from "./known-roles.ts";
import { namedUser } from "./rules/people.ts";

/** Adds a user with their key, and the team that is founded with them. */
export function addUserWithKey(call: RequestContext, account: Account, creation: CreateUserRequest): CreatedUser {
  const { knobs, now, world } = call;
  const user = world.addUser({
    ...storedNames(knobs.texts, creation),
    account,
    email: storedEmail(knobs.emailCase, creation.email),
    externalIdentifier: storedExternalId(knobs.externalId, creation),
    source: creation.source,
    createdAt: now,
  });
  if (creation.team === undefined) return { user, ...addOwnKeys(call, user), team: undefined };
  const team = createTeam(call, user, creation.team);
  const roles = founderKeyRoles(knobs.founderRoles, creation.team.accessKeyRoles ?? []);
  return { user, ...addFounderKeys(call, team, user, roles), team };
}

/** The new team holds only its founder, whose key is active. */
function createTeam(call: RequestContext, founder: User, founding: FoundTeamRequest): Team {
  const name = founding.name ?? `Team${founder.firstName} ${founder.lastName}`;
  const named = founding.adminUserIdentifier;
  const admin = (named === undefined ? undefined : namedUser(call, named)) ?? founder;
  return call.world.addTeam({ account: founder.account, name, admin, createdAt: call.now });
}

type CreatedKeys = Pick<CreatedUser, "key" | "keys">;

function addOwnKeys(call: RequestContext, owner: User): CreatedKeys {
  const key = addKey(call, { kind: "user", owner, roles: [teamRole] });
  return { key, keys: [key, ...secondKey(call, { kind: "project", owner, roles: [teamRole] })] };
}

function addFounderKeys(call: RequestContext, team: Team, owner: User, roles: readonly string[]): CreatedKeys {
  const others = secondKey(call, { kind: "user", owner, roles: [teamRole] });
  const key = addKey(call, { kind: "team", owner, team, roles });
  return { key, keys: [...others, key] };
}

type KeyInput = Pick<Key, "kind" | "owner" | "roles"> & { readonly team?: Team };

/** A key more than the one that is needed, where this service makes one. */
function secondKey(call: RequestContext, wish: KeyInput): readonly Key[] {
  return call.knobs.create === "C10" || call.knobs.create === "C10-ambiguous" ? [addKey(call, wish)] : [];
}

function addKey(call: RequestContext, wish: KeyInput): Key {
  return call.world.addKey({ ...wish, createdAt: call.now });
}
