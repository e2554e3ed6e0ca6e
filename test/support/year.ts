import type { Dice } from "./dice.ts";
import type { Stage } from "./stage.ts";
import { type Company, domain, type Person, type Team, untouchable } from "./year-company.ts";
import type { Edition } from "./year-edition.ts";
import type { Registry, Truth } from "./year-registry.ts";

/**
 * Something that is not in order for a while, and what somebody does about it: until then whatever the roster asks for
 * about these people and teams may be missing, and nothing else may.
 */
export interface Matter {
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

  /** A merge to come. */
  in(least: number, most: number): number {
    return this.merge + this.dice.between(least, most);
  }

  /** Something has happened that needs nobody's attention. */
  happens(what: string): void {
    this.#happenings += 1;
    this.tell(`  ${what}`);
  }

  /** How much has happened so far. */
  get happenings(): number {
    return this.#happenings;
  }

  open(matter: Matter): void {
    this.happens(`opens: ${matter.what}, until merge ${matter.due}`);
    this.matters.push({ ...matter, words: undefined });
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

  /** Not created yet. */
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
