import { foldAddress } from "../../src/model/address.ts";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import type { PassedRequest } from "./fault-proxy.ts";

interface Creation {
  readonly email: string;
  readonly team?: { readonly name: string };
}

/** Sees each request right before the service does, and notes what must never be asked for. */
export function witnessOf({ world, outbox }: Pick<ReferenceServer, "world" | "outbox">) {
  const breaches: string[] = [];

  function seeCreation({ email, team }: Creation): void {
    const address = foldAddress(email);
    if (world.teams.some(({ name }) => name === team?.name)) breaches.push(`creates ${team?.name}, which is there`);
    const isThere = world.users.some((user) => foldAddress(user.email) === address);
    if (isThere) breaches.push(`creates ${address}, who is there`);
  }

  function seeAddition(identifier: string, people: readonly { readonly identifier: string }[]): void {
    const team = world.teams.find((one) => one.identifier === identifier);
    if (team === undefined) return;
    const emails = new Map(world.users.map((user) => [user.identifier, user.email]));
    for (const { identifier: name } of people) {
      const email = emails.get(name) ?? name;
      if (team.members.includes(email)) breaches.push(`adds ${email} to ${team.name}, who is a member`);
    }
  }

  return {
    see({ method, url, body }: PassedRequest) {
      if (method !== "POST") return;
      const path = url.split("?")[0] ?? "";
      if (path.endsWith("/users")) seeCreation(JSON.parse(body) as Creation);
      const team = /\/teams\/([^/]+)\/members$/u.exec(path)?.[1];
      if (team !== undefined) seeAddition(decodeURIComponent(team), JSON.parse(body) as { identifier: string }[]);
    },
    /** One sentence each: a creation of somebody who is there, of a team that is, an addition of a member, a second mail. */
    breaches() {
      const mails = outbox.map(({ team, address }) => `${team} ${foldAddress(address)}`);
      const again = mails.filter((mail, index) => mails.indexOf(mail) < index);
      return [...breaches, ...again.map((mail) => `mailed twice: ${mail}`)];
    },
  };
}
