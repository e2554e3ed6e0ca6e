import type { Action, ActionId } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { Intended, RunEvent } from "../model/event.ts";
import { createFinding, type FindingInput } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import { type Failure, isRefusedAccess } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { RecordedKey } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AccountService, UserReader } from "../ports/account-service.ts";
import { type Clock, isoTime } from "../ports/clock.ts";
import type { StateSession } from "../ports/state-store.ts";
import { type IntentPrefetch, noPrefetch, prefetchIntents } from "./intent-prefetch.ts";
import { type KnownHolders, knownHolders, type LearnedFacts, learnedFacts } from "./learned-facts.ts";
import { batchLookups, type PeopleLookup } from "./people-lookup.ts";
import type { StaleActions } from "./recheck.ts";
import {
  type AcknowledgedWrites,
  acknowledgedWrites,
  type ConcurrencyLimit,
  concurrencyUpTo,
  type ThrottledWrites,
  throttledWrites,
  trackWriteBehaviour,
  type WriteBehaviourTracker,
} from "./write-behaviour.ts";

/** What is to be applied. */
export interface ApplyInput {
  readonly plan: Plan;
  readonly run: string;
  /** ISO 8601, when the oldest read began that the plan rests on; absent where another run read it: then no fact is taken as it is. */
  readonly factsAt?: string;
  /** What does not fit any more although the service may show nothing of it. */
  readonly unfit?: StaleActions;
  /** What the service's reads show, as far as the plan's reads could tell. */
  readonly capabilities?: Capabilities;
  /** Whom the reads of the plan showed; nobody where another run read them. */
  readonly shown?: readonly ObservedUser[];
  /** Milliseconds within which reads of this service may not show a write, where a person has set them. */
  readonly consistency?: number | undefined;
  /** Roles that are never kept on a key for the service's sake. */
  readonly privilegedRoles: RoleSet;
}

export interface ApplyPorts {
  readonly service: AccountService;
  /** Reads people again, as carefully as the plan read them. */
  readonly people: UserReader;
  readonly session: StateSession;
  readonly clock: Clock;
  /** A stable digest of a text, in hexadecimal. */
  readonly digest: (text: string) => string;
  /** How many calls may be under way at once. */
  readonly parallelism: number;
  /** Aborted when no new action may start. A call under way is never aborted. */
  readonly signal?: AbortSignal;
  /** Aborted, before the signal, once the time that the run was given is over: then it is told as stopped, not as interrupted. */
  readonly deadline?: AbortSignal;
}

/** What every action of one run shares. */
export interface RunContext {
  readonly input: ApplyInput;
  readonly service: AccountService;
  readonly clock: Clock;
  readonly digest: (text: string) => string;
  readonly signal: AbortSignal | undefined;
  readonly facts: LearnedFacts;
  /** To whom identifiers and keys are known to belong. */
  readonly known: KnownHolders;
  /** Prefixes of keys that no call of this run may touch unless the plan names the call. */
  readonly forbidden: ReadonlySet<string>;
  /** How the service takes writes. */
  readonly writes: WriteBehaviourTracker;
  /** Writes of this run that were answered with success: what reads show of them tells how recent those reads are. */
  readonly acknowledged: AcknowledgedWrites;
  readonly throttled: ThrottledWrites;
  readonly dependents: Dependents;
  readonly expectedEffects: ExpectedEffects;
  readonly concurrency: ConcurrencyLimit;
  /** Looks for people whose keys, or whose team, an answer did not show. */
  readonly lookUpKeys: PeopleLookup;
  /** Looks for people whom a call of unknown or doubtful outcome was about. */
  readonly lookUpForSettling: PeopleLookup;
  readonly stream: EventStream;
  readonly prefetch: IntentPrefetch;
  /** How the state store writes. */
  readonly storeWrites: StateSession["writes"];
  now(): string;
  /** Makes an intent durable, and tells nobody. False where the run was stopped, or is now: its call must not be sent. */
  makeDurable(intended: Intended): Promise<boolean>;
  /** Makes what has happened durable, then tells it; where the journal is lost, it is told all the same. */
  record(events: readonly RunEvent[]): Promise<void>;
  /** What the state knew of a key before this run. */
  recordedKey(prefix: string): RecordedKey | undefined;
  /** Lets nothing new start. The first reason counts. */
  stop(why: string | Failure): void;
  /** An answer to a write was about somebody or something else. After a few of them nothing new starts. */
  misunderstood(failure: Failure): void;
  /** Why nothing new may start. */
  readonly stopped: RunStop | undefined;
}

