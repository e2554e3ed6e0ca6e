import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { ObservedUser, Snapshot } from "../model/snapshot.ts";

/** Whether a call is old enough for what does not show to be taken as not done. */
export type Age = "fresh" | "settled";

/** A snapshot, arranged for questions about single people. */
export interface Evidence {
  /** The users of an address in one account; those whose account the service hides count as of any. */
  usersAt(address: FoldedAddress, account: string): readonly ObservedUser[];
  /** The address is proven to be nobody's, or is shown in other accounts alone. */
  isAbsent(address: FoldedAddress, account: string): boolean;
  readonly capabilities: Capabilities;
}

export function evidenceOf({ users, absences, capabilities }: Snapshot): Evidence {
  const byAddress = new Map<FoldedAddress, ObservedUser[]>();
  for (const user of users) {
    const namesakes = byAddress.get(user.address);
    if (namesakes === undefined) byAddress.set(user.address, [user]);
    else namesakes.push(user);
  }
  const usersAt = (address: FoldedAddress, account: string) =>
    (byAddress.get(address) ?? []).filter((user) => user.account === undefined || user.account === account);
  return {
    usersAt,
    isAbsent(address, account) {
      if (byAddress.has(address)) return usersAt(address, account).length === 0;
      return absences.get(address)?.proven === true;
    },
    capabilities,
  };
}
