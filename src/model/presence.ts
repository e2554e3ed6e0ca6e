import type { FoldedAddress } from "./address.ts";
import type { ReadName } from "./fact.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "./snapshot.ts";

/** Whether somebody is in the service, as far as the reads can tell. A deleted user is gone. */
export type Presence =
  | { readonly is: "there"; readonly users: readonly [ObservedUser, ...ObservedUser[]] }
  | { readonly is: "gone"; readonly by: ReadName }
  | { readonly is: "unproven"; readonly why: string };

/** Looks people up by address, in a snapshot that is arranged once. */
export function presenceLookup({ users, absences }: Snapshot): (address: FoldedAddress) => Presence {
  const living = new Map<FoldedAddress, [ObservedUser, ...ObservedUser[]]>();
  const deleted = new Map<FoldedAddress, ReadName>();
  for (const user of users) {
    const others = living.get(user.address);
    if (accountStatus(user.status) === "deleted") deleted.set(user.address, user.by);
    else if (others === undefined) living.set(user.address, [user]);
    else others.push(user);
  }
  return (address) => {
    const found = living.get(address);
    if (found !== undefined) return { is: "there", users: found };
    const by = deleted.get(address);
    if (by !== undefined) return { is: "gone", by };
    const absence = absences.get(address);
    if (absence === undefined) return { is: "unproven", why: "the service was not asked for the address" };
    return absence.proven ? { is: "gone", by: absence.by } : { is: "unproven", why: absence.why };
  };
}
