import type { Action, ActionId, PersonRef, TeamRef } from "../model/action.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { Plan, PlanningEvent } from "../model/plan.ts";
import { disambiguatedTeamKey, type TeamKey, teamKeyOf } from "../model/team.ts";

/**
 * In what a saved plan contradicts itself, as the end of a sentence; undefined where it does not. No plan that roster has made
 * does: somebody has edited it, so that it shows one person or team, and its calls name another. `lessons`: what the plan's reads
 * have taught.
 */
export function planContradiction(
  { actions }: Pick<Plan, "actions">,
  lessons: readonly PlanningEvent[] = [],
): string | undefined {
  const earlier = new Map<ActionId, Action>();
  const known = shownIdentifiers(lessons);
  for (const action of actions) {
    const fault = namesContradiction(action, earlier) ?? identifiersContradiction(action, known);
    if (fault !== undefined) return fault;
    earlier.set(action.id, action);
  }
  return undefined;
}

type EarlierActions = ReadonlyMap<ActionId, Action>;

function namesContradiction(action: Action, earlier: EarlierActions): string | undefined {
  switch (action.kind) {
    case "create-user":
      return creationContradiction(action, earlier);
    case "add-members":
      return firstFault([
        teamContradiction(action.team, earlier),
        ...action.members.map((member) => personContradiction(member, earlier)),
      ]);
    case "replace-roles": {
      const { key, owner } = action;
      const team = key.of === "own-key" ? undefined : key.team;
      const fault = teamContradiction(team, earlier) ?? (owner && addressContradiction(owner));
      if (fault !== undefined || key.of === "prefix") return fault;
      if (owner !== undefined && owner.address !== key.address)
        return `it shows a key of ${key.address} as one of ${owner.email}`;
      if (givesKey(earlier.get(key.givenBy), key.address, team?.team)) return undefined;
      return `its action ${key.givenBy} gives no such key to ${key.address}`;
    }
  }
}

function creationContradiction(
  { address, account, user, createsTeam }: Extract<Action, { kind: "create-user" }>,
  earlier: EarlierActions,
): string | undefined {
  const fault = addressContradiction({ address, email: user.email });
  if (fault !== undefined || createsTeam === undefined) return fault;
  if (createsTeam.accessKeyRoles.length === 0) return `it creates the team ${createsTeam.name} without roles`;
  return (
    teamKeyContradiction(createsTeam.team, { ...createsTeam, account }) ??
    personContradiction(createsTeam.admin, earlier)
  );
}

function firstFault(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}

function addressContradiction({ address, email }: Pick<PersonRef, "address" | "email">): string | undefined {
  return foldAddress(email) === address ? undefined : `it has two addresses for one person: ${email} and ${address}`;
}

function personContradiction(person: PersonRef | undefined, earlier: EarlierActions): string | undefined {
  if (person === undefined) return undefined;
  const { createdBy, address, email } = person;
  if (createdBy !== undefined && !createsUser(earlier.get(createdBy), address))
    return `its action ${createdBy} does not create ${email}`;
  return addressContradiction(person);
}

function createsUser(action: Action | undefined, address: EmailKey): boolean {
  return action?.kind === "create-user" && action.address === address;
}

function teamContradiction(team: TeamRef | undefined, earlier: EarlierActions): string | undefined {
  if (team === undefined) return undefined;
  const { createdBy } = team;
  const teamCreation = createdBy === undefined ? undefined : earlier.get(createdBy);
  if (createdBy !== undefined && (teamCreation?.kind !== "create-user" || teamCreation.createsTeam?.team !== team.team))
    return `its action ${createdBy} does not create the team ${team.name}`;
  return teamKeyContradiction(team.team, { ...team, identifier: factValue(team.identifier) });
}

function teamKeyContradiction(
  key: TeamKey,
  { account, name, identifier = "" }: Pick<TeamRef, "account" | "name"> & { readonly identifier?: string | undefined },
): string | undefined {
  const isOwn = key === teamKeyOf(account, name) || key === disambiguatedTeamKey(account, name, identifier);
  return isOwn ? undefined : `it has two names for one team: ${account}/${name} and ${key}`;
}

function givesKey(action: Action | undefined, address: EmailKey, team: TeamKey | undefined): boolean {
  if (action?.kind === "add-members")
    return action.team.team === team && action.members.some((member) => member.address === address);
  return action?.kind === "create-user" && action.address === address && action.createsTeam?.team === team;
}

/** What each team and each person is called in calls. */
interface KnownIdentifiers {
  readonly teams: Map<TeamKey, string>;
  /** Teams that people are added to, by identifier. */
  readonly joined: Map<string, TeamKey>;
  readonly people: Map<EmailKey, string>;
}

function shownIdentifiers(lessons: readonly PlanningEvent[]): KnownIdentifiers {
  const seen = lessons.filter((lesson) => lesson.type === "users-observed");
  const teams = seen.flatMap((lesson) => lesson.teams);
  const people = seen.flatMap((lesson) => lesson.people);
  return {
    teams: new Map(teams.flatMap(({ team, identifier }) => (identifier === undefined ? [] : [[team, identifier]]))),
    joined: new Map(),
    people: new Map(
      people.flatMap(({ address, identifier }) => (identifier === undefined ? [] : [[address, identifier]])),
    ),
  };
}

function identifiersContradiction(action: Action, known: KnownIdentifiers): string | undefined {
  const team = teamOf(action);
  const identifier = team && factValue(team.identifier);
  if (team !== undefined && identifier !== undefined) {
    const other = noted(known.teams, team.team, identifier);
    if (other !== identifier) return `it has two identifiers for the team ${team.name}: ${other} and ${identifier}`;
    if (action.kind === "add-members" && noted(known.joined, identifier, team.team) !== team.team)
      return `it has the identifier ${identifier} for two teams`;
  }
  return firstFault(
    peopleInCall(action).map((person) => {
      const own = factValue(person.identifier);
      const other = own === undefined ? own : noted(known.people, person.address, own);
      return other === own ? undefined : `it has two identifiers for ${person.email}: ${other} and ${own}`;
    }),
  );
}

/** What is known by a key; from now on the value, where nothing was. */
function noted<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  const before = known.get(key);
  if (before === undefined) known.set(key, value);
  return before ?? value;
}

function teamOf(action: Action): TeamRef | undefined {
  if (action.kind === "add-members") return action.team;
  return action.kind === "replace-roles" && action.key.of !== "own-key" ? action.key.team : undefined;
}

function peopleInCall(action: Action): readonly PersonRef[] {
  if (action.kind === "add-members") return action.members;
  return action.kind === "create-user" && action.createsTeam?.admin !== undefined ? [action.createsTeam.admin] : [];
}
