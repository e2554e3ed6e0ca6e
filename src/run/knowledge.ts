import type { LeasedLog } from "../log/port.ts";
import { type LearnedKey, learnedKeys } from "../log/state-draft.ts";
import type { EmailKey } from "../model/address.ts";
import type { Intent } from "../model/call.ts";
import type { WriteBehaviour } from "../model/capabilities.ts";
import { consistencyWindow, decisionWindow } from "../model/consistency-window.ts";
import type { LearnedOutcome, RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type ObservedKey, shownTeams } from "../model/key.ts";
import type { ActionId } from "../model/plan.ts";
import type { State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import type { RoleSet, TeamKey } from "../model/values.ts";
import type { CreateUserResponse } from "../service/port.ts";
import type { ApplyInput } from "./apply-input.ts";
import { type Effect, effectsOf } from "./assess.ts";

export type KnownKey = Pick<ObservedKey, "prefix" | "roles">;

export type MemberNaming = "identifier" | "email";

/** A call of this run that was done, as an answer or a read said. Times are by the monotonic clock. */
export interface DoneCall {
  readonly intent: Intent;
  readonly learned: LearnedOutcome;
  readonly by: "answer" | "read";
  readonly begun: number;
  readonly at: number;
}

/** What a record tells was last known to be so `at` that time, in milliseconds since the epoch; a read of this run has none. */
interface Remembered {
  readonly at?: number;
}

interface KnownHolder {
  readonly address: EmailKey;
  /** The team that it is a key of, or that it is the person's own, where our records or this run say so. */
  readonly of?: TeamKey | "own";
}

/** Milliseconds by which a service's clock may stand still between two of its times. */
export const clockSlack = 2000;

/** Milliseconds by which a write may have begun before another one that it speaks for. */
const announcementSlack = 1000;

/** A few of the latest are enough to tell how recent a read is. */
const maxSampled = 3;
const maxRecalled = 200;

/**
 * What a run knows: the fold of the log, what its own events add up to (`note` is called with each), and what reads have shown. `born`: when
 * what an answer shows was created, in milliseconds since the epoch. What is later than a record is another thing.
 */
export class RunKnowledge {
  /** No read shows the keys of people. */
  keysAreHidden: boolean;
  /** Reads of this run did not show for half a minute what a call had given. */
  readsAreLate = false;
  misunderstood = 0;
  /** Throttled writes of this run that reads have shown not to be done. */
  throttledWithoutEffect = 0;
  /** Users whom a creation of this run found, and did not make, as a read shows them, if one does. */
  readonly met = new Map<EmailKey, ObservedUser | undefined>();
  readonly done: DoneCall[] = [];
  /** The roles with which a key that this run has given was last shown, before they were replaced. */
  readonly givenRoles = new Map<string, RoleSet>();
  /** People of whom all keys that they had before are known. */
  readonly keysKnown = new Set<EmailKey>();

  readonly #input: ApplyInput;
  readonly #log: Pick<LeasedLog, "state" | "now">;
  /** Users who are gone: what is recorded of them says nothing of who has an identifier or a key now. */
  readonly #former: ReadonlySet<EmailKey>;
  readonly #calls = new Map<ActionId, Pick<DoneCall, "intent" | "begun">>();
  readonly #givenKeys = new Map<EmailKey | MembershipKey, string>();
  readonly #people = new Map<string, Remembered & { readonly address: EmailKey }>();
  readonly #keys = new Map<string, Remembered & KnownHolder>();
  /** Whose creation the service answered with a user or a key, and with no address. */
  readonly #answered = new Map<string, EmailKey | "several">();
  readonly #teams = new Map<string, Remembered & { readonly name: string }>();
  /** Calls that make keys, and have not ended. `unknown`: no answer is waited for any more. */
  readonly #underWay = new Map<ActionId, "sent" | "unknown">();
  /** By the prefix of an answer: the calls that were under way then, any of which may have made the key. */
  readonly #rivals = new Map<string, Set<ActionId>>();
  /** Prefixes with a rival whose answer was about something else: only a read can tell whose they are. */
  readonly #contested = new Set<string>();
  #wake: (() => void)[] = [];

  constructor(input: ApplyInput, log: Pick<LeasedLog, "state" | "now">) {
    const { plan, capabilities, shown = [] } = input;
    this.#input = input;
    this.#log = log;
    this.keysAreHidden = capabilities?.keysOnUsers === "hidden";
    // Not as the run found it: a service that starts anew gives the identifiers of before to others.
    const { users, memberships, teams } = log.now();
    // What is recorded at the address of a user whom the plan creates is of another, former user: a person has said so.
    const created = plan.actions.flatMap((one) =>
      one.kind === "create-user" && users.has(one.address) ? [one.address] : [],
    );
    const former = new Set([...created, ...(input.former ?? [])]);
    this.#former = former;
    for (const { address, identifier, key, createdTeam, createdAt, seenAt } of users.values()) {
      if (former.has(address)) continue;
      const at = Date.parse(seenAt ?? createdAt ?? "");
      if (identifier !== undefined) this.#people.set(identifier, { address, at });
      if (key !== undefined) this.#keys.set(key, { address, of: createdTeam ?? "own", at });
    }
    for (const { address, team, prefix, at, seenAt = at } of memberships.values())
      if (prefix !== undefined && !former.has(address))
        this.#keys.set(prefix, { address, of: team, at: Date.parse(seenAt) });
    for (const { identifier, name, at } of teams.values())
      if (identifier !== undefined) this.#teams.set(identifier, { name, at: Date.parse(at) });
    this.noteShown(shown);
  }

  /** The state as the run found it. */
  get before(): State {
    return this.#log.state;
  }

  get writes(): WriteBehaviour {
    return this.recorded.writes ?? {};
  }

  /** The state with what this run has recorded. */
  get recorded(): State {
    return this.#log.now();
  }

  noteShown(users: readonly ObservedUser[]): void {
    for (const { address, identifier, keys } of users) {
      if (identifier !== undefined) this.#people.set(identifier, { address });
      if (keys === undefined) continue;
      this.keysKnown.add(address);
      for (const { prefix } of keys)
        if (this.#keys.get(prefix)?.address !== address) this.#keys.set(prefix, { address });
      for (const team of shownTeams(keys))
        if (team.identifier !== undefined) this.#teams.set(team.identifier, { name: team.name ?? "" });
    }
  }

  /**
   * Why an answer that names nobody may be that to another creation; undefined where nothing speaks for it. One of two that got the same is
   * about the other, and which one only reads can tell: the answer that is right may come last.
   */
  sharedAnswer(address: EmailKey, { email, identifier, key }: CreateUserResponse): string | undefined {
    if (email !== undefined) return undefined;
    for (const shown of [identifier && `user ${identifier}`, key && `key ${key.prefix}`]) {
      if (shown === undefined) continue;
      const first = this.#answered.get(shown) ?? address;
      this.#answered.set(shown, first === address ? address : "several");
      if (first !== address) return `it shows the ${shown}, as the answer to another creation does`;
    }
    return undefined;
  }

  /** An event of this run is recorded. `at`: by the monotonic clock. */
  note(event: RunEvent, at: number): void {
    switch (event.type) {
      case "intended":
        this.#calls.set(event.action, { intent: event.intent, begun: at });
        if (event.intent.kind !== "replace-roles") this.#underWay.set(event.action, "sent");
        break;
      case "succeeded":
        this.#noteDone(event.action, event.learned, "answer", at);
        this.#noteEnd(event.action);
        break;
      case "resolved": {
        const { action, as, except } = event;
        // One person's addition of several is answered, and ends as if it had been read.
        if (as.done) this.#noteDone(action, as.learned, this.#underWay.get(action) === "sent" ? "answer" : "read", at);
        if (except === undefined) this.#noteEnd(action);
        break;
      }
      case "failed":
      case "member-refused":
        this.#noteEnd(event.action);
        break;
      case "team-identified":
        this.#teams.set(event.identifier, { name: event.name });
        break;
      case "unknown-outcome":
        if (event.accepted !== true && event.failure.code === "misunderstood") this.#noteMisunderstood(event.action);
        this.giveUp(event.action);
        break;
      default:
    }
    for (const key of learnedKeys(event)) this.#noteKey(key);
  }

  #noteDone(action: ActionId, learned: LearnedOutcome, by: DoneCall["by"], at: number): void {
    const call = this.#calls.get(action);
    if (call !== undefined) this.done.push({ intent: call.intent, begun: call.begun, learned, by, at });
    if (learned.kind !== "create-user") return;
    const { address, identifier, prefix, was, teamIdentifier } = learned;
    // A user whom this run created has the keys that its calls have given, and no others.
    if (prefix !== undefined && was === undefined) this.keysKnown.add(address);
    if (identifier !== undefined) this.#people.set(identifier, { address });
    const created = call?.intent.kind === "create-user" ? call.intent.createsTeam : undefined;
    if (created !== undefined && teamIdentifier !== undefined) this.#teams.set(teamIdentifier, { name: created.name });
  }

  #noteKey({ address, team, prefix, roles, provisional }: LearnedKey): void {
    const place = givenTo(address, team);
    const former = this.#givenKeys.get(place);
    if (former !== undefined && former !== prefix && this.#keys.get(former)?.address === address)
      this.#keys.delete(former);
    this.#givenKeys.set(place, prefix);
    if (roles !== undefined) this.givenRoles.set(prefix, roles);
    const known = this.#keys.get(prefix);
    // What a read shows of a key counts more than what an answer had said of it while other calls were under way.
    const isWeaker = known?.address === address ? known.of === undefined : this.#rivals.has(prefix) && !provisional;
    if (known === undefined || isWeaker) this.#keys.set(prefix, { address, of: team ?? "own" });
    this.#rivals.delete(prefix);
    this.#contested.delete(prefix);
    if (provisional && this.#underWay.size > 0) this.#rivals.set(prefix, new Set(this.#underWay.keys()));
  }

  #noteMisunderstood(action: ActionId): void {
    this.misunderstood += 1;
    for (const [prefix, rivals] of this.#rivals) if (rivals.has(action)) this.#contested.add(prefix);
  }

  /** The next call of the same action is another one. */
  #noteEnd(action: ActionId): void {
    this.#underWay.delete(action);
    for (const [prefix, rivals] of this.#rivals) {
      if (this.#contested.has(prefix) || !rivals.delete(action) || rivals.size > 0) continue;
      this.#rivals.delete(prefix);
    }
    this.giveUp(action);
  }

  /** No answer to a call comes any more. */
  giveUp(action: ActionId): void {
    if (this.#underWay.has(action)) this.#underWay.set(action, "unknown");
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** Whether a key that the answer to a call shows may have been made by another call that is under way. */
  provisional(action: ActionId): true | undefined {
    return [...this.#underWay.keys()].some((other) => other !== action) ? true : undefined;
  }

  /** Whether each call that may have made the key that this run has given to somebody has its answer. */
  isAnswered(address: EmailKey, team: TeamKey | undefined): boolean {
    const rivals = this.#rivals.get(this.#givenKeys.get(givenTo(address, team)) ?? "") ?? [];
    return [...rivals].every((rival) => this.#underWay.get(rival) !== "sent");
  }

  /** Resolves when a call has its answer, or gets none. */
  nextAnswer(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  /** Whom an identifier is of. An answer that gives it to somebody else is about somebody else. */
  personWith(identifier: string, born?: number): EmailKey | undefined {
    return notOutlived(this.#people.get(identifier), born)?.address;
  }

  holderOf(prefix: string, born?: number): KnownHolder | undefined {
    return notOutlived(this.#keys.get(prefix), born);
  }

  /** Why a key that an answer shows for these people is not theirs; undefined where it may be. */
  foreignKey(
    prefix: string,
    people: readonly EmailKey[],
    forbidden: ReadonlySet<string>,
    born?: number,
  ): string | undefined {
    if (forbidden.has(prefix)) return `it shows the key ${prefix}, which a guard protects`;
    const holder = this.holderOf(prefix, born)?.address;
    return holder === undefined || people.includes(holder) ? undefined : `it shows the key ${prefix} of ${holder}`;
  }

  /** The name of a team that is known to be there, by the service's own identifier. */
  teamWith(identifier: string, born?: number): string | undefined {
    return notOutlived(this.#teams.get(identifier), born)?.name;
  }

  /** The key that this run has given, as far as it is known to be theirs: without a team, the user's own. */
  givenKey(address: EmailKey, team?: TeamKey): KnownKey | undefined {
    const prefix = this.#givenKeys.get(givenTo(address, team));
    if (prefix === undefined || this.#contested.has(prefix)) return undefined;
    // Where reads show no keys, nothing more can be known of a call whose answer was lost.
    const isOpen = (state: "sent" | "unknown" | undefined) =>
      this.keysAreHidden ? state === "sent" : state !== undefined;
    for (const rival of this.#rivals.get(prefix) ?? []) if (isOpen(this.#underWay.get(rival))) return undefined;
    return { prefix, roles: this.givenRoles.get(prefix) };
  }

  teamIdentifier(team: TeamKey, firstMember: EmailKey | undefined): string | undefined {
    const planned = this.#input.plan.teams.get(team);
    const record = this.recorded.teams.get(team);
    const isFormer = firstMember !== undefined && record === this.before.teams.get(team);
    return (planned && factValue(planned.identifier)) ?? (isFormer ? undefined : record?.identifier);
  }

  /** The service's identifier of a person, where it is known, and the address as written. */
  namesInCalls(address: EmailKey, first: MemberNaming): readonly [string, ...string[]] {
    const planned = this.#input.plan.users.get(address);
    const { email } = planned ?? { email: address };
    const record = this.recorded.users.get(address);
    // The record of a former user stands until this run has created another one.
    const isFormer = this.#former.has(address) && record === this.before.users.get(address);
    const identifier = (planned && factValue(planned.identifier)) ?? (isFormer ? undefined : record?.identifier);
    if (identifier === undefined || identifier === email) return [email];
    return first === "identifier" ? [identifier, email] : [email, identifier];
  }

  /** By which name this service takes people, as far as is known: by their identifiers until it has shown otherwise. */
  get naming(): MemberNaming {
    return this.writes.membersNamedBy ?? "identifier";
  }

  /** What a throttled write may have done: what was learned of it, else what a person has said. */
  get throttling(): WriteBehaviour["throttling"] {
    return this.writes.throttling ?? this.#input.throttling;
  }

  get window(): number {
    return consistencyWindow(this.#input.consistency);
  }

  /** Counted from the end of the call, since it may have taken effect as late as that; the state counts in the same way. */
  get decidedAfter(): number {
    return decisionWindow(this.#input.consistency, { mayBeQueued: this.recorded.queues !== undefined });
  }

  /**
   * What some answered calls of the kind of a call have brought about that began no more than a second before it, or later; the latest first. A
   * read that shows it would show what others did that began no later.
   */
  neighboursOf(intent: Intent, begun: number): readonly Effect[] {
    const of = intent.kind === "create-user" && intent.createsTeam === undefined ? "user" : "membership";
    return this.done
      .slice(-maxRecalled)
      .filter((call) => call.by === "answer" && call.intent.kind === intent.kind)
      .filter((call) => call.begun >= begun - announcementSlack)
      .flatMap((call) => effectsOf(call.intent, call.learned).filter((effect) => effect.of === of))
      .slice(-maxSampled)
      .reverse();
  }
}

function givenTo(address: EmailKey, team: TeamKey | undefined): EmailKey | MembershipKey {
  return team === undefined ? address : membershipKeyOf(team, address);
}

function notOutlived<T extends Remembered>(known: T | undefined, born: number | undefined): T | undefined {
  const isOutlived = known?.at !== undefined && born !== undefined && born > known.at + clockSlack;
  return isOutlived ? undefined : known;
}
