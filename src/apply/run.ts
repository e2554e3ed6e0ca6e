import type { RunEvent } from "../model/event.ts";
import { batchLookups } from "./people-lookup.ts";
import { type ApplyInput, type ApplyPorts, type RunContext, runContext } from "./run-context.ts";
import { runActions } from "./scheduler.ts";
import { verify } from "./verify.ts";

/**
 * Runs a plan. The events are the only output; each was durable in the session before it is told, unless the
 * journal was lost, which stops the run. Whoever stops reading lets nothing new start, and waits for the calls
 * under way. A failure is an event; only a defect throws.
 */
export async function* applyPlan(work: ApplyInput, ports: ApplyPorts): AsyncGenerator<RunEvent, void> {
  const context = runContext(work, ports);
  const running = runToEnd(context, ports);
  try {
    yield* context.stream.read();
  } finally {
    context.stop("nobody reads its events any more");
    await running;
  }
}

/** Never rejects: a defect comes to the reader of the events. */
async function runToEnd(context: RunContext, ports: ApplyPorts): Promise<void> {
  try {
    await recordStart(context);
    await runActions(context, ports);
    if (context.stopped === undefined) await verify(context, batchLookups(ports.people, "check", ports.signal));
    await context.record([context.writes.learnedEvent(context.now())].filter((event) => event !== undefined));
    await recordEnd(context);
    context.stream.end();
  } catch (thrown) {
    context.stream.end({ thrown });
  }
}

function recordStart(context: RunContext): Promise<void> {
  const { run: id, plan } = context.input;
  const { id: planId, service, actions } = plan;
  return context.record([
    { type: "run-started", at: context.now(), run: id, plan: planId, service, actions: actions.length },
  ]);
}

function recordEnd(context: RunContext): Promise<void> {
  const at = context.now();
  const { stopped } = context;
  return context.record([
    stopped === undefined ? { type: "run-finished", at, ended: "completed" } : { type: "run-finished", at, ...stopped },
  ]);
}
