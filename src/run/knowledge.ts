import type { ActionId, AddMembers } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { consistencyWindow, decisionWindow } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { LearnedOutcome, RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import type { ObservedKey } from "../model/key.ts";
import { type MembershipKey, membershipKeyOf } from "../model/membership.ts";
import type { Intent, TeamKey, WriteBehaviour } from "../model/recorded.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { State } from "../model/state.ts";
import type { ObservedUser } from "../model/user.ts";
import type { CreateUserResponse } from "../ports/account-service.ts";
import type { ApplyInput } from "./apply-input.ts";
import type { Effect } from "./effect.ts";

export type KnownKey = Pick<ObservedKey, "prefix" | "roles">;

export type MemberNaming = "identifier" | "email";

/** The state as it was found, what a person has set, and what the reads of the plan showed. */
interface KnowledgeSources extends Pick<ApplyInput, "plan" | "run" | "consistency" | "throttling"> {
  readonly state: State;
  readonly shown: readonly ObservedUser[];
  /** Users who are gone: what is recorded of them says nothing of who has an identifier or a key now. */
  readonly former: ReadonlySet<EmailKey>;
}

/** A call of this run that was done. `answered`: the service said so. `at`: by the monotonic clock. */
export interface DoneCall {
  readonly intent: Intent;
  readonly learned: LearnedOutcome;
  readonly by: "answer" | "read";
  readonly at: number;
}

/** A write that the service has answered with success. A read that shows it would show others that began no later. */
export interface AcknowledgedWrite {
  readonly kind: "creation" | "team" | "addition";
  readonly effect: Effect;
  /** When it was announced, by the monotonic clock. */
  readonly begun: number;
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

/** A few are enough to tell how recent a read is. */
const maxSampled = 3;
const maxAcknowledged = 200;

/**
 * All that a run knows: the state as it was found, what the run's own events add up to (`note` is called with each), and what reads have
 * shown. `born`: when what an answer shows was created, in milliseconds since the epoch. What is later than a record is another thing: a
 * service that started anew gives its identifiers once more.
 */
export class RunKnowledge {
  readonly state: State;
  /** A search of this run has shown people, and none of them with keys. */
  keysAreHidden = false;
  /** Reads of this run did not show for half a minute what a call had given. */
  readsAreLate = false;
  writes: WriteBehaviour;
  misunderstood = 0;
  /** Throttled writes of this run that reads have shown not to be done. */
  throttledWithoutEffect = 0;
  /** Users whom a creation of this run found, and did not make, as a read shows them, if one does. */
  readonly met = new Map<EmailKey, ObservedUser | undefined>();
  readonly done: DoneCall[] = [];
  readonly createdTeams = new Map<TeamKey, string>();
  /** The roles with which a key that this run has given was last shown, before they were replaced. */
  readonly givenRoles = new Map<string, RoleSet>();
  /** People of whom all keys that they had before are known. */
  readonly keysKnown = new Set<EmailKey>();

  readonly #sources: KnowledgeSources;
  #mayBeQueued: boolean;
  readonly #intents = new Map<ActionId, Intent>();
  readonly #identifiers = new Map<EmailKey, string>();
  readonly #givenKeys = new Map<MembershipKey, string>();
  readonly #people = new Map<string, Remembered & { readonly address: EmailKey }>();
  readonly #keys = new Map<string, Remembered & KnownHolder>();
  /** Whose creation the service first answered with a user or a key, and with no address; and what it answered to several. */
  readonly #answered = new Map<string, EmailKey>();
  readonly #shared = new Set<string>();
  readonly #teams = new Map<string, Remembered & { readonly name: string }>();
  readonly #acknowledged: AcknowledgedWrite[] = [];

  constructor(sources: KnowledgeSources) {
    const { state, shown, former } = sources;
    this.#sources = sources;
    this.state = state;
    this.writes = state.writes ?? {};
    this.#mayBeQueued = state.queues !== undefined;
    for (const { address, identifier, key, createdTeam, createdAt, seenAt } of state.users.values()) {
      if (former.has(address)) continue;
      const at = Date.parse(seenAt ?? createdAt ?? "");
      if (identifier !== undefined) this.#people.set(identifier, { address, at });
      if (key !== undefined) this.#keys.set(key, { address, of: createdTeam ?? "own", at });
    }
    for (const { address, team, prefix, at, seenAt = at } of state.memberships.values())
      if (prefix !== undefined && !former.has(address))
        this.#keys.set(prefix, { address, of: team, at: Date.parse(seenAt) });
    for (const { identifier, name, at } of state.teams.values())
      if (identifier !== undefined) this.#teams.set(identifier, { name, at: Date.parse(at) });
    this.noteShown(shown);
  }

  noteShown(users: readonly ObservedUser[]): void {
    for (const { address, identifier, keys } of users) {
      if (identifier !== undefined) this.#people.set(identifier, { address });
      if (keys !== undefined) this.keysKnown.add(address);
      for (const { prefix, team } of keys ?? []) {
        if (this.#keys.get(prefix)?.address !== address) this.#keys.set(prefix, { address });
        if (team !== undefined && team !== "none" && team.identifier !== undefined)
          this.#teams.set(team.identifier, { name: team.name ?? "" });
      }
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
      this.#answered.set(shown, first);
      if (first !== address) this.#shared.add(shown);
      if (this.#shared.has(shown)) return `it shows the ${shown}, as the answer to another creation does`;
    }
    return undefined;
  }

  /** An event of this run is recorded. `at`: by the monotonic clock. */
  note(event: RunEvent, at: number): void {
    switch (event.type) {
      case "intended":
        this.#intents.set(event.action, event.intent);
        break;
      case "succeeded":
        this.#noteDone(event.action, event.learned, "answer", at);
        break;
      case "settled":
        if (event.as.done && event.run === this.#sources.run)
          this.#noteDone(event.action, event.as.learned, "read", at);
        break;
      case "key-learned": {
        const { address, team, prefix, roles } = event;
        const known = this.#keys.get(prefix);
        this.#givenKeys.set(givenTo(address, team), prefix);
        if (roles !== undefined) this.givenRoles.set(prefix, roles);
        if (known === undefined || (known.address === address && known.of === undefined))
          this.#keys.set(prefix, { address, of: team ?? "own" });
        break;
      }
      case "team-identified":
        this.createdTeams.set(event.team, event.identifier);
        this.#teams.set(event.identifier, { name: event.name });
        break;
      case "unknown-outcome":
        if (event.accepted === true) this.#mayBeQueued = true;
        else if (event.failure.code === "misunderstood") this.misunderstood += 1;
        break;
      case "writes-learned":
        this.writes = event.writes;
        break;
      default:
    }
  }

  #noteDone(action: ActionId, learned: LearnedOutcome, by: DoneCall["by"], at: number): void {
    const intent = this.#intents.get(action);
    if (intent !== undefined) this.done.push({ intent, learned, by, at });
    if (learned.kind !== "create-user") return;
    const { address, identifier, prefix, was } = learned;
    // A user whom this run created has the keys that its calls have given, and no others.
    if (prefix !== undefined && was === undefined) this.keysKnown.add(address);
    if (identifier === undefined) return;
    this.#identifiers.set(address, identifier);
    this.#people.set(identifier, { address });
  }

  /** Whom an identifier is of. An answer that gives it to somebody else is about somebody else. */
  personWith(identifier: string, born?: number): EmailKey | undefined {
    return notOutlived(this.#people.get(identifier), born)?.address;
  }

  holderOf(prefix: string, born?: number): KnownHolder | undefined {
    return notOutlived(this.#keys.get(prefix), born);
  }

  /** The name of a team that is known to be there, by the service's own identifier. */
  teamWith(identifier: string, born?: number): string | undefined {
    return notOutlived(this.#teams.get(identifier), born)?.name;
  }

  /** The key that this run has given: without a team, the user's own. */
  givenKey(address: EmailKey, team?: TeamKey): KnownKey | undefined {
    const prefix = this.#givenKeys.get(givenTo(address, team));
    return prefix === undefined ? undefined : { prefix, ...definedFields({ roles: this.givenRoles.get(prefix) }) };
  }

  identifierOf(address: EmailKey): string | undefined {
    const { plan, former } = this.#sources;
    const planned = plan.users.get(address);
    const record = former.has(address) ? undefined : this.state.users.get(address)?.identifier;
    return this.#identifiers.get(address) ?? (planned && factValue(planned.identifier)) ?? record;
  }

  teamIdentifier({ team, firstMember }: AddMembers): string | undefined {
    const planned = this.#sources.plan.teams.get(team);
    const record = firstMember === undefined ? this.state.teams.get(team)?.identifier : undefined;
    return this.createdTeams.get(team) ?? (planned && factValue(planned.identifier)) ?? record;
  }

  /** The service's identifier of a person, where it is known, and the address as written: the identifier first. */
  namesInCalls(address: EmailKey): readonly [string, ...string[]] {
    const named = this.identifierOf(address);
    const { email } = this.#sources.plan.users.get(address) ?? { email: address };
    return named === undefined || named === email ? [email] : [named, email];
  }

  /** By which name this service takes people, as far as is known: by their identifiers until it has shown otherwise. */
  get naming(): MemberNaming {
    return this.writes.membersNamedBy ?? "identifier";
  }

  /** What a throttled write may have done: what was learned of it, else what a person has said. */
  get throttling(): WriteBehaviour["throttling"] {
    return this.writes.throttling ?? this.#sources.throttling;
  }

  /** Milliseconds after a write within which reads need not show it. */
  get window(): number {
    return consistencyWindow(this.#sources.consistency);
  }

  /**
   * Milliseconds after which a call that no read shows counts as not done. Counted from the end of the call, since it
   * may have taken effect as late as that; the state counts in the same way.
   */
  get decidedAfter(): number {
    return decisionWindow(this.#sources.consistency, { mayBeQueued: this.#mayBeQueued });
  }

  acknowledge({ kind }: Intent, effects: readonly Effect[], begun: number): void {
    for (const effect of effects) {
      const created = effect.of === "user" ? "creation" : "team";
      this.#acknowledged.push({ kind: kind === "create-user" ? created : "addition", effect, begun });
      if (this.#acknowledged.length > maxAcknowledged) this.#acknowledged.shift();
    }
  }

  /** Some acknowledged writes of the kind of a call that began no more than a second before it, or later; the latest first. */
  neighboursOf(intent: Intent, begun: number): readonly AcknowledgedWrite[] {
    const created = intent.kind === "create-user" && intent.createsTeam === undefined ? "creation" : "team";
    const kind = intent.kind === "create-user" ? created : "addition";
    const speaks = (write: AcknowledgedWrite) => write.kind === kind && write.begun >= begun - announcementSlack;
    return this.#acknowledged.filter(speaks).slice(-maxSampled).reverse();
  }
}

function givenTo(address: EmailKey, team: TeamKey | undefined): MembershipKey {
  return membershipKeyOf(team ?? ("" as TeamKey), address);
}

function notOutlived<T extends Remembered>(known: T | undefined, born: number | undefined): T | undefined {
  const isOutlived = known?.at !== undefined && born !== undefined && born > known.at + clockSlack;
  return isOutlived ? undefined : known;
}
