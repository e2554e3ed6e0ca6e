import type { FoldedAddress } from "../../model/address.ts";
import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { LeaverEntry, SourceAddress, UserEntry } from "../draft.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** A former address leads to one person alone. */
export function checkFormerAddresses({ draft, references }: ResolvedRoster, log: DiagnosticsCollector): void {
  const former = new Map<FoldedAddress, SourceAddress>();
  for (const user of draft.users) {
    for (const address of user.previously) {
      const owner = references.users.get(address.address);
      const leaver = references.leavers.get(address.address);
      const first = former.get(address.address);
      if (owner !== undefined) reportTakenAddress(address, user, owner, log);
      else if (leaver !== undefined) reportLeaverAddress(address, leaver, log);
      else if (first !== undefined) reportDuplicateAddress(address, first, log);
      else former.set(address.address, address);
    }
  }
}

function reportTakenAddress(
  address: SourceAddress,
  user: UserEntry,
  owner: UserEntry,
  log: DiagnosticsCollector,
): void {
  const isOwn = user.email.address === owner.email.address;
  const message = isOwn
    ? `The former address \`${address.value}\` is this user's address of today.`
    : `The former address \`${address.value}\` is the address of the user at ${formatPlace(owner.email.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove it here.");
}

function reportLeaverAddress(address: SourceAddress, leaver: LeaverEntry, log: DiagnosticsCollector): void {
  const where = formatPlace(leaver.email.at.place);
  const message = `The former address \`${address.value}\` is that of a leaver (${where}), who holds nothing.`;
  const hint = "Remove the leaver where they are this user; or else remove it here, and name it in `distinctFrom`.";
  log.error(address.at, "duplicate-address", message, hint);
}

function reportDuplicateAddress(address: SourceAddress, first: SourceAddress, log: DiagnosticsCollector): void {
  const message = `The former address \`${address.value}\` is listed twice; the first time at ${formatPlace(first.at.place)}.`;
  log.error(address.at, "duplicate-address", message, "Remove one of the two.");
}
