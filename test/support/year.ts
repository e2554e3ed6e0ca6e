import type { ReferenceServer } from "../../src/reference-server/server.ts";
import type { Dice } from "./dice.ts";
import type { Stage } from "./stage.ts";
import { type Company, domain, type Edition, type Person, type Team, untouchable } from "./year-company.ts";

/**
 * Something that is not in order for a while, and what somebody does about it: until then whatever the roster asks for
 * about these people and teams may be missing, and nothing else may.
 */
interface Matter {
  readonly what: string;
  readonly people: readonly Person[];
  readonly teams?: readonly Team[];
  /** Addresses of nobody in the company. */
  readonly strangers?: readonly string[];
  /** The merge at which somebody does something about it. */
  readonly due: number;
  /** A slip in what is merged meanwhile. */
  readonly alter?: (edition: Edition) => Edition;
  readonly remedy?: () => void;
  /** No apply does anything until then: a guard stops it. */
  readonly stops?: true;
  /** What the applies from then on are allowed, until one has come to its end, such as `user-missing:ada@acme.example`. */
  readonly allows?: readonly string[];
}

export interface OpenMatter extends Matter {
  /** What was done about it; applies before it do not know yet. */
  words: readonly string[] | undefined;
}

/** Everything that events of the year need to know and to change. */
export class Year {
  readonly dice: Dice;
  readonly company: Company;
  readonly stage: Stage;
  readonly registry: Registry;
  /** Counts from 1. */
  merge = 0;
  matters: OpenMatter[] = [];
  #happenings = 0;
  /** People of whom an apply has told that it knows them. */
  readonly applied = new Set<Person>();
  /** Prefixes of keys to which somebody gave the administration by hand. */
  readonly privileged = new Set<string>();
  readonly tell: (line: string) => void;

  constructor(parts: Pick<Year, "dice" | "company" | "stage" | "registry" | "tell">) {
    this.dice = parts.dice;
    this.company = parts.company;
    this.stage = parts.stage;
    this.registry = parts.registry;
    this.tell = parts.tell;
  }

  get world() {
    return this.stage.server.world;
  }

  get today(): string {
    return this.dayIn(0);
  }

  dayIn(days: number): string {
    return new Date(this.stage.time.now() + days * 86_400_000).toISOString().slice(0, 10);
  }

  in(least: number, most: number): number {
    return this.merge + this.dice.between(least, most);
  }

  /** Something has happened that needs nobody's attention. */
  happens(what: string): void {
    this.#happenings += 1;
    this.tell(`  ${what}`);
  }

  get happenings(): number {
    return this.#happenings;
  }

  open({ people = [], ...matter }: Omit<Matter, "people"> & Partial<Pick<Matter, "people">>): void {
    this.happens(`opens: ${matter.what}, until merge ${matter.due}`);
    this.matters.push({ people, ...matter, words: undefined });
  }

  isBusy(person: Person): boolean {
    return this.matters.some(({ people }) => people.includes(person));
  }

  /** Whether somebody gave them the administration by hand. */
  isPrivileged(person: Person): boolean {
    const keys = this.registry.accountOf(person)?.accessKeys ?? [];
    return keys.some(({ prefix }) => this.privileged.has(prefix));
  }

  isBusyTeam(team: Team): boolean {
    return this.matters.some(({ teams = [] }) => teams.includes(team));
  }

  /** Users with an account, of whom nothing is under way, and who hold no office. */
  idle(truth: Truth = this.registry.truth()): readonly Person[] {
    return this.company.people.filter(
      (person) =>
        person.stage === "user" &&
        person.until === undefined &&
        person.email !== untouchable &&
        !person.email.startsWith("root@") &&
        !person.email.startsWith("chief@") &&
        !this.isBusy(person) &&
        !this.newTeams().some(({ admin }) => admin === person) &&
        this.registry.accountOf(person, truth)?.email.toLowerCase() === person.email.toLowerCase(),
    );
  }

  /** Without the first one, whose people hold offices. */
  idleTeams(): readonly Team[] {
    return this.company.teams.filter(
      (team) =>
        team.id > 0 &&
        team.members.size > 0 &&
        this.registry.teamIdentifier(team.id) !== undefined &&
        !this.isBusyTeam(team),
    );
  }

  newTeams(): readonly Team[] {
    return this.company.teams.filter(
      ({ id, members }) => members.size > 0 && this.registry.teamIdentifier(id) === undefined,
    );
  }

  /** Whether people could be taken for a team that the roster names no more, under a new name. */
  looksLike(people: Iterable<Person>, team: Team): boolean {
    return [...people].filter((person) => this.registry.wasIn(person, team.id)).length > 1;
  }

  /** Whether a team that is not created yet could be taken for this one, once the roster names this one no more. */
  isMissed(team: Team): boolean {
    return this.newTeams().some(({ members }) => this.looksLike(members, team));
  }

  /** People whose teams can do without them. */
  spare(truth?: Truth): readonly Person[] {
    return this.idle(truth).filter((person) => this.company.teamsOf(person).every(({ members }) => members.size > 3));
  }

  membersThere(team: Team, { teams }: Truth = this.registry.truth()): readonly string[] {
    const identifier = this.registry.teamIdentifier(team.id);
    return teams.find((one) => one.identifier === identifier)?.members ?? [];
  }

  isIn(team: Team, person: Person, truth: Truth = this.registry.truth()): boolean {
    const account = this.registry.accountOf(person, truth);
    return account !== undefined && this.membersThere(team, truth).includes(account.email);
  }

  /** By hand; nothing where it cannot be done. */
  removeMember(team: Team, person: Person): void {
    const account = this.registry.accountOf(person);
    const identifier = this.registry.teamIdentifier(team.id);
    if (account === undefined || identifier === undefined || !this.isIn(team, person)) return;
    this.world.removeMember(identifier, account.identifier);
  }

  /** By hand, without a mail; nothing where it cannot be done. */
  addMember(team: Team, person: Person): void {
    const account = this.registry.accountOf(person);
    const identifier = this.registry.teamIdentifier(team.id);
    if (account === undefined || identifier === undefined || this.isIn(team, person)) return;
    this.world.addMember(identifier, account.identifier);
    this.registry.adopt();
  }

  /** A free address for somebody: another way to write their name. */
  otherAddress({ firstName, lastName }: Person): string {
    const ways = [
      `${firstName[0]}.${lastName}`,
      `${firstName}${lastName}`,
      `${lastName}.${firstName}`,
      `${firstName}_${lastName}`,
    ];
    const free = ways.map((way) => `${way}@${domain}`.toLowerCase()).find((email) => !this.company.personOf(email));
    return free ?? `${firstName}.${lastName}.${this.merge}@${domain}`.toLowerCase();
  }
}

/** Everything that may happen at a merge. An event that finds nobody to happen to happens to nobody. */
export type YearEvent = (year: Year) => void;

type Users = ReferenceServer["world"]["users"];
export type ServiceUser = Users[number];

/** The service's truth at one moment. */
export interface Truth {
  readonly users: readonly ServiceUser[];
  readonly teams: ReferenceServer["world"]["teams"];
  readonly byIdentifier: ReadonlyMap<string, ServiceUser>;
}

/** What a run worked from. */
interface Look {
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
