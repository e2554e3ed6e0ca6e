import type { FoldedAddress } from "../model/address.ts";
import type { MembershipKey, TeamKey } from "../model/team.ts";

/** What guards keep from being planned, so that others take their places where they can. */
export interface HeldResources {
  /** New people who are not created. */
  readonly people: ReadonlySet<FoldedAddress>;
  /** New teams that are not founded; a founder is kept for each. */
  readonly teams: ReadonlySet<TeamKey>;
  /** Places in new teams whose privileged roles a founder's key is not created with. */
  readonly privileges: ReadonlySet<MembershipKey>;
}

export const nothingHeld: HeldResources = { people: new Set(), teams: new Set(), privileges: new Set() };
