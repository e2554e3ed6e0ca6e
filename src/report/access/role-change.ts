import type { CreateUser, ReplaceRoles } from "../../model/action.ts";
import { createdByThisPlan, type Fact, factValue } from "../../model/fact.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { ChangedKey, ChangeOrigin, RoleChange, RolesBefore, TeamLabel } from "./access-change.ts";

/** What a replacement does to the roles of its key; the creation is that of the founder whose key it is. */
export function replacedRoles(action: ReplaceRoles, founder: CreateUser | undefined): RoleChange {
  const { id, rule, because, key, before, roles } = action;
  const had = factValue(before) ?? [];
  return {
    is: "roles",
    action: id,
    rule,
    because,
    key: changedKey(action),
    gains: rolesWithout(roles, had),
    loses: rolesWithout(had, roles),
    keeps: roles.filter((role) => had.includes(role)),
    before: key.of === "prefix" ? rolesBefore(before) : { known: "new-key" },
    after: "exactly",
    forAMoment: rolesWithout(founder?.founds?.grantsForAMoment ?? [], roles),
  };
}

/** The key of a founder that no call makes exact: the service may give it more than was asked for. */
export function foundersRoles(
  { id, rule, because }: CreateUser,
  founds: NonNullable<CreateUser["founds"]>,
): RoleChange {
  return {
    ...newKey({ of: "team-key", team: { team: founds.team, name: founds.name } }),
    action: id,
    rule,
    because,
    gains: founds.accessKeyRoles,
    after: "at-least",
    forAMoment: rolesWithout(founds.grantsForAMoment, founds.accessKeyRoles),
  };
}

/** A key that comes with a call, and of which the roster says nothing. */
export function givenRoles(key: ChangedKey, origin: ChangeOrigin): RoleChange {
  return { ...newKey(key), ...origin };
}

function newKey(key: ChangedKey): Omit<RoleChange, keyof ChangeOrigin> {
  const none: RoleSet = [];
  const roles = { gains: none, loses: none, keeps: none, forAMoment: none };
  return { is: "roles", key, ...roles, before: { known: "new-key" }, after: "whatever-comes" };
}

function changedKey({ key, because }: ReplaceRoles): ChangedKey {
  switch (key.of) {
    case "own-key":
      return { of: "own-key" };
    case "team-key":
      return { of: "team-key", team: teamLabel(key.team) };
    case "prefix": {
      const prefix = factValue(key.prefix);
      const shown = prefix === undefined ? {} : { prefix };
      if (key.team !== undefined) return { of: "team-key", team: teamLabel(key.team), ...shown };
      if (key.own === true || because.some(({ as }) => as === "own-key-roles")) return { of: "own-key", ...shown };
      return { of: "key", prefix: prefix ?? "prefix not known" };
    }
  }
}

function teamLabel({ team, name }: Pick<TeamLabel, "team" | "name">): TeamLabel {
  return { team, name };
}

function rolesBefore(before: Fact<RoleSet>): RolesBefore {
  switch (before.known) {
    case "observed":
      return { known: "shown" };
    case "recorded":
      return { known: "recorded", at: before.at };
    case "declared":
      return { known: "declared", place: before.place };
    case "unknown":
      return before.why === createdByThisPlan ? { known: "new-key" } : { known: "not-known", why: before.why };
  }
}
