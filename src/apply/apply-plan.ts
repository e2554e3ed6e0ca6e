import type { RunEvent } from "../model/run-event.ts";
import { lookTogether } from "./people-look.ts";
import { runActions } from "./run-actions.ts";
import { type ApplyPorts, type RunContext, runContext, type Work } from "./run-context.ts";
import { verify } from "./verify.ts";

/**
 * Runs a plan. The events are the only output; each was durable in the session before it is told, unless the
 * journal was lost, which stops the run. Whoever stops reading lets nothing new start, and waits for the calls
 * under way. A failure is an event; only a defect throws.
 */
export async function* applyPlan(work: Work, ports: ApplyPorts): AsyncGenerator<RunEvent, void> {
  const context = runContext(work, ports);
  const running = run(context, ports);
  try {
    yield* context.stream.read();
  } finally {
    context.stop("nobody reads its events any more");
    await running;
  }
}

/** Never rejects: a defect comes to the reader of the events. */
async function run(context: RunContext, ports: ApplyPorts): Promise<void> {
  try {
    await start(context);
    await runActions(context, ports);
    if (context.stopped === undefined) await verify(context, lookTogether(ports.people, "check", ports.signal));
    await context.record([context.writes.news(context.now())].filter((event) => event !== undefined));
    await finish(context);
    context.stream.end();
  } catch (thrown) {
    context.stream.end({ thrown });
  }
}

function start(context: RunContext): Promise<void> {
  const { run: id, plan } = context.work;
  const { id: planId, service, actions } = plan;
  return context.record([
    { type: "run-started", at: context.now(), run: id, plan: planId, service, actions: actions.length },
  ]);
}

function finish(context: RunContext): Promise<void> {
  const at = context.now();
  const { stopped } = context;
  return context.record([
    stopped === undefined ? { type: "run-finished", at, ended: "completed" } : { type: "run-finished", at, ...stopped },
  ]);
}
