import type { EmailKey } from "../../src/model/address.ts";
import { type Fact, type Known, observed, reasonAt, unknown } from "../../src/model/fact.ts";
import {
  type Action,
  type AddMembers,
  type CreateUser,
  creationId,
  type NamesInCalls,
  type Plan,
  type ReplaceRoles,
} from "../../src/model/plan.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { type RoleSet, roleSet, type TeamKey } from "../../src/model/values.ts";
import { addressOf, at, emailOf } from "./roster-builders.ts";

export const createId = (name: string) => `create-user:${emailOf(name)}`;
export const addId = (team: string) => `add-members:${teamKeyOf("acc-1", team)}`;
export const rolesId = (name: string, team?: string) =>
  `replace-roles:${team === undefined ? "" : `${teamKeyOf("acc-1", team)} `}${emailOf(name)}`;

export interface NamedUser {
  readonly address: EmailKey;
  readonly email: string;
  readonly identifier: Fact<string>;
  readonly isNew?: true;
}

/** A team, how calls name it, and with whom the plan creates it. */
export interface NamedTeam {
  readonly team: TeamKey;
  readonly name: string;
  readonly account: string;
  readonly identifier: Fact<string>;
  readonly firstMember?: EmailKey;
}

const named = Symbol("whom an action names");

/** The action remembers how it names people and teams, for the plan that it becomes part of. */
function naming<A extends Action>(action: A, users: readonly NamedUser[], teams: readonly NamedTeam[] = []): A {
  return Object.assign(action, { [named]: { users, teams } });
}

