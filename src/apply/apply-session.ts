import type { Action, ActionId } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { Plan } from "../model/plan.ts";
import type { Failure } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { type KindWords, kindWords } from "../model/team.ts";
import type { AccountService, UserQuery, UserReader } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type { StateJournal } from "../ports/state-store.ts";
import { batchLookups, type LearnedFacts, learnedFacts, type PeopleLookup } from "./learned-facts.ts";
import type { FactsTime, StaleActions } from "./recheck.ts";
import { type RunJournal, runJournal } from "./run-journal.ts";
import {
  type AcknowledgedWrites,
  acknowledgedWrites,
  type SetWriteBehaviour,
  trackWriteBehaviour,
  type WriteBehaviourTracker,
} from "./write-behaviour.ts";

/** What is to be applied. */
export interface ApplyInput extends FactsTime, SetWriteBehaviour {
  readonly plan: Plan;
  readonly run: string;
  /** What does not fit any more although the service may show nothing of it. */
  readonly stale?: StaleActions;
  /** What the service's reads show, as far as the plan's reads could tell. */
  readonly capabilities?: Capabilities;
  /** The users that the reads of the plan showed; none where another run read them. */
  readonly shown?: readonly ObservedUser[];
  /** Users who show the identifiers of teams that people are added to, where another run read them. */
  readonly teamMembers?: readonly UserQuery[];
  /** Recorded users who are gone, as the reads of the plan proved; none where another run read them. */
  readonly former?: readonly FoldedAddress[];
  /** Roles that are never kept on a key for the service's sake. */
  readonly privilegedRoles: RoleSet;
}

export interface ApplyPorts {
  readonly service: AccountService;
  /** Reads people again, as carefully as the plan read them. */
  readonly people: UserReader;
  readonly session: StateJournal;
  readonly clock: Clock;
  /** A stable digest of a text, in hexadecimal. */
  readonly digest: (text: string) => string;
  /** How many calls may be under way at once. */
  readonly parallelism: number;
  /** Aborted when no new action may start. A call under way is never aborted. */
  readonly signal?: AbortSignal;
  /** Aborted, before the signal, once the time that the run was given is over: then the run counts as stopped, not as interrupted. */
  readonly deadline?: AbortSignal;
}

/** The parts of one run that its steps share. */
export interface ApplySession {
  /** The base address of the service. */
  readonly service: string;
  readonly journal: RunJournal;
  readonly writes: RunWrites;
  readonly reads: RunReads;
  readonly learned: LearnedFacts;
  readonly limits: RunLimits;
}

/** Sends the calls of a run, and learns how this service takes them. */
export interface RunWrites {
  readonly service: Pick<AccountService, "createUser" | "addMembers" | "replaceRoles">;
  readonly signal: AbortSignal | undefined;
  /** How late reads show a write, and by which names the service takes people. */
  readonly behaviour: WriteBehaviourTracker;
  /** Calls that were answered with success: what reads show of them tells how recent those reads are. */
  readonly acknowledged: AcknowledgedWrites;
  readonly concurrency: ConcurrencyLimit;
  /** In [0, 1), the same for the same text: so that calls throttled together do not all come back together. */
  jitter(text: string): number;
  /** An answer was about somebody or something else. After a few of them nothing new starts. */
  misunderstood(failure: Failure): void;
}

/** Reads that tell what calls have done. */
export interface RunReads {
  /** Looks for people whose keys, or whose team, an answer did not show. */
  readonly forKeys: PeopleLookup;
  /** Looks for the people of a call of unknown or doubtful outcome. */
  readonly forSettling: PeopleLookup;
  /** What they show. */
  readonly capabilities: Capabilities | undefined;
  /** What the kinds of keys have told before the run. */
  readonly kinds: KindWords;
}

/** What the plan asks of its calls beyond what each action says. */
export interface RunLimits {
  readonly dependents: Dependents;
  /** Prefixes of keys that no call of this run may touch unless the plan names the call. The key in use is one, as it is now. */
  readonly forbiddenKeys: ReadonlySet<string>;
  /** The key in use, where the plan's guards did not know that it would be: its source gave it since, or another run made the plan. */
  readonly unguardedKeyInUse: string | undefined;
  readonly privilegedRoles: RoleSet;
}

export function openApplySession(input: ApplyInput, ports: ApplyPorts): ApplySession {
  const { service, people, session, signal } = ports;
  const { plan, run, capabilities, privilegedRoles } = input;
  const journal = runJournal({ ...ports, run });
  return {
    service: plan.service,
    journal,
    writes: runWrites(input, ports, journal),
    reads: {
      forKeys: batchLookups(people, "key search", signal),
      forSettling: batchLookups(people, "settling", signal),
      capabilities,
      kinds: capabilities?.teamsOnKeys === "shown" ? "tell-own-keys" : kindWords(input.shown ?? []),
    },
    learned: learnedFacts(session.state, input.shown ?? [], formerUsers(input, session.state)),
    limits: {
      dependents: dependentsOf(plan.actions),
      get forbiddenKeys() {
        return forbiddenKeys(plan, service.keyPrefix);
      },
      get unguardedKeyInUse() {
        const { keyPrefix = "" } = service;
        return plan.forbids?.keys.includes(keyPrefix) ? undefined : service.keyPrefix;
      },
      privilegedRoles,
    },
  };
}

/** What is recorded at the address of a user whom the plan creates is of another, former user: a person has said so. */
function formerUsers({ plan, former = [] }: ApplyInput, { users }: State): ReadonlySet<FoldedAddress> {
  const created = plan.actions.flatMap((action) =>
    action.kind === "create-user" && users.has(action.address) ? [action.address] : [],
  );
  return new Set([...created, ...former]);
}

/** After so many answers about somebody or something else nothing can be believed. */
const maxMisunderstood = 3;

function runWrites(
  set: ApplyInput,
  { service, session, digest, parallelism, signal }: ApplyPorts,
  journal: RunJournal,
): RunWrites {
  const behaviour = trackWriteBehaviour(session.state, set);
  let misread = 0;
  return {
    service,
    signal,
    behaviour,
    acknowledged: acknowledgedWrites(),
    concurrency: concurrencyUpTo(parallelism),
    jitter: (text) => Number.parseInt(digest(text).slice(0, 8), 16) / 0x1_0000_0000,
    misunderstood({ message }) {
      misread += 1;
      if (misread < maxMisunderstood) return;
      journal.stop(`${maxMisunderstood} answers did not match their calls. The last one: ${message}`);
    },
  };
}

/** How many writes may be under way at once: few at first, more while the service keeps up. */
export interface ConcurrencyLimit {
  readonly limit: number;
  succeeded(): void;
  throttled(): void;
}

const initialConcurrency = 2;

/** @internal */
export function concurrencyUpTo(parallelism: number): ConcurrencyLimit {
  let limit = Math.min(initialConcurrency, parallelism);
  return {
    get limit() {
      return limit;
    },
    succeeded() {
      limit = Math.min(limit + 1, parallelism);
    },
    throttled() {
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}

function forbiddenKeys({ forbids }: Plan, keyInUse: string | undefined): ReadonlySet<string> {
  return new Set([...(forbids?.keys ?? []), ...(keyInUse === undefined ? [] : [keyInUse])]);
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
