import type { ReferenceServer } from "../../src/reference-server/server.ts";
import type { Company, Person } from "./year-company.ts";
import type { Edition } from "./year-edition.ts";

type Users = ReferenceServer["world"]["users"];
export type ServiceUser = Users[number];
export type ServiceKey = ServiceUser["accessKeys"][number];

/** The service's truth at one moment. */
export interface Truth {
  readonly users: readonly ServiceUser[];
  readonly teams: ReferenceServer["world"]["teams"];
  readonly byIdentifier: ReadonlyMap<string, ServiceUser>;
}

/** What a run worked from. */
export interface Look {
  /** It may have been any of them. */
  readonly editions: readonly Edition[];
  /** Whom a person's word lets be created again. */
  readonly mayReturn: ReadonlySet<Person>;
  /** ISO 8601. */
  readonly at: string;
}

/** Who in the service is which person of the company, and which team is which: a book that is kept by looking. */
export class Registry {
  /** What must not have been, in one sentence each. */
  readonly breaches: string[] = [];
  /** People whom runs have created, oldest first. */
  readonly created: Person[] = [];
  readonly #company: Company;
  readonly #server: ReferenceServer;
  readonly #people = new Map<string, Person>();
  readonly #accounts = new Map<Person, Set<string>>();
  readonly #teams = new Map<number, string>();
  /** Teams that were told once. */
  readonly #strays = new Set<string>();
  readonly #places = new Set<string>();
  readonly #mails = new Set<string>();
  /** When somebody was last mailed, or created where nobody mailed them; ISO 8601. */
  readonly #invited = new Map<Person, string>();
  /** Of whose invitation no run has come to its end since. */
  readonly #unsettled = new Set<Person>();
  #mailsRead = 0;

  constructor(company: Company, server: ReferenceServer) {
    this.#company = company;
    this.#server = server;
    for (const { id, name } of company.teams) {
      const there = server.world.teams.find((team) => team.name === name);
      if (there !== undefined) this.#teams.set(id, there.identifier);
    }
    this.adopt();
  }

  truth(): Truth {
    const { users, teams } = this.#server.world;
    return { users, teams, byIdentifier: new Map(users.map((user) => [user.identifier, user])) };
  }

  /** After people have done something to the service by hand: that is theirs to answer for. */
  adopt(): Truth {
    const truth = this.truth();
    for (const { identifier, email } of truth.users) {
      const person = this.#people.has(identifier) ? undefined : this.#company.personOf(email);
      if (person !== undefined) this.#note(identifier, person);
    }
    this.#notePlaces(truth);
    return truth;
  }

  /** After a run. */
  look({ editions, mayReturn, at }: Look): Truth {
    const truth = this.truth();
    for (const user of truth.users) {
      if (!this.#people.has(user.identifier)) this.#meet(user, truth, { mayReturn, at });
    }
    this.#lookAtTeams(truth, editions);
    this.#lookAtMails(truth);
    this.#notePlaces(truth);
    return truth;
  }

  /** The account of a person that is there. */
  accountOf(person: Person, { byIdentifier }: Truth = this.truth()): ServiceUser | undefined {
    for (const identifier of this.#accounts.get(person) ?? []) {
      const user = byIdentifier.get(identifier);
      if (user !== undefined) return user;
    }
    return undefined;
  }

  holderOf(identifier: string): Person | undefined {
    return this.#people.get(identifier);
  }

  teamIdentifier(id: number): string | undefined {
    return this.#teams.get(id);
  }

  /** Whether they ever were a member, under any of their accounts. */
  wasIn(person: Person, id: number): boolean {
    return this.#places.has(`${this.#teams.get(id)} ${person.id}`);
  }

  /** A run has come to its end: what one before it was kept from recording counts from then on. */
  settleInvitations(at: string): void {
    for (const person of this.#unsettled) this.#invited.set(person, at);
    this.#unsettled.clear();
  }

  invitedAt(person: Person): string | undefined {
    return this.#invited.get(person);
  }

  /** Where the state is lost, nobody can know any more who was there, and who was in which team. */
  forgetWhoIsGone(): void {
    const { users, byIdentifier } = this.truth();
    const places = new Set(
      users.flatMap(({ identifier, accessKeys }) => accessKeys.map(({ team }) => `${team?.identifier} ${identifier}`)),
    );
    for (const mail of this.#mails) if (!places.has(mail)) this.#mails.delete(mail);
    for (const accounts of this.#accounts.values()) {
      for (const identifier of accounts) if (!byIdentifier.has(identifier)) accounts.delete(identifier);
    }
    this.#invited.clear();
  }

  #noteInvitation(person: Person, at: string): void {
    this.#invited.set(person, at);
    this.#unsettled.add(person);
  }

  #note(identifier: string, person: Person): void {
    this.#people.set(identifier, person);
    const accounts = this.#accounts.get(person) ?? new Set();
    this.#accounts.set(person, accounts.add(identifier));
  }

  #meet({ identifier, email }: ServiceUser, truth: Truth, { mayReturn, at }: Omit<Look, "editions">): void {
    const person = this.#company.personOf(email);
    if (person === undefined) return;
    const had = this.#accounts.get(person) ?? new Set();
    const other = this.accountOf(person, truth);
    if (other !== undefined) this.breaches.push(`doubles ${other.email} as ${email}`);
    else if (had.size > 0 && !mayReturn.has(person)) this.breaches.push(`brings back ${email} without a word`);
    this.#note(identifier, person);
    this.created.push(person);
    this.#noteInvitation(person, at);
  }

  #lookAtTeams({ teams }: Truth, editions: readonly Edition[]): void {
    const known = new Set([...this.#teams.values(), ...this.#strays]);
    for (const { identifier, name } of teams) {
      if (known.has(identifier)) continue;
      const meant = editions.flatMap((edition) => edition.teams).find((team) => team.name === name);
      if (meant === undefined) continue;
      this.#strays.add(identifier);
      if (this.#teams.has(meant.id)) this.breaches.push(`creates ${name}, which is there under another name`);
      else this.#teams.set(meant.id, identifier);
    }
  }

  #lookAtMails({ users }: Truth): void {
    const byAddress = new Map(users.map(({ email, identifier }) => [email.toLowerCase(), identifier]));
    for (const { team, teamName, address, at } of this.#server.outbox.slice(this.#mailsRead)) {
      const person = this.#company.personOf(address);
      if (person !== undefined) this.#noteInvitation(person, at);
      const mail = `${team} ${byAddress.get(address.toLowerCase()) ?? address}`;
      if (this.#mails.has(mail)) this.breaches.push(`mails ${address} twice for ${teamName}`);
      this.#mails.add(mail);
    }
    this.#mailsRead = this.#server.outbox.length;
  }

  #notePlaces({ users }: Truth): void {
    for (const { identifier, accessKeys } of users) {
      const person = this.#people.get(identifier);
      if (person === undefined) continue;
      for (const { team } of accessKeys) if (team !== null) this.#places.add(`${team.identifier} ${person.id}`);
    }
  }
}
