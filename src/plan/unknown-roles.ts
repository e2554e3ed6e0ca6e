import { type Place, showPlace } from "../model/place.ts";
import { byCodeUnit, type RoleSet } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";
import type { Concern, Draft } from "./draft.ts";
import type { Facts } from "./facts.ts";
import { distinctPlaces, listed } from "./subjects.ts";

interface Mention {
  readonly roles: RoleSet;
  readonly because: readonly Place[];
  readonly concern: Concern;
}

/** Whether the service knows all of the roles; where it did not say, it is not doubted. */
export function rolesKnown(roles: RoleSet, { roles: known }: Facts): boolean {
  return known === undefined || roles.every((role) => known.has(role));
}

/** One finding for each role of the roster that the service does not know, with every place that asks for it. */
export function findUnknownRoles(roster: Roster, facts: Facts): readonly Draft[] {
  const { roles: known } = facts;
  if (known === undefined) return [];
  const mentions = new Map<string, Mention[]>();
  for (const mention of mentionsIn(roster)) {
    if (rolesKnown(mention.roles, facts)) continue;
    for (const role of mention.roles.filter((one) => !known.has(one))) {
      const asking = mentions.get(role);
      if (asking === undefined) mentions.set(role, [mention]);
      else asking.push(mention);
    }
  }
  const offered = listed([...known].sort(byCodeUnit));
  return [...mentions].sort(([a], [b]) => byCodeUnit(a, b)).map(([role, asking]) => tell(role, asking, offered));
}

function* mentionsIn(roster: Roster): Generator<Mention> {
  for (const { address, ownKeyRoles } of roster.users.values()) {
    if (ownKeyRoles !== undefined)
      yield { roles: ownKeyRoles.value, because: [ownKeyRoles.place], concern: { address } };
  }
  for (const team of roster.teams) {
    for (const { address, roles, because } of team.members) {
      if (roles !== undefined) yield { roles, because, concern: { address, team: team.key } };
    }
  }
  for (const { owner, roles, place } of roster.keys) {
    yield { roles, because: [place], concern: owner === undefined ? {} : { address: owner.value } };
  }
}

function tell(role: string, asking: readonly Mention[], offered: string): Draft {
  const because = distinctPlaces(asking.flatMap((mention) => mention.because));
  const first = because[0] === undefined ? "the roster" : showPlace(because[0]);
  return {
    code: "unknown-role",
    subject: `role ${role}`,
    message:
      `The service does not know the role ${role}, which ${first} asks for. Keys that want it are left as they are. ` +
      `Role identifiers are compared exactly; the service offers ${offered}.`,
    because,
    concerns: asking.map(({ concern }) => concern),
  };
}
