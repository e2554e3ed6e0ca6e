import type { EmailKey } from "../model/address.ts";
import type { RunEvent } from "../model/event.ts";
import { type Action, type ActionId, creationId, type Dependency, dependenciesOf, type Plan } from "../model/plan.ts";
import { addMembers } from "./add-members.ts";
import type { ApplyInput, ApplyPorts } from "./apply-input.ts";
import { createUser } from "./create-user.ts";
import { type Checked, recheckFacts } from "./recheck.ts";
import { replaceRoles } from "./replace-roles.ts";
import { type ActionEnd, type ActionResult, recordFailure, type SkipCause } from "./send.ts";
import { openSession, type RunSession } from "./session.ts";
import { verify } from "./verify.ts";

/**
 * Runs a plan. The events are the only output; each was durable in the log before it is yielded, unless the
 * journal was lost, which stops the run. Where the reader stops reading, nothing new starts, and the calls under way
 * are waited for. A failure is an event; only a defect throws.
 */
export async function* applyPlan(input: ApplyInput, ports: ApplyPorts): AsyncGenerator<readonly RunEvent[], void> {
  const session = openSession(input, ports);
  const { journal } = session;
  const running = runToEnd(input, session);
  // Its defect is thrown at the end.
  running.catch(() => undefined);
  try {
    yield* journal.events();
  } finally {
    journal.stop("the reader of its events stopped");
    await running;
  }
}

async function runToEnd(input: ApplyInput, session: RunSession): Promise<void> {
  const { journal, plan } = session;
  try {
    const { id, service, actions } = plan;
    const at = journal.now();
    journal.record([{ type: "run-started", at, run: journal.run, plan: id, service, actions: actions.length }]);
    await runActions(input, session);
    await journal.written();
    if (journal.stopped === undefined) await verify(session);
    await journal.written();
    const ended = journal.stopped ?? ({ ended: "completed" } as const);
    journal.record([{ type: "run-finished", at: journal.now(), ...ended }]);
  } finally {
    await journal.written().finally(() => journal.end());
  }
}

/**
 * Starts each action as soon as its dependencies and the concurrency limit allow, until all have ended or the run is stopped;
 * then those under way finish and the others are recorded as skipped. After a defect nothing new starts, and it is thrown at the end.
 */
