import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed, SeedTeam } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { httpAccountService } from "../../src/service/client.ts";
import { ApiKey } from "../../src/service/secrets.ts";
import type { AtEnd } from "./command.ts";

export function nth(index: number): string {
  return `u${String(index).padStart(5, "0")}@acme.example`;
}

/** So many users in all, the first of them the administrator whose key is the server's. Everybody has one last name. */
export function crowd(size: number, teams: readonly SeedTeam[] = []): Seed {
  const people = Array.from({ length: size - 1 }, (_, index) => ({
    email: nth(index + 1),
    firstName: `U${index + 1}`,
    lastName: "Same",
  }));
  const chief = "chief@acme.example";
  return {
    users: [{ email: chief, firstName: "Chief", lastName: "Same" }, ...people],
    teams,
    keys: [{ prefix: "chief0key", secret: "cHiEfSeCrEt", owner: chief, kind: "user", roles: ["SYSTEM_OWNER"] }],
  };
}

/** Roster lines of the people of a crowd from one number to another. */
export function crowdLines(from: number, to: number): string {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return numbers.map((n) => `  - { email: ${nth(n)}, firstName: U${n}, lastName: Same }\n`).join("");
}

export const crowdHead = "version: 1\naccount: acc-1\nusers:\n";

export function clientOf(
  server: Pick<ReferenceServer, "endpoint" | "key">,
  atEnd: AtEnd,
  trace?: (line: string) => void,
) {
  const client = httpAccountService({
    endpoint: new URL(server.endpoint),
    key: new ApiKey(server.key),
    clock: systemClock,
    randomness: systemRandomness,
    parallelism: 4,
    ...(trace === undefined ? {} : { trace }),
  });
  atEnd(() => client.close());
  return client;
}

export type Client = ReturnType<typeof clientOf>;

/** A complete list as its addresses, sorted; otherwise why it is not complete. */
export async function everyone(client: Client): Promise<readonly string[] | string> {
  const list = await client.listUsers();
  if (!list.ok) return `${list.error.code}: ${list.error.message}`;
  const { users, complete } = list.value;
  return complete.yes ? users.map(({ email }) => email).sort() : `incomplete: ${complete.why}`;
}

export function crowdOf(size: number): readonly string[] {
  return ["chief@acme.example", ...Array.from({ length: size - 1 }, (_, index) => nth(index + 1))];
}

/** The numbers of the pages of users that were asked for. */
export function pagesAsked({ requests }: Pick<ReferenceServer, "requests">): readonly string[] {
  return requests
    .filter(({ method, path }) => method === "GET" && path.endsWith("/users"))
    .map(({ query }) => new URLSearchParams(query).get("page") ?? "none");
}

/** Pages of ten rows at the most. */
export const small = { maxPerPage: 10 } as const;

export async function crowded(atEnd: AtEnd, size: number, knobs: Partial<Knobs>, seed: Seed = crowd(size)) {
  const server = await startReferenceServer({ port: 0, knobs, seed });
  atEnd(() => server.close());
  return { server, client: clientOf(server, atEnd) };
}

/** What the client reads of a crowd, and the pages that it asks for. */
export async function listThrough(atEnd: AtEnd, size: number, knobs: Partial<Knobs>) {
  const { server, client } = await crowded(atEnd, size, knobs);
  return { everyone: await everyone(client), pages: pagesAsked(server) };
}

/** A roster of 24 of 25 people who are there, and of somebody and a team who are not. */
export const growingRoster = `${crowdHead}${crowdLines(1, 24)}  - { email: new@acme.example, firstName: New, lastName: One }
teams:
  - { name: Red, admin: new@acme.example, members: [{ user: new@acme.example }] }
`;

/** A roster that names 24 of 25 people who are all there. */
export const fullRoster = crowdHead + crowdLines(1, 24);
