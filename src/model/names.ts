import type { FoldedAddress } from "./address.ts";

declare const teamKey: unique symbol;
declare const membershipKey: unique symbol;

/** A team's sameness within a roster: its account and its folded name. */
export type TeamKey = string & { readonly [teamKey]: true };

/** One person's place in one team. */
export type MembershipKey = string & { readonly [membershipKey]: true };

/** Names are compared without regard to case, composition and runs of white space. */
export function foldName(name: string): string {
  return name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();
}

export function teamKeyOf(account: string, name: string): TeamKey {
  return `${account}/${foldName(name)}` as TeamKey;
}

export function membershipKeyOf(team: TeamKey, address: FoldedAddress): MembershipKey {
  return `${team} ${address}` as MembershipKey;
}
