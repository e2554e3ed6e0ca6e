import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { type FleetMember, keeperOf, teamName, teamRoles } from "./fleet-of-origins.ts";

/** What a service holds of one target, read without any of the product's code that reads services. */
interface AccountStanding {
  readonly people: readonly string[];
  readonly teams: readonly { readonly name: string; readonly admin: string; readonly members: readonly string[] }[];
  readonly teamKeys: Readonly<Record<string, readonly string[]>>;
  /** Addresses that got an invitation to the team, each as often as it got one. */
  readonly mails: readonly string[];
  readonly creations: number;
  /** Requests that set the roles of a team key, whatever the answer, by the owner's address. */
  readonly rolesSet: Readonly<Record<string, number>>;
}

export function readAccount(server: ReferenceServer, { name, account }: FleetMember): AccountStanding {
  const isOurs = (email: string) => email.endsWith(`@${name}.example`);
  const users = server.world.users.filter(({ email }) => isOurs(email));
  const teams = server.world.teams.filter((team) => team.account === account);
  const identifiers = new Set(teams.map(({ identifier }) => identifier));
  const requestsTo = (path: string) =>
    server.requests.filter((request) => request.method !== "GET" && request.status > 0 && request.path === path).length;
  const teamKeys = users.flatMap(({ email, accessKeys }) =>
    accessKeys.flatMap((key) => (key.team === null ? [] : [{ email, key }])),
  );
  return {
    people: users.map(({ email }) => email).sort(),
    teams: teams.map(({ name: called, admin, members }) => ({ name: called, admin, members: members.toSorted() })),
    teamKeys: Object.fromEntries(
      teamKeys.map(({ email, key }) => [email, key.roles.map(({ identifier }) => identifier).sort()]),
    ),
    mails: server.outbox.flatMap(({ team, address }) => (identifiers.has(team) ? [address] : [])).sort(),
    creations: requestsTo(`/api/accounting/accounts/${account}/users`),
    rolesSet: Object.fromEntries(
      teamKeys.map(({ email, key }) => [email, requestsTo(`/api/accounting/access-keys/${key.prefix}/roles`)]),
    ),
  };
}

/** What an account holds where its roster was applied, and nothing was done twice. */
export function appliedOnce({ name, people }: FleetMember): AccountStanding {
  const [admin = "", ...added] = people;
  return {
    people: [...people, keeperOf(name)].sort(),
    teams: [{ name: teamName, admin, members: [...people] }],
    teamKeys: Object.fromEntries(people.map((email) => [email, teamRoles])),
    // Whoever creates the team gets no invitation.
    mails: added,
    creations: people.length,
    // A new team's key has its roles from the start.
    rolesSet: Object.fromEntries(people.map((email) => [email, email === admin ? 0 : 1])),
  };
}

/** What a check of a target should find: keys with other roles than those of the roster, and members too many. */
export function differencesOf({ teamKeys, teams }: AccountStanding, { people }: FleetMember) {
  const members = teams.flatMap((team) => team.members);
  const others = people.filter((email) => String(teamKeys[email]) !== String(teamRoles));
  const gains = others.filter((email) => teamKeys[email]?.includes("ACCOUNT_ADMIN"));
  return {
    privileged_gains: gains.length,
    changes: others.length - gains.length,
    problems: members.filter((email) => !people.includes(email)).length,
  };
}