/** After so many answers about somebody or something else nothing can be believed. */
const maxMisunderstood = 3;

function tooManyMisunderstood({ message }: Failure): string {
  return `${maxMisunderstood} answers to writes were not about what was sent; the last one: ${message}`;
}

function forbiddenKeys({ forbids }: Plan, keyInUse: string | undefined): ReadonlySet<string> {
  return new Set([...(forbids?.keys ?? []), ...(keyInUse === undefined ? [] : [keyInUse])]);
}

interface RunStop {
  readonly ended: "stopped" | "interrupted";
  readonly why: string;
  readonly accessRefused?: true;
}

export function runContext(input: ApplyInput, ports: ApplyPorts): RunContext {
  const { service, people, session, clock, digest, parallelism, signal, deadline } = ports;
  const stream = eventStream();
  const prefetch = session.writes === "rewritten" ? prefetchIntents({ run: input.run, clock }) : noPrefetch;
  let stopped: RunStop | undefined;
  const writes = trackWriteBehaviour(session.state, input.consistency);
  const known = knownHolders(input.shown ?? [], session.state);
  let misread = 0;

  function stop(why: string | Failure): void {
    stopped ??= typeof why === "string" ? { ended: "stopped", why } : stoppedByFailure(why);
  }

  function stoppedBy(): RunStop | undefined {
    if (signal?.aborted) stopped ??= deadline?.aborted ? outOfTime : interrupted;
    return stopped;
  }

  async function append(events: readonly RunEvent[]): Promise<boolean> {
    const joined = (stoppedBy() === undefined ? prefetch : noPrefetch).join();
    try {
      await session.append([...events, ...joined.intended]);
      joined.ended("durable");
      return true;
    } catch (error) {
      joined.ended("lost");
      stop(error instanceof Error ? error.message : "the state could not be written");
      return false;
    }
  }

  return {
    input,
    service,
    clock,
    digest,
    signal,
    stream,
    facts: learnedFacts(session.state, known),
    known,
    forbidden: forbiddenKeys(input.plan, service.keyPrefix),
    writes,
    acknowledged: acknowledgedWrites(),
    throttled: throttledWrites(writes),
    dependents: dependentsOf(input.plan.actions),
    expectedEffects: trackExpectedEffects(),
    concurrency: concurrencyUpTo(parallelism),
    lookUpKeys: batchLookups(people, "key search", signal),
    lookUpForSettling: batchLookups(people, "settling", signal),
    now: () => isoTime(clock),
    prefetch,
    storeWrites: session.writes,
    makeDurable: async (intended) => stoppedBy() === undefined && append([intended]),
    async record(events) {
      if (events.length === 0) return;
      await append(events);
      stream.push(events);
    },
    recordedKey: (prefix) => session.state.keys.get(prefix),
    stop,
    misunderstood(failure) {
      misread += 1;
      if (misread >= maxMisunderstood) stop(tooManyMisunderstood(failure));
    },
    get stopped() {
      return stoppedBy();
    },
  };
}

const interrupted: RunStop = { ended: "interrupted", why: "the run was interrupted" };
const outOfTime: RunStop = { ended: "stopped", why: "the time that --deadline gives the run is over" };

