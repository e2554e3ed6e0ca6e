import { foldAddress } from "../../src/model/address.ts";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import type { PassedRequest } from "./fault-proxy.ts";

/** Sees each request right before the service does, and notes what must never be asked for. */
export interface Witness {
  see(request: PassedRequest): void;
  /** One sentence each: a creation of somebody who is there, of a team that is, an addition of somebody who is a member. */
  readonly breaches: string[];
  /** The folded addresses of all creations that came to the service. */
  readonly creations: readonly string[];
  /** When the last creation of each of them came, by folded address. */
  readonly createdAt: ReadonlyMap<string, number>;
}

interface Creation {
  readonly email: string;
  readonly team?: { readonly name: string };
}

export function witnessOf({ world }: Pick<ReferenceServer, "world">, now: () => number = Date.now): Witness {
  const breaches: string[] = [];
  const creations: string[] = [];
  const createdAt = new Map<string, number>();

  function seeCreation({ email, team }: Creation): void {
    const address = foldAddress(email);
    const isFounded = world.teams.some(({ name }) => name === team?.name);
    if (isFounded) breaches.push(`creates ${team?.name}, which is there`);
    creations.push(address);
    createdAt.set(address, now());
    const there = world.users.some((user) => foldAddress(user.email) === address);
    if (there) breaches.push(`creates ${address}, who is there`);
  }

  function seeAddition(identifier: string, people: readonly string[]): void {
    const team = world.teams.find((one) => one.identifier === identifier);
    if (team === undefined) return;
    const emails = new Map(world.users.map((user) => [user.identifier, user.email]));
    for (const name of people) {
      const email = emails.get(name) ?? name;
      if (team.members.includes(email)) breaches.push(`adds ${email} to ${team.name}, who is a member`);
    }
  }

  return {
    breaches,
    creations,
    createdAt,
    see({ method, url, body }) {
      if (method !== "POST") return;
      const path = url.split("?")[0] ?? "";
      if (path.endsWith("/users")) seeCreation(JSON.parse(body) as Creation);
      const team = /\/teams\/([^/]+)\/members$/u.exec(path)?.[1];
      const people = team === undefined ? [] : (JSON.parse(body) as { identifier: string }[]);
      if (team !== undefined)
        seeAddition(
          decodeURIComponent(team),
          people.map(({ identifier }) => identifier),
        );
    },
  };
}

/** The same person in the same team more than once. */
export function mailedTwice({ outbox }: Pick<ReferenceServer, "outbox">): readonly string[] {
  const seen = new Set<string>();
  return outbox.flatMap(({ team, address }) => {
    const mail = `${team} ${foldAddress(address)}`;
    if (seen.has(mail)) return [mail];
    seen.add(mail);
    return [];
  });
}
