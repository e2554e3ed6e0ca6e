import {
  type Action,
  type ActionId,
  type AddMembers,
  type Dependency,
  dependenciesOf,
  type PersonRef,
} from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";

/** An action that cannot be done because of how another one ended. */
interface SkippedAction {
  readonly action: ActionId;
  /** The first cause: an action that was itself skipped passes its own cause on. */
  readonly cause: SkipCause;
}

/** What one end sets free. */
export interface ScheduleStep {
  /** May start now; an add-members call without the people who fell away. */
  readonly ready: readonly Action[];
  readonly skipped: readonly SkippedAction[];
}

/** How an action that was handed out has ended: `done` also where it was not needed. */
export type ActionCompletion =
  /** `without`: the people of the call whom it did not reach. */
  | { readonly done: true; readonly without?: readonly FoldedAddress[] }
  /** `cause`: where the action was itself kept from being done by another one. */
  | { readonly done: false; readonly cause?: SkipCause };

/** Follows the dependencies of a plan. All its steps together cost as much as the plan has dependencies. */
export interface Schedule {
  /** What waits for nothing. To be called once, before any call of `end`. */
  begin(): ScheduleStep;
  end(action: Action, ended: ActionCompletion): ScheduleStep;
  /** Actions that were neither handed out nor skipped, in the order of the plan. */
  waiting(): readonly Action[];
}

export function scheduleOf(actions: readonly Action[]): Schedule {
  const waiting = new Map(actions.map((action) => [action.id, action]));
  const endings = new Map<ActionId, DependencyOutcome>();
  const fellAway = new Map<ActionId, ReadonlyMap<FoldedAddress, SkipCause>>();
  const links = dependencyGraph(actions);

  /** Follows chains of skips without recursion: they can be as long as the plan. */
  function release(free: readonly Action[]): ScheduleStep {
    const ready: Action[] = [];
    const skipped: SkippedAction[] = [];
    const queue = [...free];
    for (const action of queue) {
      waiting.delete(action.id);
      const verdict = decideStart(action, endings);
      if (verdict.may === "start") {
        ready.push(verdict.action);
        fellAway.set(action.id, verdict.without);
      } else {
        skipped.push({ action: action.id, cause: verdict.cause });
        endings.set(action.id, { done: false, cause: verdict.cause });
        for (const freed of links.freedBy(action.id)) queue.push(freed);
      }
    }
    return { ready, skipped };
  }

  return {
    begin: () => release(links.free()),
    end(action, ended) {
      endings.set(action.id, dependencyOutcome(action, ended, fellAway.get(action.id)));
      return release(links.freedBy(action.id));
    },
    waiting: () => [...waiting.values()],
  };
}

/** Which actions wait for which, and for how many still. */
function dependencyGraph(actions: readonly Action[]) {
  const dependents = new Map<ActionId, Action[]>(actions.map(({ id }) => [id, []]));
  const missing = new Map<ActionId, number>();
  for (const action of actions) {
    const needs = [...new Set(action.dependsOn)].filter((id) => dependents.has(id));
    missing.set(action.id, needs.length);
    for (const id of needs) dependents.get(id)?.push(action);
  }
  return {
    free: () => actions.filter(({ id }) => missing.get(id) === 0),
    freedBy(ended: ActionId): readonly Action[] {
      return (dependents.get(ended) ?? []).filter(({ id }) => {
        const left = (missing.get(id) ?? 0) - 1;
        missing.set(id, left);
        return left === 0;
      });
    },
  };
}

function dependencyOutcome(
  action: Action,
  ended: ActionCompletion,
  fallen: ReadonlyMap<FoldedAddress, SkipCause> | undefined,
): DependencyOutcome {
  const cause: SkipCause = { action: action.id, why: `${describeAction(action)} failed` };
  if (!ended.done) return { done: false, cause: ended.cause ?? cause };
  const without = new Map(fallen);
  for (const address of ended.without ?? []) {
    without.set(address, { action: action.id, why: `${describeAction(action)} failed for ${address}` });
  }
  return { done: true, without };
}

function describeAction(action: Action): string {
  switch (action.kind) {
    case "create-user":
      return `creating ${action.user.email}`;
    case "add-members":
      return `adding members to the team ${action.team.name}`;
    case "replace-roles":
      return "replacing the roles of the key";
  }
}

/** The action whose end keeps others from being done, and what to say of it. */
interface SkipCause {
  readonly action: ActionId;
  readonly why: string;
}

/** How an action ended, as those see it that depend on it. `without`: people whom the call did not reach. */
type DependencyOutcome =
  | { readonly done: true; readonly without: ReadonlyMap<FoldedAddress, SkipCause> }
  | { readonly done: false; readonly cause: SkipCause };

type DependencyOutcomes = ReadonlyMap<ActionId, DependencyOutcome>;

type StartDecision =
  | { readonly may: "start"; readonly action: Action; readonly without: ReadonlyMap<FoldedAddress, SkipCause> }
  | { readonly may: "not-start"; readonly cause: SkipCause };

const noMembers: ReadonlyMap<FoldedAddress, SkipCause> = new Map();

/** Whether an action whose dependencies have all ended may start, and with which people. */
function decideStart(action: Action, endings: DependencyOutcomes): StartDecision {
  const cause = blockingCause(action, endings);
  if (cause !== undefined) return { may: "not-start", cause };
  return action.kind === "add-members" ? decideMembers(action, endings) : { may: "start", action, without: noMembers };
}

/** A cause that forbids the whole action, whatever other people are in it. */
function blockingCause(action: Action, endings: DependencyOutcomes): SkipCause | undefined {
  for (const dependency of dependenciesOf(action)) {
    const cause = causeFrom(dependency, endings);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

/** People whose creation did not succeed fall away one by one; the call goes on with the others. */
function decideMembers(action: AddMembers, endings: DependencyOutcomes): StartDecision {
  const without = new Map<FoldedAddress, SkipCause>();
  const members: PersonRef[] = [];
  for (const member of action.members) {
    const { createdBy } = member;
    const cause = createdBy === undefined ? undefined : causeFrom({ action: createdBy }, endings);
    if (cause === undefined) members.push(member);
    else without.set(member.address, cause);
  }
  const [first] = without.values();
  if (members.length === 0 && first !== undefined) return { may: "not-start", cause: first };
  return { may: "start", action: first === undefined ? action : { ...action, members }, without };
}

function causeFrom({ action, person }: Dependency, endings: DependencyOutcomes): SkipCause | undefined {
  const ending = endings.get(action);
  if (ending === undefined || !ending.done) return ending?.cause;
  return person === undefined ? undefined : ending.without.get(person);
}
