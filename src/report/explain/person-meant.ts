import type { FoldedAddress } from "../../model/address.ts";
import type { Roster } from "../../model/roster.ts";

/** Whom an address leads to: whoever has it in the roster, else the user who had it before, else nobody but itself. */
export function resolvePerson(address: FoldedAddress, { users, leavers }: Roster): FoldedAddress {
  if (users.has(address) || leavers.has(address)) return address;
  const former = [...users.values()].find(({ previously }) => previously.some(({ value }) => value === address));
  return former?.address ?? address;
}

/** Every address under which the service and the state may know somebody, their own first. */
export function knownAddresses(address: FoldedAddress, { users }: Roster): readonly FoldedAddress[] {
  return [address, ...(users.get(address)?.previously ?? []).map(({ value }) => value)];
}
