import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { type FleetMember, keeperOf, teamName, teamRoles } from "./fleet-of-origins.ts";

/** What a service holds of one target, read without any of the product's code that reads services. */
interface AccountStanding {
  /** Addresses, each as often as it is there. */
  readonly people: readonly string[];
  readonly teams: readonly { readonly name: string; readonly admin: string; readonly members: readonly string[] }[];
  /** The roles of the team keys, by the owner's address. */
  readonly teamKeys: Readonly<Record<string, readonly string[]>>;
  /** Addresses that got an invitation to the team, each as often as it got one. */
  readonly mails: readonly string[];
  /** Requests that create a user, whatever the answer. */
  readonly creations: number;
}

export function readAccount(server: ReferenceServer, { name, account }: FleetMember): AccountStanding {
  const isOurs = (email: string) => email.endsWith(`@${name}.example`);
  const users = server.world.users.filter(({ email }) => isOurs(email));
  const teams = server.world.teams.filter((team) => team.account === account);
  const identifiers = new Set(teams.map(({ identifier }) => identifier));
  const posted = server.requests.filter(({ method, status }) => method === "POST" && status > 0);
  const teamKeys = users.flatMap(({ email, accessKeys }) =>
    accessKeys.flatMap(({ team, roles }) =>
      team === null ? [] : [[email, roles.map(({ identifier }) => identifier).sort()]],
    ),
  );
  return {
    people: users.map(({ email }) => email).sort(),
    teams: teams.map(({ name: called, admin, members }) => ({ name: called, admin, members: members.toSorted() })),
    teamKeys: Object.fromEntries(teamKeys),
    mails: server.outbox.flatMap(({ team, address }) => (identifiers.has(team) ? [address] : [])).sort(),
    creations: posted.filter(({ path }) => path === `/api/accounting/accounts/${account}/users`).length,
  };
}

/** What an account holds where its roster was applied, and nothing was done twice. */
export function appliedOnce({ name, people }: FleetMember): AccountStanding {
  const [admin = "", ...added] = people;
  return {
    people: [...people, keeperOf(name)].sort(),
    teams: [{ name: teamName, admin, members: [...people] }],
    teamKeys: Object.fromEntries(people.map((email) => [email, teamRoles])),
    // Whoever founds the team gets no invitation.
    mails: added,
    creations: people.length,
  };
}

/** What a check of a target should find: keys with other roles than those of the roster, and members too many. */
export function differencesOf({ teamKeys, teams }: AccountStanding, { people }: FleetMember) {
  const members = teams.flatMap((team) => team.members);
  const others = people.filter((email) => String(teamKeys[email]) !== String(teamRoles));
  const gains = others.filter((email) => teamKeys[email]?.includes("ACCOUNT_ADMIN"));
  return {
    privileged_gains: gains.length,
    changes: others.length,
    problems: members.filter((email) => !people.includes(email)).length,
  };
}
