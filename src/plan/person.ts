import type { FoldedAddress } from "../model/address.ts";
import type { Basis } from "../model/fact.ts";
import type { RosterUser } from "../model/roster.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { RecordedUser } from "../model/state.ts";
import type { FindingDraft } from "./draft.ts";
import { userSubject } from "./subjects.ts";

/** Who a user of the roster is to the service. */
export type UserIdentity = PresentUser | UserToCreate | BlockedUser;

export interface PresentUser {
  readonly is: "present";
  readonly user: RosterUser;
  readonly observed: ObservedUser;
  readonly record?: RecordedUser;
  /** False for people whom the service bars: they are not invited to anything. */
  readonly invitable: boolean;
  /** Our records know another user at the address: that this one is meant, a person says for this run. */
  readonly meantBy?: "word";
}

/** Proven to be absent: to be created. */
export interface UserToCreate {
  readonly is: "new";
  readonly user: RosterUser;
  /** Of the address, then of the former ones; never empty. */
  readonly absences: readonly Basis[];
}

/** Nothing is done for them, nor for what needs them; a finding says why. */
interface BlockedUser {
  readonly is: "withheld";
  readonly user: RosterUser;
}

export type UserIdentities = ReadonlyMap<FoldedAddress, UserIdentity>;

export interface ClassifiedUser {
  readonly person: UserIdentity;
  readonly findings: readonly FindingDraft[];
}

type UserFinding = Pick<FindingDraft, "code" | "message" | "restsOn" | "suggestedYaml">;

/** A finding about one person, at their place in the roster. */
export function userFinding(user: RosterUser, finding: UserFinding): FindingDraft {
  const concerns = [{ address: user.address }];
  return { subject: userSubject(user.address), because: user.because.slice(0, 1), concerns, ...finding };
}

export function blockUser(user: RosterUser, finding: UserFinding): ClassifiedUser {
  return { person: { is: "withheld", user }, findings: [userFinding(user, finding)] };
}
