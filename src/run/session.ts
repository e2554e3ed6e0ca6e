import { peopleOf } from "../log/state-draft.ts";
import type { EmailKey } from "../model/address.ts";
import type { Intent } from "../model/call.ts";
import type { Capabilities } from "../model/capabilities.ts";
import { stopsTheRun } from "../model/failure.ts";
import { type KindWords, kindWords } from "../model/key.ts";
import { type Action, type ActionId, creationId, giverOf, type Plan } from "../model/plan.ts";
import type { AddressedUser } from "../model/user.ts";
import type { RoleSet } from "../model/values.ts";
import type { ApplyInput, ApplyPorts } from "./apply-input.ts";
import { type RunJournal, runJournal } from "./journal.ts";
import { RunKnowledge } from "./knowledge.ts";
import { batchLookups, type PeopleLookup, type Shown } from "./lookups.ts";

export interface RunSession extends Pick<ApplyPorts, "service" | "clock" | "signal"> {
  readonly plan: Plan;
  readonly journal: RunJournal;
  readonly knowledge: RunKnowledge;
  readonly concurrency: Concurrency;
  /** Looks for people whose keys, or whose team, an answer did not show. */
  readonly lookForKeys: PeopleLookup;
  /** Looks for the people of a call of unknown or doubtful outcome. */
  readonly look: PeopleLookup;
  readonly capabilities: Partial<Capabilities>;
  /** What the kinds of keys have told before the run. */
  readonly kinds: KindWords;
  readonly privilegedRoles: RoleSet;
  /** The people whose key, given by an action, has its roles replaced later. */
  readonly neededKeys: ReadonlyMap<ActionId, ReadonlySet<EmailKey>>;
  /** The creations whose team a later call names. */
  readonly neededTeams: ReadonlySet<ActionId>;
}

export function openSession(input: ApplyInput, ports: ApplyPorts): RunSession {
  const { people, session, parallelism, signal } = ports;
  const { plan, run, shown = [], former = [], privilegedRoles } = input;
  const capabilities: Partial<Capabilities> = input.capabilities ?? {};
  // What is recorded at the address of a user whom the plan creates is of another, former user: a person has said so.
  const created = plan.actions.flatMap((one) =>
    one.kind === "create-user" && session.state.users.has(one.address) ? [one.address] : [],
  );
  const knowledge = new RunKnowledge({ ...input, session, former: new Set([...created, ...former]) });
  return {
    ...ports,
    plan,
    journal: runJournal(run, knowledge, ports),
    knowledge,
    concurrency: new Concurrency(parallelism),
    lookForKeys: batchLookups(people, "key search", signal),
    look: batchLookups(people, "settling", signal),
    capabilities,
    kinds: capabilities.teamsOnKeys === "shown" ? "tell-own-keys" : kindWords(shown),
    privilegedRoles,
    ...neededOf(plan.actions),
  };
}

/** How many writes may be under way at once: few at first, one more for each success, half for each that is throttled. */
class Concurrency {
  readonly #parallelism: number;
  limit: number;

  constructor(parallelism: number) {
    this.#parallelism = parallelism;
    this.limit = Math.min(2, parallelism);
  }

  succeeded(): void {
    this.limit = Math.min(this.limit + 1, this.#parallelism);
  }

  throttled(): void {
    this.limit = Math.max(1, Math.floor(this.limit / 2));
  }
}

/** Prefixes of keys that no call may touch unless the plan names it. The key in use is one, as it is now. */
export function forbiddenKeys({ plan, service }: Pick<RunSession, "plan" | "service">): ReadonlySet<string> {
  return new Set([...(plan.forbids?.keys ?? []), ...(service.keyPrefix === undefined ? [] : [service.keyPrefix])]);
}

/** What later actions of a plan need to learn from earlier ones. */
function neededOf(actions: readonly Action[]): Pick<RunSession, "neededKeys" | "neededTeams"> {
  const neededKeys = new Map<ActionId, Set<EmailKey>>();
  const neededTeams = new Set<ActionId>();
  for (const action of actions) {
    if (action.kind === "add-members" && action.firstMember !== undefined)
      neededTeams.add(creationId(action.firstMember));
    const giver = action.kind === "replace-roles" ? giverOf(action) : undefined;
    if (action.kind !== "replace-roles" || giver === undefined || action.key.address === undefined) continue;
    neededKeys.set(giver, (neededKeys.get(giver) ?? new Set()).add(action.key.address));
  }
  return { neededKeys, neededTeams };
}

interface RepeatedReads {
  /** Milliseconds before each read. */
  readonly pauses: readonly number[];
  readonly why: string;
  readonly people: () => readonly AddressedUser[];
}

/** What reads show, once `judge` finds something in one of them; a read that fails shows nothing. `readAt`: by the monotonic clock. */
export async function readUntil<T>(
  { journal, clock, look }: Pick<RunSession, "journal" | "clock" | "look">,
  { pauses, why, people }: RepeatedReads,
  judge: (shown: Shown, readAt: number) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (const pause of pauses) {
    await journal.pause(pause, why);
    if (journal.stopped !== undefined) break;
    const readAt = clock.monotonic();
    const shown = await look(people());
    if (!shown.ok && stopsTheRun(shown.error)) journal.stop(shown.error);
    const found = shown.ok ? await judge(shown.value, readAt) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Somebody to look for, by the address as the plan writes it. */
export function queryOf(address: EmailKey, { users }: Plan): AddressedUser {
  return { address, email: users.get(address)?.email ?? address };
}

export function queriesOf(intent: Intent, plan: Plan): readonly AddressedUser[] {
  return peopleOf(intent).map((address) => queryOf(address, plan));
}
