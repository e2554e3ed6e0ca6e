import type { FoldedAddress } from "../../model/address.ts";
import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftUser, WrittenAddress } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** A former address leads to one person alone. */
export function formerAddresses({ draft, references }: Resolution, log: Complaints): void {
  const former = new Map<FoldedAddress, WrittenAddress>();
  for (const user of draft.users) {
    for (const address of user.previously) {
      const owner = references.users.get(address.address);
      const first = former.get(address.address);
      if (owner !== undefined) tellTaken(address, user, owner, log);
      else if (first !== undefined) tellTwice(address, first, log);
      else former.set(address.address, address);
    }
  }
}

function tellTaken(address: WrittenAddress, user: DraftUser, owner: DraftUser, log: Complaints): void {
  const isOwn = user.email.address === owner.email.address;
  const message = isOwn
    ? `The former address \`${address.value}\` is this user's address of today.`
    : `The former address \`${address.value}\` is the address of the user at ${showPlace(owner.email.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove it here.");
}

function tellTwice(address: WrittenAddress, first: WrittenAddress, log: Complaints): void {
  const message = `The former address \`${address.value}\` is listed twice; the first time at ${showPlace(first.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove one of the two.");
}
