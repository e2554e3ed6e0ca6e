import type { HeldResources } from "../held-resources.ts";
import type { Hold } from "./guard.ts";

export function heldResources(holds: readonly Hold[]): HeldResources {
  const withheld = holds.flatMap(({ withholds }) => withholds);
  return {
    people: new Set(withheld.flatMap((part) => (part.of === "person" ? [part.address] : []))),
    teams: new Set(withheld.flatMap((part) => (part.of === "team" ? [part.team] : []))),
    privileges: new Set(withheld.flatMap((part) => (part.of === "privilege" ? [part.place] : []))),
  };
}

/** Whether more is held than was. What is held only grows. */
export function holdsMore(now: HeldResources, before: HeldResources): boolean {
  return countHeld(now) > countHeld(before);
}

function countHeld({ people, teams, privileges }: HeldResources): number {
  return people.size + teams.size + privileges.size;
}