async function runActions(input: ApplyInput, session: RunSession): Promise<void> {
  const { journal, knowledge, concurrency, plan } = session;
  const schedule = scheduleOf(plan);
  const recheck = recheckFacts(input, session);
  // What completes something begun comes before new creations, else first come, first served.
  const dependents: Action[] = [];
  const beginnings: Action[] = [];
  const ended = new Set<ActionId>();
  const defects: unknown[] = [];
  let running = 0;
  let wake: () => void = () => undefined;

  function release({ ready: free, skipped }: ScheduleStep): void {
    const at = journal.now();
    for (const { action } of skipped) ended.add(action);
    journal.record(
      skipped.map(({ action, cause }) => ({ type: "skipped", at, action, cause: cause.action, why: cause.why })),
    );
    for (const action of free) {
      const isNew = action.kind === "create-user" && action.createsTeam === undefined && action.dependsOn.length === 0;
      (isNew ? beginnings : dependents).push(action);
    }
  }

  async function runAction(action: Action): Promise<void> {
    running += 1;
    try {
      const result = await runChecked(await recheck(action), action.id, session);
      if (result.is === "not-started") return;
      ended.add(action.id);
      if (result.is === "done") concurrency.succeeded();
      else if (result.failure !== undefined) journal.stopAfter(result.failure);
      release(schedule.end(action, result));
    } catch (defect) {
      defects.push(defect);
      journal.stop("an internal error of roster ended the run");
    } finally {
      running -= 1;
      knowledge.giveUp(action.id);
      wake();
    }
  }

  release(schedule.begin());
  while (true) {
    while (journal.stopped === undefined && running < concurrency.limit) {
      const action = dependents.shift() ?? beginnings.shift();
      if (action === undefined) break;
      void runAction(action);
    }
    if (running === 0) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  if (defects.length > 0) throw defects[0];
  const rest = plan.actions.filter(({ id }) => !ended.has(id));
  if (rest.length === 0) return;
  const { stopped } = journal;
  if (stopped === undefined) throw new Error(`the plan waits for itself: ${rest.map(({ id }) => id).join(", ")}`);
  const at = journal.now();
  journal.record(rest.map(({ id }) => ({ type: "skipped", at, action: id, why: stopped.why })));
}

function runChecked(checked: Checked, id: ActionId, session: RunSession): ActionResult | Promise<ActionResult> {
  const { journal } = session;
  switch (checked.is) {
    case "stale":
      journal.record([{ type: "stale", at: journal.now(), action: id, why: checked.failure.message }]);
      return { is: "not-done" };
    case "unknown":
      return checked.failure.code === "aborted" ? { is: "not-started" } : recordFailure(session, id, checked.failure);
    case "fresh": {
      const { action, leftOut } = checked;
      if (action.kind === "create-user") return createUser(action, session);
      return action.kind === "add-members" ? addMembers(action, leftOut, session) : replaceRoles(action, session);
    }
  }
}

export interface ScheduleStep {
  /** May start now; an add-members call without the people who fell away. */
  readonly ready: readonly Action[];
  /** Actions that cannot be done. The first cause counts: an action that was itself skipped passes its own cause on. */
  readonly skipped: readonly { readonly action: ActionId; readonly cause: SkipCause }[];
}

/** Follows the dependencies of a plan. All its steps together cost as much as the plan has dependencies. */
export function scheduleOf({ actions, teams }: Pick<Plan, "actions" | "teams">) {
  /** Why an action, or one person's part of it, is not done. */
  const causes = new Map<string, SkipCause>();
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

  function partOf(action: ActionId, person: EmailKey): string {
    return `${action}\n${person}`;
  }

  function causeFrom({ action, person }: Dependency): SkipCause | undefined {
    return causes.get(action) ?? (person === undefined ? undefined : causes.get(partOf(action, person)));
  }

  /** People whose creation did not succeed fall away one by one; an addition goes on with the others. */
  function start(action: Action): { readonly reached: Action; readonly cause?: SkipCause | undefined } {
    const [cause] = dependenciesOf(action).flatMap((dependency) => causeFrom(dependency) ?? []);
    if (cause !== undefined || action.kind !== "add-members") return { reached: action, cause };
    const members = action.members.filter(({ address }) => {
      const fallen = causes.get(creationId(address));
      if (fallen !== undefined) causes.set(partOf(action.id, address), fallen);
      return fallen === undefined;
    });
    const [first] = action.members;
    const isForNobody = first !== undefined && members.length === 0;
    return { reached: { ...action, members }, cause: isForNobody ? causes.get(creationId(first.address)) : undefined };
  }

  /** Follows chains of skips without recursion: they can be as long as the plan. */
  function release(free: readonly Action[]): ScheduleStep {
    const ready: Action[] = [];
    const skipped: { readonly action: ActionId; readonly cause: SkipCause }[] = [];
    const queue = [...free];
    for (const action of queue) {
      const { reached, cause } = start(action);
      if (cause === undefined) ready.push(reached);
      else {
        causes.set(action.id, cause);
        skipped.push({ action: action.id, cause });
        for (const freed of freedBy(action.id)) queue.push(freed);
      }
    }
    return { ready, skipped };
  }

  return {
    /** What waits for nothing. To be called once, before any call of `end`. */
    begin: () => release(actions.filter(({ id }) => missing.get(id) === 0)),
    end(action: Action, ended: ActionEnd): ScheduleStep {
      const { id } = action;
      const why = `${describeAction(action, teams)} failed`;
      if (ended.is === "not-done") causes.set(id, ended.cause ?? { action: id, why });
      else
        for (const address of ended.without ?? [])
          causes.set(partOf(id, address), { action: id, why: `${why} for ${address}` });
      return release(freedBy(id));
    },
  };
}

function describeAction(action: Action, teams: Plan["teams"]): string {
  switch (action.kind) {
    case "create-user":
      return `creating ${action.user.email}`;
    case "add-members":
      return `inviting members to the team ${teams.get(action.team)?.name ?? action.team}`;
    case "replace-roles":
      return "changing the roles of the key";
  }
}
