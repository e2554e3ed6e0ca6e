import type {
  Action,
  AddMembers,
  CreateUser,
  KeyRef,
  PersonRef,
  ReplaceRoles,
  TeamRef,
} from "../../src/model/action.ts";
import { type Fact, observed, reasonAt, unknown } from "../../src/model/fact.ts";
import type { Plan } from "../../src/model/plan.ts";
import { type RoleSet, roleSet } from "../../src/model/role-set.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { addressOf, at, emailOf } from "./roster-builders.ts";

export const createId = (name: string) => `create-user:${emailOf(name)}`;
export const addId = (team: string) => `add-members:${teamKeyOf("acc-1", team)}`;
export const rolesId = (name: string, team?: string) =>
  `replace-roles:${team === undefined ? "" : `${teamKeyOf("acc-1", team)} `}${emailOf(name)}`;

/** `aCreation("ada")` creates ada@acme.example, Ada Test, in acc-1. */
export function aCreation(
  name: string,
  wish: { createsTeam?: string; admin?: PersonRef; roles?: readonly string[]; after?: readonly string[] } = {},
): CreateUser {
  const { createsTeam, admin, roles = ["TEAM_ROLE"], after = [] } = wish;
  const firstName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    kind: "create-user",
    rule: createsTeam === undefined ? "absent-user" : "creates-team",
    id: createId(name),
    because: [reasonAt(at(1), "user")],
    dependsOn: after,
    restsOn: [],
    address: addressOf(name),
    account: "acc-1",
    user: { email: emailOf(name), firstName, lastName: "Test" },
    ...(createsTeam === undefined ? {} : { createsTeam: aTeamCreation(createsTeam, roleSet(roles), admin) }),
  };
}

function aTeamCreation(team: string, accessKeyRoles: RoleSet, admin: PersonRef | undefined) {
  const teamCreation = { team: teamKeyOf("acc-1", team), name: team, accessKeyRoles, temporaryRoles: [] };
  return { ...teamCreation, ...(admin === undefined ? {} : { admin }) };
}

/** Somebody whom the service knows by an identifier, or nobody knows how. */
export function person(name: string, identifier?: string): PersonRef {
  const known = identifier === undefined ? unknown<string>("hidden") : observed(identifier, "search 1");
  return { address: addressOf(name), email: emailOf(name), identifier: known };
}

/** Somebody whom this plan creates. */
export function newPerson(name: string): PersonRef {
  return { ...person(name), createdBy: createId(name) };
}

export function teamRef(name: string, identifier: string): TeamRef {
  return { team: teamKeyOf("acc-1", name), name, account: "acc-1", identifier: observed(identifier, "search 1") };
}

/** A team that this plan creates with a person. */
export function newTeam(name: string, firstMember: string): TeamRef {
  const identifier = unknown<string>("created by this plan");
  return { team: teamKeyOf("acc-1", name), name, account: "acc-1", identifier, createdBy: createId(firstMember) };
}

/** Waits for the team's creation of a team and for every person whom this plan creates. */
export function anAddition(team: TeamRef, members: readonly PersonRef[]): AddMembers {
  const teamCreation = team.createdBy === undefined ? [] : [team.createdBy];
  const people = members.flatMap(({ createdBy }) => (createdBy === undefined ? [] : [createdBy]));
  const after = [...teamCreation, ...people];
  const because = [reasonAt(at(1), "team")];
  const rule = team.createdBy === undefined ? "missing-member" : "joins-new-team";
  return { kind: "add-members", id: addId(team.name), rule, because, dependsOn: after, restsOn: [], team, members };
}

export function aReplacement(
  id: string,
  key: KeyRef,
  roles: readonly string[],
  wish: { before?: Fact<RoleSet>; owner?: PersonRef; ifInexact?: boolean } = {},
): ReplaceRoles {
  const { before = unknown("not shown"), owner, ifInexact = false } = wish;
  return {
    kind: "replace-roles",
    id,
    rule: key.of === "prefix" ? "roles-differ" : "roles-of-new-key",
    because: [reasonAt(at(1), "member")],
    dependsOn: key.of === "prefix" ? [] : [key.givenBy],
    restsOn: [],
    key,
    before,
    roles: roleSet(roles),
    ifInexact,
    ...(owner === undefined ? {} : { owner }),
  };
}

/** The roles of the team key of somebody whom this plan adds to the team. */
export function rolesOfAdded(
  name: string,
  team: TeamRef,
  roles: readonly string[],
  wish: { ifInexact?: boolean } = {},
): ReplaceRoles {
  const key: KeyRef = { of: "team-key", address: addressOf(name), team, givenBy: addId(team.name) };
  return aReplacement(rolesId(name, team.name), key, roles, wish);
}

/** The roles of the team key of the person with whom this plan creates the team. */
export function rolesOfFirstMember(
  name: string,
  team: TeamRef,
  roles: readonly string[],
  wish: { ifInexact?: boolean } = {},
): ReplaceRoles {
  const key: KeyRef = { of: "team-key", address: addressOf(name), team, givenBy: createId(name) };
  return aReplacement(rolesId(name, team.name), key, roles, { ...wish, owner: newPerson(name) });
}

/** The roles of the own key of somebody whom this plan creates. */
export function rolesOfOwnKey(name: string, roles: readonly string[]): ReplaceRoles {
  const key: KeyRef = { of: "own-key", address: addressOf(name), givenBy: createId(name) };
  return aReplacement(rolesId(name), key, roles, { owner: newPerson(name) });
}

export function aPlan(actions: readonly Action[]): Plan {
  const calls = { reads: 1, writes: actions.length, atMost: actions.length };
  return { id: "plan-1", service: "https://simulated.example", actions, findings: [], calls };
}