/** `aCreation("ada")` creates ada@acme.example, Ada Test, in acc-1. */
export function aCreation(
  name: string,
  wish: { createsTeam?: string; admin?: NamedUser; roles?: readonly string[]; after?: readonly string[] } = {},
): CreateUser {
  const { createsTeam, admin, roles = ["TEAM_ROLE"], after = [] } = wish;
  const firstName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const creation: CreateUser = {
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
  const teams = createsTeam === undefined ? [] : [newTeam(createsTeam, name)];
  return naming(creation, [newPerson(name), ...(admin === undefined ? [] : [admin])], teams);
}

function aTeamCreation(team: string, accessKeyRoles: RoleSet, admin: NamedUser | undefined) {
  const teamCreation = { team: teamKeyOf("acc-1", team), name: team, accessKeyRoles, temporaryRoles: [] };
  return { ...teamCreation, ...(admin === undefined ? {} : { admin: admin.address }) };
}

/** Somebody whom the service knows by an identifier, or nobody knows how. */
export function person(name: string, identifier?: string): NamedUser {
  const known = identifier === undefined ? unknown<string>("hidden") : observed(identifier, "search 1");
  return { address: addressOf(name), email: emailOf(name), identifier: known };
}

export function newPerson(name: string): NamedUser {
  return { ...person(name), isNew: true };
}

export function teamRef(name: string, identifier: string): NamedTeam {
  return { team: teamKeyOf("acc-1", name), name, account: "acc-1", identifier: observed(identifier, "search 1") };
}

export function newTeam(name: string, firstMember: string): NamedTeam {
  const identifier = unknown<string>("created by this plan");
  return { team: teamKeyOf("acc-1", name), name, account: "acc-1", identifier, firstMember: addressOf(firstMember) };
}

/** Waits for the team's creation of a team and for every person whom this plan creates. */
export function anAddition(ref: NamedTeam, people: readonly NamedUser[]): AddMembers {
  const { team, name, firstMember } = ref;
  const created = people.flatMap(({ address, isNew }) => (isNew === true ? [address] : []));
  const addition: AddMembers = {
    kind: "add-members",
    id: addId(name),
    rule: firstMember === undefined ? "missing-member" : "joins-new-team",
    because: [reasonAt(at(1), "team")],
    dependsOn: [...(firstMember === undefined ? [] : [firstMember]), ...created].map(creationId),
    restsOn: [],
    team,
    ...(firstMember === undefined ? {} : { firstMember }),
    members: people.map(({ address }) => ({ address })),
  };
  return naming(addition, people, [ref]);
}

type WishedKey =
  | { readonly of: "prefix"; readonly prefix: Known<string>; readonly team?: NamedTeam; readonly own?: true }
  | { readonly of: "own-key"; readonly givenBy: string }
  | { readonly of: "team-key"; readonly team: NamedTeam; readonly givenBy: string };

export function aReplacement(
  id: string,
  wished: WishedKey,
  roles: readonly string[],
  wish: { before?: Fact<RoleSet>; owner?: NamedUser; ifInexact?: boolean } = {},
): ReplaceRoles {
  const { before = unknown("not shown"), owner, ifInexact = false } = wish;
  const team = wished.of === "own-key" ? undefined : wished.team;
  const replacement: ReplaceRoles = {
    kind: "replace-roles",
    id,
    rule: wished.of === "prefix" ? "roles-differ" : "roles-of-new-key",
    because: [reasonAt(at(1), "member")],
    dependsOn: wished.of === "prefix" ? [] : [wished.givenBy],
    restsOn: [],
    key: keyOf(wished, owner),
    before,
    roles: roleSet(roles),
    ifInexact,
  };
  return naming(replacement, owner === undefined ? [] : [owner], team === undefined ? [] : [team]);
}

function keyOf(wished: WishedKey, owner: NamedUser | undefined): ReplaceRoles["key"] {
  if (wished.of === "prefix") {
    const { team, ...key } = wished;
    return { ...key, address: owner?.address, team: team?.team };
  }
  if (owner === undefined) throw new Error("a new key is somebody's");
  const { address } = owner;
  return wished.of === "own-key" ? { of: "own-key", address } : { of: "team-key", address, team: wished.team.team };
}

/** The roles of the team key of somebody whom this plan adds to the team. */
export function rolesOfAdded(name: string, team: NamedTeam, roles: readonly string[]): ReplaceRoles {
  const key = { of: "team-key", team, givenBy: addId(team.name) } as const;
  return aReplacement(rolesId(name, team.name), key, roles, { owner: person(name) });
}

/** The roles of the team key of the person with whom this plan creates the team. */
export function rolesOfFirstMember(
  name: string,
  team: NamedTeam,
  roles: readonly string[],
  wish: { ifInexact?: boolean } = {},
): ReplaceRoles {
  const key = { of: "team-key", team, givenBy: createId(name) } as const;
  return aReplacement(rolesId(name, team.name), key, roles, { ...wish, owner: newPerson(name) });
}

/** The roles of the own key of somebody whom this plan creates. */
export function rolesOfOwnKey(name: string, roles: readonly string[]): ReplaceRoles {
  return aReplacement(rolesId(name), { of: "own-key", givenBy: createId(name) }, roles, { owner: newPerson(name) });
}

/** What is known of somebody or a team counts more than what is not. */
export function aPlan(actions: readonly Action[]): Plan {
  const calls = { reads: 1, writes: actions.length, atMost: actions.length };
  const plain = actions.map((action) => {
    const copy: Action = { ...action };
    Reflect.deleteProperty(copy, named);
    return copy;
  });
  return {
    id: "plan-1",
    service: "https://simulated.example",
    actions: plain,
    ...namesOf(actions),
    findings: [],
    calls,
  };
}

function namesOf(actions: readonly Action[]): NamesInCalls {
  const names = actions.map((action): { users: readonly NamedUser[]; teams: readonly NamedTeam[] } => {
    return Reflect.get(action, named) ?? { users: [], teams: [] };
  });
  const users = new Map<EmailKey, { email: string; identifier: Fact<string> }>();
  for (const { address, email, identifier } of names.flatMap((one) => one.users))
    if ((users.get(address)?.identifier.known ?? "unknown") === "unknown") users.set(address, { email, identifier });
  const teams = new Map<TeamKey, { name: string; account: string; identifier: Fact<string> }>();
  for (const { team, name, account, identifier } of names.flatMap((one) => one.teams))
    if ((teams.get(team)?.identifier.known ?? "unknown") === "unknown") teams.set(team, { name, account, identifier });
  return { users, teams };
}
