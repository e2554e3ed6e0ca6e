import type { Call } from "./call.ts";
import type { Creation, Founding } from "./create-user.ts";
import type { Created } from "./dialect/tell-created.ts";
import type { Account, Key, Team, User } from "./entities.ts";
import { keptAddress } from "./knobs/email-case.ts";
import { keptExternalId } from "./knobs/external-id.ts";
import { rolesOfFounder } from "./knobs/founder-roles.ts";
import { keptTexts } from "./knobs/texts.ts";
import { teamRole } from "./known-roles.ts";
import { namedUser } from "./rules/people.ts";

/** Adds a user with their key, and the team that is founded with them. */
export function addUser(call: Call, account: Account, creation: Creation): Created {
  const { knobs, now, world } = call;
  const user = world.addUser({
    ...keptTexts(knobs.texts, creation),
    account,
    email: keptAddress(knobs.emailCase, creation.email),
    externalIdentifier: keptExternalId(knobs.externalId, creation),
    source: creation.source,
    createdAt: now,
  });
  if (creation.team === undefined) return { user, ...addOwnKeys(call, user), team: undefined };
  const team = foundTeam(call, user, creation.team);
  const roles = rolesOfFounder(knobs.founderRoles, creation.team.accessKeyRoles ?? []);
  return { user, ...addFoundersKeys(call, team, user, roles), team };
}

/** The new team holds only its founder, whose key is active. */
function foundTeam(call: Call, founder: User, founding: Founding): Team {
  const name = founding.name ?? `Team${founder.firstName} ${founder.lastName}`;
  const named = founding.adminUserIdentifier;
  const admin = (named === undefined ? undefined : namedUser(call, named)) ?? founder;
  return call.world.addTeam({ account: founder.account, name, admin, createdAt: call.now });
}

type NewKeys = Pick<Created, "key" | "keys">;

function addOwnKeys(call: Call, owner: User): NewKeys {
  const key = addKey(call, { kind: "user", owner, roles: [teamRole] });
  return { key, keys: [key, ...second(call, { kind: "project", owner, roles: [teamRole] })] };
}

function addFoundersKeys(call: Call, team: Team, owner: User, roles: readonly string[]): NewKeys {
  const others = second(call, { kind: "user", owner, roles: [teamRole] });
  const key = addKey(call, { kind: "team", owner, team, roles });
  return { key, keys: [...others, key] };
}

type KeyWish = Pick<Key, "kind" | "owner" | "roles"> & { readonly team?: Team };

/** A key more than the one that is needed, where this service makes one. */
function second(call: Call, wish: KeyWish): readonly Key[] {
  return call.knobs.create === "C10" || call.knobs.create === "C10-ambiguous" ? [addKey(call, wish)] : [];
}

function addKey(call: Call, wish: KeyWish): Key {
  return call.world.addKey({ ...wish, createdAt: call.now });
}
