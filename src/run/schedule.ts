import type { EmailKey } from "../model/address.ts";
import type { Failure } from "../model/failure.ts";
import { type Action, type ActionId, creationId, type Dependency, dependenciesOf, type Plan } from "../model/plan.ts";

/** Why an action cannot be done: how another one ended. */
interface SkipCause {
  readonly action: ActionId;
  readonly why: string;
}

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

interface Standing {
  /** Why all of it is not done; undefined while it is under way, and once it is done. */
  readonly cause?: SkipCause;
  /** The people whom it does not reach. */
  readonly without: ReadonlyMap<EmailKey, SkipCause>;
}

/** Follows the dependencies of a plan. All its steps together cost as much as the plan has dependencies. */
export function scheduleOf({ actions, teams }: Pick<Plan, "actions" | "teams">) {
  const standings = new Map<ActionId, Standing>();
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

  function causeFrom({ action, person }: Dependency): SkipCause | undefined {
    const { cause, without } = standings.get(action) ?? {};
    return cause ?? (person === undefined ? undefined : without?.get(person));
  }

  /** People whose creation did not succeed fall away one by one; an addition goes on with the others. */
  function start(action: Action): { readonly reached: Action } & Standing {
    const without = new Map<EmailKey, SkipCause>();
    const [cause] = dependenciesOf(action).flatMap((dependency) => causeFrom(dependency) ?? []);
    if (cause !== undefined) return { cause, reached: action, without };
    if (action.kind !== "add-members") return { reached: action, without };
    for (const { address } of action.members) {
      const fallen = causeFrom({ action: creationId(address) });
      if (fallen !== undefined) without.set(address, fallen);
    }
    const members = action.members.filter(({ address }) => !without.has(address));
    const [first] = without.values();
    if (first === undefined) return { reached: action, without };
    return { reached: { ...action, members }, without, ...(members.length === 0 ? { cause: first } : {}) };
  }

  /** Follows chains of skips without recursion: they can be as long as the plan. */
  function release(free: readonly Action[]): ScheduleStep {
    const ready: Action[] = [];
    const skipped: { readonly action: ActionId; readonly cause: SkipCause }[] = [];
    const queue = [...free];
    for (const action of queue) {
      const { reached, ...standing } = start(action);
      standings.set(action.id, standing);
      if (standing.cause === undefined) ready.push(reached);
      else {
        skipped.push({ action: action.id, cause: standing.cause });
        for (const freed of freedBy(action.id)) queue.push(freed);
      }
    }
    return { ready, skipped };
  }

  return {
    /** What waits for nothing. To be called once, before any call of `end`. */
    begin: () => release(actions.filter(({ id }) => missing.get(id) === 0)),
    end(action: Action, ended: ActionEnd): ScheduleStep {
      const why = `${describeAction(action, teams)} failed`;
      const without = new Map(standings.get(action.id)?.without);
      if (ended.is === "not-done")
        standings.set(action.id, { cause: ended.cause ?? { action: action.id, why }, without });
      else {
        for (const address of ended.without ?? [])
          without.set(address, { action: action.id, why: `${why} for ${address}` });
        standings.set(action.id, { without });
      }
      return release(freedBy(action.id));
    },
  };
}

function describeAction(action: Action, teams: Plan["teams"]): string {
  switch (action.kind) {
    case "create-user":
      return `creating ${action.user.email}`;
    case "add-members":
      return `adding members to the team ${teams.get(action.team)?.name ?? action.team}`;
    case "replace-roles":
      return "replacing the roles of the key";
  }
}
