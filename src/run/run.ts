import type { RunEvent } from "../model/event.ts";
import { stopsTheRun } from "../model/failure.ts";
import type { Action, ActionId } from "../model/plan.ts";
import { addMembers } from "./add-members.ts";
import type { ApplyInput, ApplyPorts } from "./apply-input.ts";
import { createUser } from "./create-user.ts";
import { batchLookups, usersAt } from "./lookups.ts";
import { type Checked, recheckFacts } from "./recheck.ts";
import { replaceRoles } from "./replace-roles.ts";
import { type ScheduleStep, scheduleOf } from "./schedule.ts";
import { type ActionResult, recordFailure } from "./send.ts";
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
  const running = runToEnd(input, ports, session);
  try {
    yield* journal.events();
  } finally {
    journal.stop("the reader of its events stopped");
    await running;
  }
}

/** Never rejects: the reader of the events gets a defect. */
async function runToEnd(input: ApplyInput, ports: ApplyPorts, session: RunSession): Promise<void> {
  const { journal, plan, signal } = session;
  try {
    const { id, service, actions } = plan;
    const at = journal.now();
    journal.record([{ type: "run-started", at, run: journal.run, plan: id, service, actions: actions.length }]);
    await runActions(input, ports, session);
    await journal.written();
    if (journal.stopped === undefined) await verify(session, batchLookups(ports.people, "check", signal));
    await journal.written();
    const ended = journal.stopped ?? ({ ended: "completed" } as const);
    journal.record([{ type: "run-finished", at: journal.now(), ...ended }]);
    await journal.written();
    journal.end();
  } catch (thrown) {
    await journal.written();
    journal.end({ thrown });
  }
}

/**
 * Starts each action as soon as its dependencies and the concurrency limit allow, until all have ended or the run is stopped;
 * then those under way finish and the others are recorded as skipped. After a defect nothing new starts, and it is thrown at the end.
 */
async function runActions(input: ApplyInput, ports: ApplyPorts, session: RunSession): Promise<void> {
  const { journal, knowledge, concurrency, plan } = session;
  const schedule = scheduleOf(plan);
  const search = batchLookups(ports.people, "recheck", ports.signal);
  const recheck = recheckFacts(input, ports, async (people) => {
    const read = await search(people);
    // What is read before a call shows who holds which key and identifier.
    if (read.ok) knowledge.noteShown(people.flatMap(({ address }) => usersAt(read.value, address)));
    return read;
  });
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
      else if (result.failure !== undefined && stopsTheRun(result.failure)) journal.stop(result.failure);
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

async function runChecked(checked: Checked, id: ActionId, session: RunSession): Promise<ActionResult> {
  const { journal } = session;
  switch (checked.is) {
    case "stale":
      journal.record([{ type: "stale", at: journal.now(), action: id, why: checked.why }]);
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
