import type { FoldedAddress } from "./address.ts";

declare const teamKey: unique symbol;
declare const membershipKey: unique symbol;

/** A team's sameness within a roster: its account and its folded name; with its identifier where two have that name. */
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

/** Of two teams of one name. No folded name holds a capital letter, so that no other team has this key. */
export function disambiguatedTeamKey(account: string, name: string, identifier: string): TeamKey {
  return `${teamKeyOf(account, name)} ID ${identifier}` as TeamKey;
}

/** Whether a team shares its name with another one, so that its name alone tells nothing. */
export function isDisambiguatedTeamKey(team: TeamKey): boolean {
  return team.includes(" ID ");
}

export function membershipKeyOf(team: TeamKey, address: FoldedAddress): MembershipKey {
  return `${team} ${address}` as MembershipKey;
}
