import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { Settled } from "../model/event.ts";
import type { ObservedUser, Snapshot } from "../model/snapshot.ts";

/** Whether a call is old enough for what does not show to be taken as not done. */
export type IntentAge = "fresh" | "settled";

/** What reading says of a call: how it ended, and the people of whom it cannot tell yet. */
export type CallVerdict = Pick<Settled, "as" | "except">;

/** A snapshot, arranged for questions about single people. */
export interface CallEvidence {
  usersAt(address: FoldedAddress): readonly ObservedUser[];
  /** The address is proven to be nobody's. */
  isAbsent(address: FoldedAddress): boolean;
  readonly capabilities: Capabilities;
}

export function evidenceFromSnapshot({ users, absences, capabilities }: Snapshot): CallEvidence {
  const byAddress = new Map<FoldedAddress, ObservedUser[]>();
  for (const user of users) {
    const namesakes = byAddress.get(user.address);
    if (namesakes === undefined) byAddress.set(user.address, [user]);
    else namesakes.push(user);
  }
  return {
    usersAt: (address) => byAddress.get(address) ?? [],
    isAbsent: (address) => absences.get(address)?.proven === true,
    capabilities,
  };
}
