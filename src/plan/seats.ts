import type { ActionId, TeamRef } from "../model/action.ts";
import type { Basis } from "../model/fact.ts";
import type { RosterMember, RosterTeam } from "../model/roster.ts";
import type { RecordedMembership } from "../model/state.ts";
import type { PresentUser, UserToCreate } from "./person.ts";
import type { KnownKey } from "./shown-keys.ts";

/** One person's place in one team, as the plan finds it or makes it. */
export interface MembershipSlot {
  readonly team: RosterTeam;
  /** How calls name the team; absent where its identifier is not to be had. */
  readonly ref?: TeamRef;
  readonly member: RosterMember;
  readonly holding: SlotStatus;
}

export type SlotStatus =
  /** There already. Without a key, its prefix is not known. `settling`: by our record alone, since reads do not show it yet. */
  | {
      readonly is: "member";
      readonly person: PresentUser;
      readonly key: KnownKey;
      readonly settling?: RecordedMembership;
    }
  | {
      readonly is: "member";
      readonly person: PresentUser;
      readonly key?: undefined;
      readonly basis: Basis;
      readonly settling?: RecordedMembership;
    }
  /** The person's creation founds the team. */
  | { readonly is: "founder"; readonly person: UserToCreate; readonly by: ActionId }
  /** Added by this plan. */
  | {
      readonly is: "joining";
      readonly person: PresentUser | UserToCreate;
      readonly by: ActionId;
      readonly basis: Basis;
    };
