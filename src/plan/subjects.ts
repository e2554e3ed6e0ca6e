import type { FoldedAddress } from "../model/address.ts";
import { type Basis, observed, recorded, unknown } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { TeamKey } from "../model/team.ts";

export function userSubject(address: FoldedAddress): string {
  return `user ${address}`;
}

export function teamSubject(team: TeamKey): string {
  return `team ${team}`;
}

export function memberSubject(address: FoldedAddress, team: TeamKey): string {
  return `member ${address} of team ${team}`;
}

export function keySubject(prefix: string): string {
  return `key ${prefix}`;
}

export function observedBasis(about: string, is: string, by: string): Basis {
  return { about, fact: observed(is, by) };
}

export function recordedBasis(about: string, is: string, at: string): Basis {
  return { about, fact: recorded(is, at) };
}

export function unknownBasis(about: string, why: string): Basis {
  return { about, fact: unknown(why) };
}

/** `a`, `a and b`, `a, b and c`. */
export function joinList(words: readonly string[]): string {
  const last = words.at(-1) ?? "nobody";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

export function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/** A plain or double-quoted YAML scalar that reads back as the text. */
export function yamlScalar(text: string): string {
  const plain =
    /^[\p{L}_][\p{L}\p{N}_@.+ -]*$/u.test(text) && !/\s$|^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(text);
  return plain ? text : JSON.stringify(text);
}
