import type { ActionId } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { SubjectsInProgress } from "./in-motion.ts";
import type { ActionPart } from "./parts.ts";

/** The parts of a plan that another run has in hand, and those that need one of them. Expects the order of a plan. */
export function findWaitingParts(parts: readonly ActionPart[], moving: SubjectsInProgress): ReadonlySet<ActionPart> {
  const waiting = new Set<ActionPart>();
  const made = new Set<string>();
  for (const part of parts) {
    if (!moving.has(part.subject) && !partDependencies(part).some((need) => made.has(need))) continue;
    waiting.add(part);
    made.add(partName(part.action.id, part.person));
  }
  return waiting;
}

function partDependencies({ action, person }: ActionPart): readonly string[] {
  switch (action.kind) {
    case "create-user":
      return action.dependsOn.map((id) => partName(id));
    case "add-members": {
      const member = action.members.find(({ address }) => address === person);
      return [action.team.foundedBy, member?.createdBy].flatMap((id) => (id === undefined ? [] : [partName(id)]));
    }
    case "replace-roles": {
      const { key, dependsOn } = action;
      const given = key.of === "prefix" ? [] : [partName(key.givenBy), partName(key.givenBy, key.address)];
      return [...dependsOn.map((id) => partName(id)), ...given];
    }
  }
}

function partName(action: ActionId, person?: FoldedAddress): string {
  return person === undefined ? action : `${action}\n${person}`;
}
