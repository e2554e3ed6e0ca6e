import type { Seed } from "../../src/reference-server/seed.ts";
import { admins, type Company, domain, roleSets, untouchable } from "./year-company.ts";

/** The service as it is on the first day: it knows everybody, and a few whom no roster names. */
export function seedOf(company: Company): Seed {
  return {
    users: [
      ...company.people.map(({ id, email, firstName, lastName }) => ({
        identifier: `u-${id}`,
        email,
        firstName,
        lastName,
      })),
      { email: `printer@${domain}`, firstName: "Print", lastName: "Room" },
      { email: "auditor@elsewhere.example", firstName: "Au", lastName: "Ditor" },
    ],
    teams: company.teams.map(({ id, name, admin, members, roles, differing }) => ({
      identifier: `t-${id}`,
      name,
      admin: admin.email,
      members: [...members].map((person) => ({
        user: person.email,
        roles: differing.get(person) ?? (roles === undefined ? ["TEAM_ROLE"] : roleSets[roles]),
      })),
    })),
    keys: [
      ...admins.map((owner, index) => projectKey(`admin${index}`, owner, "ACCOUNT_ADMIN")),
      ...company.people
        .filter(({ id }) => id % 15 === 7)
        .map(({ id, email }) => projectKey(`project${id}`, email, "PROJECT")),
    ],
  };
}

function projectKey(prefix: string, owner: string, role: string) {
  return { prefix, owner, kind: "project" as const, roles: [role] };
}

/** What the people who run the pipeline have set, outside everybody's reach. */
export const settings = `roster: roster
guards:
  allowed-email-domains: [${domain}]
  privileged-roles: { people: [${admins.join(", ")}] }
  max-new-users: 25
  max-invitations: 80
  required-admins: [${admins[0]}]
protect:
  users: [${untouchable}]
`;
