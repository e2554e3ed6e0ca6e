import type { Held } from "../held-resources.ts";
import type { Hold } from "./guard.ts";

export function heldBy(holds: readonly Hold[]): Held {
  const withheld = holds.flatMap(({ withholds }) => withholds);
  return {
    people: new Set(withheld.flatMap((part) => (part.of === "person" ? [part.address] : []))),
    teams: new Set(withheld.flatMap((part) => (part.of === "team" ? [part.team] : []))),
    privileges: new Set(withheld.flatMap((part) => (part.of === "privilege" ? [part.place] : []))),
  };
}

/** Whether more is held than was. What is held only grows. */
export function isMore(now: Held, before: Held): boolean {
  return sizeOf(now) > sizeOf(before);
}

function sizeOf({ people, teams, privileges }: Held): number {
  return people.size + teams.size + privileges.size;
}
