import type { EmailKey } from "../../src/model/address.ts";
import type { Capabilities } from "../../src/model/capabilities.ts";
import type { ObservedKey } from "../../src/model/key.ts";
import type { Absence, Snapshot } from "../../src/model/snapshot.ts";
import type { ObservedTeam } from "../../src/model/team.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { addressOf, emailOf } from "./roster-builders.ts";

export const everythingShown: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "shown",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "unknown",
  paging: { firstPage: "unknown" },
};

/** A complete read of a service that shows everything, at noon. */
export function aSnapshot(parts: Partial<Snapshot> & { readonly absent?: readonly string[] } = {}): Snapshot {
  const { absent = [], readAt = "2026-11-20T12:00:00.000Z", ...rest } = parts;
  const proven = absent.map((name): [EmailKey, Absence] => [addressOf(name), { proven: true, by: "search 1" }]);
  return {
    service: "https://simulated.example",
    readAt,
    times: { service: readAt },
    reads: 1,
    readings: new Map([
      ["search 1", { at: "2026-11-20T12:00:00.000Z", request: "POST /api/accounting/users/search for 1 address" }],
    ]),
    roles: { known: "observed", value: [], by: "roles" },
    accounts: new Map(),
    users: [],
    absences: new Map(proven),
    everyone: { read: "complete", by: "list" },
    capabilities: everythingShown,
    ...rest,
  };
}

/** Somebody as the service shows them, with the keys given. */
export function aShownUser(name: string, parts: Partial<ObservedUser> = {}): ObservedUser {
  return { identifier: `u-${name}`, email: emailOf(name), address: addressOf(name), by: "search 1", ...parts };
}

export function aShownKey(prefix: string, team: ObservedTeam | "none", parts: Partial<ObservedKey> = {}): ObservedKey {
  return { prefix, team, status: "active", ...parts };
}
