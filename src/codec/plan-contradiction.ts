import { type Action, type ActionId, creationId, giverOf, peopleOf, teamOf } from "../model/action.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { NamesInCalls, Plan, PlanningEvent } from "../model/plan.ts";
import type { TeamKey } from "../model/recorded.ts";
import { disambiguatedTeamKey, teamKeyOf } from "../model/team.ts";

/**
 * In what a saved plan contradicts itself, as the end of a sentence; undefined where it does not. No plan that roster has made
 * does: somebody has edited it, so that it shows one person or team, and its calls name another. `lessons`: what the plan's reads
 * have taught.
 */
export function planContradiction(
  plan: Pick<Plan, "actions"> & NamesInCalls,
  lessons: readonly PlanningEvent[] = [],
): string | undefined {
  const earlier = new Map<ActionId, Action>();
  for (const action of plan.actions) {
    const fault = actionContradiction(action, earlier, plan);
    if (fault !== undefined) return fault;
    earlier.set(action.id, action);
  }
  return namesContradiction(plan, lessons);
}

function actionContradiction(
  action: Action,
  earlier: ReadonlyMap<ActionId, Action>,
  { users, teams }: NamesInCalls,
): string | undefined {
  const team = teamOf(action);
  if (team !== undefined && !teams.has(team)) return `it does not say how calls name the team ${team}`;
  const unnamed = peopleOf(action).find((address) => !users.has(address));
  if (unnamed !== undefined) return `it does not say how calls name ${unnamed}`;
  switch (action.kind) {
    case "create-user": {
      const { id, address, account, user, createsTeam } = action;
      if (id !== creationId(address)) return `its action ${id} creates ${address}`;
      if (users.get(address)?.email !== user.email) return twoAddresses(user.email, address);
      if (createsTeam === undefined) return undefined;
      if (createsTeam.accessKeyRoles.length === 0) return `it creates the team ${createsTeam.name} without roles`;
      return teamKeyContradiction(createsTeam.team, { name: createsTeam.name, account });
    }
    case "add-members":
      return action.firstMember === undefined || isCreationOf(earlier.get(creationId(action.firstMember)), team)
        ? undefined
        : `its action ${creationId(action.firstMember)} does not create the team ${team}`;
    case "replace-roles": {
      if (action.key.of === "prefix" || givesKey(earlier.get(giverOf(action) ?? ""), action.key.address, team))
        return undefined;
      return `its action ${giverOf(action)} gives no such key to ${action.key.address}`;
    }
  }
}

function isCreationOf(action: Action | undefined, team: TeamKey | undefined): boolean {
  return action?.kind === "create-user" && action.createsTeam?.team === team;
}

function twoAddresses(email: string, address: EmailKey): string {
  return `it has two addresses for one person: ${email} and ${address}`;
}

function givesKey(action: Action | undefined, address: EmailKey, team: TeamKey | undefined): boolean {
  if (action?.kind === "add-members")
    return action.team === team && action.members.some((member) => member.address === address);
  return action?.kind === "create-user" && action.address === address && isCreationOf(action, team);
}

/** What each person and each team is called in calls: by its own key, and by what the reads have shown. */
function namesContradiction(
  { actions, users, teams }: Pick<Plan, "actions"> & NamesInCalls,
  lessons: readonly PlanningEvent[],
): string | undefined {
  const seen = lessons.filter((lesson) => lesson.type === "users-observed");
  const seenPeople = new Map(
    seen.flatMap(({ people }) => people.map(({ address, identifier }) => [address, identifier])),
  );
  const seenTeams = new Map(seen.flatMap((lesson) => lesson.teams.map(({ team, identifier }) => [team, identifier])));
  for (const [address, { email, identifier }] of users) {
    if (foldAddress(email) !== address) return twoAddresses(email, address);
    const [own, other] = [factValue(identifier), seenPeople.get(address)];
    if (own !== undefined && other !== undefined && own !== other)
      return `it has two identifiers for ${email}: ${other} and ${own}`;
  }
  const joined = new Set(actions.flatMap((action) => (action.kind === "add-members" ? action.team : [])));
  const identifiers = new Set<string>();
  for (const [team, { name, account, identifier }] of teams) {
    const [own, other] = [factValue(identifier), seenTeams.get(team)];
    const fault = teamKeyContradiction(team, { name, account, identifier: own });
    if (fault !== undefined) return fault;
    if (own === undefined) continue;
    if (other !== undefined && own !== other) return `it has two identifiers for the team ${name}: ${other} and ${own}`;
    if (!joined.has(team)) continue;
    if (identifiers.has(own)) return `it has the identifier ${own} for two teams`;
    identifiers.add(own);
  }
  return undefined;
}

function teamKeyContradiction(
  key: TeamKey,
  {
    account,
    name,
    identifier = "",
  }: { readonly account: string; readonly name: string; readonly identifier?: string | undefined },
): string | undefined {
  const isOwn = key === teamKeyOf(account, name) || key === disambiguatedTeamKey(account, name, identifier);
  return isOwn ? undefined : `it has two names for one team: ${account}/${name} and ${key}`;
}
