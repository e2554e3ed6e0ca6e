import type { PassedRequest } from "./fault-proxy.ts";
import { admins, type Company, domain, type Person, untouchable } from "./year-company.ts";
import type { Edition } from "./year-edition.ts";
import { leaversOf } from "./year-judge.ts";
import type { Registry, Truth } from "./year-registry.ts";

/** Under what a run is watched. */
export interface Watched {
  readonly editions: readonly Edition[];
  readonly today: string;
}

/** Looks at each call right before the service does, and says what must never be asked for. */
export interface Watch {
  begin(watched: Watched): void;
  see(request: PassedRequest): void;
  /** Calls since the run began that were to change something. */
  readonly writes: readonly string[];
  /** One sentence each. */
  readonly breaches: string[];
}

interface Creation {
  readonly email: string;
  readonly team?: { readonly accessKeyRoles?: readonly string[] };
}

type Named = readonly { readonly identifier: string }[];

export function watchOf(company: Company, registry: Registry): Watch {
  const breaches: string[] = [];
  const writes: string[] = [];
  let watched: Watched = { editions: [], today: "" };

  /** Whoever is a leaver in every edition that the run may have worked from. */
  function isLeaver(email: string): boolean {
    const { editions, today } = watched;
    const person = company.personOf(email);
    return editions.every((edition) =>
      [...leaversOf(edition, today)].some((one) => one === email || company.personOf(one) === person),
    );
  }

  function judge(email: string, what: string): void {
    if (!email.endsWith(`@${domain}`)) breaches.push(`${what}: ${email} is a stranger`);
    if (email === untouchable) breaches.push(`${what}: ${email} is protected`);
    if (isLeaver(email)) breaches.push(`${what}: ${email} is a leaver`);
  }

  function judgeRoles(holder: string, roles: readonly string[], what: string): void {
    if (roles.includes("ACCOUNT_ADMIN") && !admins.some((admin) => admin === holder)) {
      breaches.push(`${what}: ${holder} would be an administrator`);
    }
  }

  function seeCreation({ email, team }: Creation): void {
    judge(email.toLowerCase(), `creates ${email}`);
    judgeRoles(email.toLowerCase(), team?.accessKeyRoles ?? [], `creates ${email}`);
  }

  function seeAddition(team: string, people: Named, { users, teams }: Truth): void {
    for (const { identifier } of people) {
      const email = users.find((user) => user.identifier === identifier)?.email ?? identifier;
      judge(email.toLowerCase(), `adds ${email} to ${teams.find((one) => one.identifier === team)?.name}`);
    }
  }

  function seeRoles(prefix: string, named: Named, { users }: Truth): void {
    const holder = users.find(({ accessKeys }) => accessKeys.some((key) => key.prefix === prefix));
    if (holder === undefined) return;
    const email = holder.email.toLowerCase();
    const roles = named.map(({ identifier }) => identifier);
    const what = `gives the key ${prefix} of ${email} ${roles.join(", ") || "nothing"}`;
    judgeRoles(email, roles, what);
    if (email === untouchable) breaches.push(`${what}: they are protected`);
    const person: Person | undefined = registry.holderOf(holder.identifier);
    if (roles.length > 0 && (isLeaver(email) || (person !== undefined && isLeaver(person.email)))) {
      breaches.push(`${what}: they are a leaver`);
    }
  }

  return {
    breaches,
    writes,
    begin(next) {
      watched = next;
      writes.length = 0;
    },
    see({ method, url, body, isWrite }) {
      if (!isWrite) return;
      const path = decodeURIComponent(url.split("?")[0] ?? "");
      writes.push(`${method} ${path} ${body}`);
      const team = /\/teams\/([^/]+)\/members$/u.exec(path)?.[1];
      const prefix = /\/access-keys\/([^/]+)\/roles$/u.exec(path)?.[1];
      if (team !== undefined) seeAddition(team, JSON.parse(body) as Named, registry.truth());
      else if (prefix !== undefined) seeRoles(prefix, JSON.parse(body) as Named, registry.truth());
      else seeCreation(JSON.parse(body) as Creation);
    },
  };
}
