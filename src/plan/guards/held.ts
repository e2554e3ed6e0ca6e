import type { FoldedAddress } from "../../model/address.ts";
import type { MembershipKey, TeamKey } from "../../model/names.ts";
import type { Hold } from "./guard.ts";

/** What guards keep from being planned, so that others take their places where they can. */
export interface Held {
  /** New people who are not created. */
  readonly people: ReadonlySet<FoldedAddress>;
  /** New teams that are not founded; a founder is kept for each. */
  readonly teams: ReadonlySet<TeamKey>;
  /** Places in new teams whose privileged roles a founder's key is not created with. */
  readonly privileges: ReadonlySet<MembershipKey>;
}

export const nothingHeld: Held = { people: new Set(), teams: new Set(), privileges: new Set() };

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