function stoppedByFailure(failure: Failure): RunStop {
  const refused = isRefusedAccess(failure) ? ({ accessRefused: true } as const) : {};
  return { ended: "stopped", why: failure.message, ...refused };
}

/** The event of a finding that only a run can make. */
export function foundEvent(context: RunContext, told: Omit<FindingInput, "restsOn">): RunEvent {
  return { type: "found", at: context.now(), finding: createFinding({ ...told, restsOn: [] }, context.digest) };
}

/** What a successful call should have brought about, for a later read to show. */
export type ExpectedEffect = {
  readonly address: FoldedAddress;
  readonly email: string;
  /** Milliseconds since the epoch, when the call was answered; undefined where only reading has shown that it was done. */
  readonly at: number | undefined;
} & (
  | { readonly of: "user" }
  | { readonly of: "membership"; readonly team: TeamIdentity }
  | {
      readonly of: "roles";
      readonly prefix: string;
      readonly roles: RoleSet;
      readonly answered: RoleSet | undefined;
      /** What the key had before, where a read showed that. */
      readonly before: RoleSet | undefined;
    }
);

/** Replaced roles of a key whose owner nobody knows: no search can show them. */
interface UnsearchableKey {
  readonly prefix: string;
}

/** What a run has touched so far. */
interface ExpectedEffects {
  expect(expectation: ExpectedEffect): void;
  cannotSearch(key: UnsearchableKey): void;
  readonly expectations: readonly ExpectedEffect[];
  readonly unsearchable: readonly UnsearchableKey[];
}

function trackExpectedEffects(): ExpectedEffects {
  const expectations: ExpectedEffect[] = [];
  const unsearchable: UnsearchableKey[] = [];
  return {
    expectations,
    unsearchable,
    expect: (expectation) => void expectations.push(expectation),
    cannotSearch: (key) => void unsearchable.push(key),
  };
}

/** What later actions of a plan need to learn from earlier ones. */
interface Dependents {
  /** The people whose key, given by this action, has its roles replaced later. */
  keysOf(action: ActionId): ReadonlySet<FoldedAddress>;
  /** Whether a later call names the team that this action founds. */
  teamOf(action: ActionId): boolean;
}

const noAddresses: ReadonlySet<FoldedAddress> = new Set();

function dependentsOf(actions: readonly Action[]): Dependents {
  const keys = new Map<ActionId, Set<FoldedAddress>>();
  const teams = new Set<ActionId>();
  for (const action of actions) {
    if (action.kind === "add-members" && action.team.foundedBy !== undefined) teams.add(action.team.foundedBy);
    if (action.kind !== "replace-roles" || action.key.of === "prefix") continue;
    const { givenBy, address } = action.key;
    const wanted = keys.get(givenBy);
    if (wanted === undefined) keys.set(givenBy, new Set([address]));
    else wanted.add(address);
  }
  return { keysOf: (action) => keys.get(action) ?? noAddresses, teamOf: (action) => teams.has(action) };
}

/** Events on their way from the actions under way to whoever reads the run. */
interface EventStream {
  push(events: readonly RunEvent[]): void;
  /** Nothing comes any more; with a defect, reading ends by throwing it. */
  end(defect?: { readonly thrown: unknown }): void;
  /** To be read once. */
  read(): AsyncGenerator<RunEvent, void>;
}

function eventStream(): EventStream {
  let waiting: RunEvent[] = [];
  let over: { readonly defect?: { readonly thrown: unknown } | undefined } | undefined;
  let wake: () => void = () => undefined;

  return {
    push(events) {
      for (const event of events) waiting.push(event);
      wake();
    },
    end(defect) {
      over ??= { defect };
      wake();
    },
    async *read() {
      while (true) {
        const batch = waiting;
        waiting = [];
        yield* batch;
        if (waiting.length > 0) continue;
        if (over !== undefined) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (over.defect !== undefined) throw over.defect.thrown;
    },
  };
}
