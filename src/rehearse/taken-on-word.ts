import type { Action, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { RefusedPart } from "../model/refusal.ts";
import { shownTeams } from "../model/team.ts";
import type { KnownService } from "./ground.ts";
import { namedTeams } from "./named-teams.ts";

/** What a rehearsal takes to be there, or to be taken, although no read shows it: one sentence each. */
export function assumptions(ground: KnownService): readonly string[] {
  return [...assumedTeams(ground), ...assumedKeys(ground), ...refusedBefore(ground)];
}

/** Names of which only a few are told. */
export function firstFew(names: readonly string[]): string {
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
