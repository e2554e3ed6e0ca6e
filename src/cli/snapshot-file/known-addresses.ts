import type { Policy } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";

/**
 * Every address that the roster, the settings and this run's words know, as it is written where it says how: whoever has one
 * of them finds its holder in a snapshot with hashed addresses.
 */
export function knownAddresses(roster: Roster, policy: Policy): readonly string[] {
  const written = [...roster.users.values(), ...roster.leavers.values()].map(({ email }) => email);
  const found = new Set(written);
  collectAddresses([roster, policy], found);
  return [...found];
}

/** Wherever an address may be written by now or later: what is none hides nothing and finds nobody. */
function collectAddresses(value: unknown, found: Set<string>): void {
  if (typeof value === "string") {
    if (value.includes("@")) found.add(value);
  } else if (value instanceof Map) {
    for (const [key, item] of value) collectAddresses([key, item], found);
  } else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collectAddresses(item, found);
  }
}
