import type { Action } from "../model/action.ts";
import type { Plan } from "../model/plan.ts";
import type { Result } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { shownTeams } from "../model/team.ts";
import { differingActions } from "./changes-beyond.ts";
import type { KnownService } from "./ground.ts";
import type { Replan } from "./judge.ts";
import { assumptions, firstFew } from "./taken-on-word.ts";

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
