import { type Action, type ActionId, type Dependency, dependenciesOf, type PersonRef } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { Failure } from "../model/result.ts";

/** Why an action cannot be done: how another one ended. */
interface SkipCause {
  readonly action: ActionId;
  readonly why: string;
}

/** What one end sets free. */
export interface ScheduleStep {
  /** May start now; an add-members call without the people who fell away. */
  readonly ready: readonly Action[];
  /** Actions that cannot be done. The first cause counts: an action that was itself skipped passes its own cause on. */
  readonly skipped: readonly { readonly action: ActionId; readonly cause: SkipCause }[];
}

/** How an action that was handed out has ended: `done` also where it was not needed. */
export type ActionEnd =
  /** `without`: the people of the call whom it did not reach. */
  | { readonly is: "done"; readonly without?: readonly EmailKey[] }
  /** `failure`: what the call was answered with. `cause`: where the action was itself kept from being done by another one. */
  | { readonly is: "not-done"; readonly failure?: Failure; readonly cause?: SkipCause };

/** How an action ended, as those see it that depend on it. `without`: people whom the call did not reach. */
type Ending =
  | { readonly is: "done"; readonly without: ReadonlyMap<EmailKey, SkipCause> }
  | { readonly is: "not-done"; readonly cause: SkipCause };

/** Follows the dependencies of a plan. All its steps together cost as much as the plan has dependencies. */
export interface Schedule {
  /** What waits for nothing. To be called once, before any call of `end`. */
  begin(): ScheduleStep;
  end(action: Action, ended: ActionEnd): ScheduleStep;
}

export function scheduleOf(actions: readonly Action[]): Schedule {
  const endings = new Map<ActionId, Ending>();
  const fellAway = new Map<ActionId, ReadonlyMap<EmailKey, SkipCause>>();
  const dependents = new Map<ActionId, Action[]>(actions.map(({ id }) => [id, []]));
  const missing = new Map<ActionId, number>();
  for (const action of actions) {
    const needs = [...new Set(action.dependsOn)].filter((id) => dependents.has(id));
    missing.set(action.id, needs.length);
    for (const id of needs) dependents.get(id)?.push(action);
  }

  function freedBy(ended: ActionId): readonly Action[] {
    return (dependents.get(ended) ?? []).filter(({ id }) => {
      const left = (missing.get(id) ?? 0) - 1;
      missing.set(id, left);
      return left === 0;
    });
  }

  /** Follows chains of skips without recursion: they can be as long as the plan. */
  function release(free: readonly Action[]): ScheduleStep {
    const ready: Action[] = [];
    const skipped: { readonly action: ActionId; readonly cause: SkipCause }[] = [];
    const queue = [...free];
    for (const action of queue) {
      const { cause, reached, without } = startOf(action, endings);
      if (cause === undefined) {
        ready.push(reached);
        fellAway.set(action.id, without);
      } else {
        skipped.push({ action: action.id, cause });
        endings.set(action.id, { is: "not-done", cause });
        for (const freed of freedBy(action.id)) queue.push(freed);
      }
    }
    return { ready, skipped };
  }

  return {
    begin: () => release(actions.filter(({ id }) => missing.get(id) === 0)),
    end(action, ended) {
      endings.set(action.id, endingOf(action, ended, fellAway.get(action.id)));
      return release(freedBy(action.id));
    },
  };
}

function endingOf(action: Action, ended: ActionEnd, fallen: ReadonlyMap<EmailKey, SkipCause> | undefined): Ending {
  const why = `${describeAction(action)} failed`;
  if (ended.is === "not-done") return { is: "not-done", cause: ended.cause ?? { action: action.id, why } };
  const without = new Map(fallen);
  for (const address of ended.without ?? []) without.set(address, { action: action.id, why: `${why} for ${address}` });
  return { is: "done", without };
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

/** Whether an action whose dependencies have all ended may start, and with which people. */
interface Start {
  /** What forbids the whole action. */
  readonly cause?: SkipCause | undefined;
  /** The action, with those people alone whom it can reach. */
  readonly reached: Action;
  readonly without: ReadonlyMap<EmailKey, SkipCause>;
}

/** People whose creation did not succeed fall away one by one; an addition goes on with the others. */
function startOf(action: Action, endings: ReadonlyMap<ActionId, Ending>): Start {
  const without = new Map<EmailKey, SkipCause>();
  for (const dependency of dependenciesOf(action)) {
    const cause = causeFrom(dependency, endings);
    if (cause !== undefined) return { cause, reached: action, without };
  }
  if (action.kind !== "add-members") return { reached: action, without };
  const members: PersonRef[] = [];
  for (const member of action.members) {
    const { createdBy } = member;
    const cause = createdBy === undefined ? undefined : causeFrom({ action: createdBy }, endings);
    if (cause === undefined) members.push(member);
    else without.set(member.address, cause);
  }
  const [cause] = without.values();
  if (cause === undefined) return { reached: action, without };
  return { cause: members.length === 0 ? cause : undefined, reached: { ...action, members }, without };
}

function causeFrom({ action, person }: Dependency, endings: ReadonlyMap<ActionId, Ending>): SkipCause | undefined {
  const ending = endings.get(action);
  if (ending === undefined) return undefined;
  if (ending.is === "not-done") return ending.cause;
  return person === undefined ? undefined : ending.without.get(person);
}
