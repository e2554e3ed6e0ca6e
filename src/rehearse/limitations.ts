import type { Action, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import type { RefusedPart } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { shownTeams } from "../model/team.ts";
import { type KnownService, namedTeams } from "./seed-world.ts";
import { differingActions, type Replan } from "./verdict.ts";

/** What a rehearsal cannot tell, one sentence each: what no read shows, and what is taken on somebody's word. */
export function limitationsOf(ground: KnownService, before: Result<Replan, string>): readonly string[] {
  return [...hiddenFacts(ground), ...assumptions(ground), ...worldDifferences(ground.plan, before)];
}

function hiddenFacts({ snapshot, state, plan }: KnownService): readonly string[] {
  const { capabilities, roles, everyone } = snapshot;
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = capabilities;
  return [
    ...(everyone.read === "incomplete" ? [`The list of users is not complete: ${everyone.why}.`] : []),
    ...(keysOnUsers === "hidden"
      ? ["The service does not show the keys of users: that they become as asked is not seen."]
      : []),
    ...(keysOnUsers !== "hidden" && rolesOnKeys === "hidden"
      ? ["The service does not show the roles of keys: those that the state does not remember are not known."]
      : []),
    ...(keysOnUsers !== "hidden" && teamsOnKeys === "hidden" ? [hiddenTeamsSentence(snapshot)] : []),
    ...(roles.known === "unknown" && plan.actions.some(sendsRoles)
      ? ["The roles were not read: those that are named are taken to be there."]
      : []),
    ...(state.queues === undefined ? [] : ["The service takes some calls for later: here each is done at once."]),
  ];
}

function hiddenTeamsSentence({ users }: Snapshot): string {
  const named = users.flatMap(({ keys = [] }) => shownTeams(keys));
  if (named.length === 0)
    return "The service does not show the teams of keys: the answer that founds a team is taken to show its identifier.";
  return named.every(({ name }) => name === undefined)
    ? "The service shows the teams of keys by their identifiers alone: those whose identifier is not known cannot be seen."
    : "The service does not show the keys of everybody with the names of their teams: who is in which team is seen in part.";
}

/** What names roles, which then have to be there. */
function sendsRoles(action: Action): boolean {
  return action.kind === "replace-roles" || (action.kind === "create-user" && action.founds !== undefined);
}

function worldDifferences(plan: Plan, before: Result<Replan, string>): readonly string[] {
  if (!before.ok) return [`The service in memory could not be read as the service was: ${before.error}.`];
  const apart = new Set([...differingActions(before.value.plan, plan), ...differingActions(plan, before.value.plan)]);
  if (apart.size === 0) return [];
  return [
    `What was read does not say enough to show the service in memory alike; it differs in ${firstFew([...apart])}.`,
  ];
}

/** What a rehearsal takes to be there, or to be taken, although no read shows it: one sentence each. */
function assumptions(ground: KnownService): readonly string[] {
  return [...assumedTeams(ground), ...assumedKeys(ground), ...refusedBefore(ground)];
}

/** Names of which only a few are told. */
function firstFew(names: readonly string[]): string {
  const rest = names.length - 5;
  return rest > 0 ? `${names.slice(0, 5).join(", ")} and ${rest} more` : names.join(", ");
}

function assumedTeams({ snapshot, plan }: KnownService): readonly string[] {
  const teams = snapshot.users.flatMap(({ keys = [] }) => shownTeams(keys));
  const shown = new Set(teams.map(({ identifier }) => identifier));
  const taken = namedTeams(plan).flatMap(({ name, identifier }) => {
    const known = factValue(identifier);
    return known === undefined || shown.has(known)
      ? []
      : [`No read shows the team ${name} (${known}): it is taken to be there.`];
  });
  return [...new Set(taken)];
}

/** What the state records was once shown; what the roster declares may never have been. */
function assumedKeys({ snapshot, plan }: KnownService): readonly string[] {
  const shown = new Set(snapshot.users.flatMap(({ keys = [] }) => keys.map(({ prefix }) => prefix)));
  const prefixes = plan.actions.flatMap((action) => (action.kind === "replace-roles" ? declaredPrefix(action) : []));
  const taken = [...new Set(prefixes)].filter((prefix) => !shown.has(prefix));
  if (taken.length === 0) return [];
  return taken.length === 1
    ? [`No read shows the key ${firstFew(taken)}: it is taken to be there.`]
    : [`No read shows the keys ${firstFew(taken)}: they are taken to be there.`];
}

function declaredPrefix({ key }: ReplaceRoles): readonly string[] {
  return key.of === "prefix" && key.prefix.known === "declared" ? [key.prefix.value] : [];
}

function refusedBefore({ plan, state }: KnownService): readonly string[] {
  const parts = [...state.refusals.values()].map(({ part }) => part);
  const again = plan.actions.filter((action) => parts.some((part) => concernsAction(part, action))).map(({ id }) => id);
  if (again.length === 0) return [];
  return [`The service refused before what is taken here: ${firstFew(again)}. Whether it takes it now cannot be told.`];
}

function concernsAction(part: RefusedPart, action: Action): boolean {
  switch (action.kind) {
    case "create-user":
      if (part.of === "founding") return part.address === action.address && part.team === action.founds?.team;
      return part.of === "creation" && part.address === action.address;
    case "add-members":
      return (
        part.of === "addition" &&
        part.team === action.team.team &&
        action.members.some(({ address }) => address === part.address)
      );
    case "replace-roles":
      return part.of === "roles" && action.key.of === "prefix" && factValue(action.key.prefix) === part.prefix;
  }
}
