import { expect } from "vitest";
import { daysAfter } from "../../../src/model/roster.ts";
import { plainText } from "../../support/plain-text.ts";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";
import { testTextCases } from "../../support/text-cases.ts";

/** The day of the run in `rosterFrom`. */
const today = "2026-11-20";

/** Days as `+3`, which is in three days, and people as ADA and BO. */
function written(text: string): string {
  return text
    .replaceAll(
      /\b(from|until): ([+-]\d+)/gu,
      (_, name: string, days: string) => `${name}: ${daysAfter(today, Number(days))}`,
    )
    .replaceAll(/ADA|BO/gu, (name) => `${name.toLowerCase()}@acme.example`);
}

/** Three keys that are given the same roles: what they have, what ends, and what is said at the three places. */
function rolesOf(roles = ""): readonly string[] {
  const { roster, diagnostics } = rosterFrom({
    "f.yaml": written(`version: 1
account: acc-1
roleSets: { engineer: [BUILD, TEST] }
users:
  - { email: ADA, firstName: Ada, lastName: Lovelace, ownKeyRoles: ${roles} }
teams:
  - { name: T, members: [{ user: ADA, roles: ${roles} }] }
keys:
  - { prefix: p, owner: ADA, roles: ${roles} }
`),
  });
  const member = roster?.teams[0]?.members[0];
  const all = [[...(roster?.users.values() ?? [])][0]?.ownKeyRoles?.value, member?.roles, roster?.keys[0]?.roles];
  expect(new Set(all.map(String)).size).toBe(1);
  const endings = member?.endings?.map(
    ({ roles: ending, until }) => `${plainText(ending)} end on ${until.value}, line ${until.place.line}`,
  );
  const because = member?.because.filter(({ as }) => as === "until").map(({ name }) => `because of until ${name}`);
  const told = diagnostics.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return [
    plainText(all[0]),
    ...(endings ?? []),
    ...(because ?? []),
    ...new Set(told.map((one) => `${told.filter((other) => other === one).length} times ${one}`)),
  ];
}

/** A team with these members, perhaps administered by Ada, who perhaps starts and leaves. */
function membersOf(members = "", ofTeam = "", ofAda = ""): readonly string[] {
  const { roster, diagnostics } = rosterFrom({
    "f.yaml": written(`version: 1
account: acc-1
groups: { guests: [BO] }
users:
  - { email: ADA, firstName: Ada, lastName: Lovelace${ofAda} }
  - { email: BO, firstName: Bo, lastName: Diaz }
teams:
  - { name: T, ${ofTeam} roles: [A], members: [${members}] }
`),
  });
  const [team] = roster?.teams ?? [];
  return [
    ...(team?.members.map(
      ({ address, roles, until }) => `${address} ${plainText(roles)} until ${plainText(until?.value)}`,
    ) ?? []),
    ...[...(team?.ended ?? [])].map(([address, until]) => `${address} ended on ${until.value}`),
    ...[...(team?.upcoming ?? [])].map(([address, from]) => `${address} begins on ${from.value}`),
    ...(team?.admin === undefined ? [] : [`${team.admin.value} administers it`]),
    ...faultsOf({ diagnostics }),
    ...(roster === undefined ? ["no roster"] : []),
  ];
}

const sections: Readonly<Record<string, (...given: readonly string[]) => readonly string[]>> = {
  "roles for a time": rolesOf,
  "memberships for a time": membersOf,
};

testTextCases(new URL("./dates.txt", import.meta.url), (section, given) => sections[section]?.(...given) ?? []);
