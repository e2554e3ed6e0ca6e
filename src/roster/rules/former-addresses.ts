import type { FoldedAddress } from "../../model/address.ts";
import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftLeaver, DraftUser, WrittenAddress } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** A former address leads to one person alone. */
export function formerAddresses({ draft, references }: Resolution, log: Complaints): void {
  const former = new Map<FoldedAddress, WrittenAddress>();
  for (const user of draft.users) {
    for (const address of user.previously) {
      const owner = references.users.get(address.address);
      const leaver = references.leavers.get(address.address);
      const first = former.get(address.address);
      if (owner !== undefined) tellTaken(address, user, owner, log);
      else if (leaver !== undefined) tellLeaver(address, leaver, log);
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

function tellLeaver(address: WrittenAddress, leaver: DraftLeaver, log: Complaints): void {
  const where = showPlace(leaver.email.at.place);
  const message = `The former address \`${address.value}\` is that of a leaver (${where}), who holds nothing.`;
  const hint = "Remove the leaver where they are this user; or else remove it here, and name it in `distinctFrom`.";
  log.error(address.at, "duplicate-address", message, hint);
}

function tellTwice(address: WrittenAddress, first: WrittenAddress, log: Complaints): void {
  const message = `The former address \`${address.value}\` is listed twice; the first time at ${showPlace(first.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove one of the two.");
}
