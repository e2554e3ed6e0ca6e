import type { ActionId } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { InMotion } from "./in-motion.ts";
import type { Part } from "./parts.ts";

/** The parts of a plan that another run has in hand, and those that need one of them. Expects the order of a plan. */
export function waitingParts(parts: readonly Part[], moving: InMotion): ReadonlySet<Part> {
  const waiting = new Set<Part>();
  const made = new Set<string>();
  for (const part of parts) {
    if (!moving.has(part.subject) && !needs(part).some((need) => made.has(need))) continue;
    waiting.add(part);
    made.add(nameOf(part.action.id, part.person));
  }
  return waiting;
}

function needs({ action, person }: Part): readonly string[] {
  switch (action.kind) {
    case "create-user":
      return action.dependsOn.map((id) => nameOf(id));
    case "add-members": {
      const member = action.members.find(({ address }) => address === person);
      return [action.team.foundedBy, member?.createdBy].flatMap((id) => (id === undefined ? [] : [nameOf(id)]));
    }
    case "replace-roles": {
      const { key, dependsOn } = action;
      const given = key.of === "prefix" ? [] : [nameOf(key.givenBy), nameOf(key.givenBy, key.address)];
      return [...dependsOn.map((id) => nameOf(id)), ...given];
    }
  }
}

function nameOf(action: ActionId, person?: FoldedAddress): string {
  return person === undefined ? action : `${action}\n${person}`;
}
