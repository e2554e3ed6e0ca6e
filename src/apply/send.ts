import { taughtBy } from "../journal/taught.ts";
import type { ActionId } from "../model/action.ts";
import type { Intent, Learned, RunEvent } from "../model/run-event.ts";
import type { Write } from "../ports/account-service.ts";
import type { ActionEnd } from "./action-end.ts";
import type { RunContext } from "./run-context.ts";

/** One call that changes something, and what its answer means. */
export interface Sending<T> {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly call: () => Promise<Write<T>>;
  readonly learn: (answer: T) => Learned;
}

export type Sent<T> = { readonly is: "done"; readonly answer: T; readonly learned: Learned } | ActionEnd;

/**
 * Sends a call once: its intent is durable before it, its outcome after it. A call whose outcome is unknown is not
 * sent again; the next run settles it by reading.
 */
export async function send<T>(context: RunContext, { action, intent, call, learn }: Sending<T>): Promise<Sent<T>> {
  const intended: RunEvent = { type: "intended", at: context.now(), run: context.work.run, action, intent };
  if (!(await context.announce(intended))) return { is: "not-started" };
  const written = await call();
  const at = context.now();
  if (written.outcome === "done") {
    const learned = learn(written.value);
    await context.record([{ type: "succeeded", at, action, learned }, ...taughtBy(intent, learned, at)]);
    return { is: "done", answer: written.value, learned };
  }
  const { failure } = written;
  await context.record([{ type: written.outcome === "failed" ? "failed" : "unknown-outcome", at, action, failure }]);
  return { is: "ended", ended: { done: false }, failure };
}
