import { taughtBy } from "../journal/taught.ts";
import type { ActionId } from "../model/action.ts";
import type { Intent, Learned, RunEvent } from "../model/run-event.ts";
import type { Write } from "../ports/account-service.ts";
import type { ActionEnd } from "./action-end.ts";
import type { RunContext } from "./run-context.ts";
import { waitToSendAgain } from "./throttled.ts";

/** One call that changes something, and what its answer means. */
export interface Sending<T> {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly call: () => Promise<Write<T>>;
  readonly learn: (answer: T) => Learned;
}

export type Sent<T> = { readonly is: "done"; readonly answer: T; readonly learned: Learned } | ActionEnd;

/**
 * Sends a call once: its intent is durable before it, its outcome after it. A call that the service throttled had no
 * effect and is sent again, each time announced anew; a call whose outcome is unknown is not sent again.
 */
export async function send<T>(context: RunContext, sending: Sending<T>): Promise<Sent<T>> {
  const { action, intent, learn } = sending;
  const written = await announceAndCall(context, sending);
  if (written === "not-started") return { is: "not-started" };
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

async function announceAndCall<T>(context: RunContext, sending: Sending<T>): Promise<Write<T> | "not-started"> {
  const began = context.clock.now();
  let last: Write<T> | "not-started" = "not-started";
  for (let tries = 1; await announce(context, sending); tries += 1) {
    last = await sending.call();
    if (last.outcome !== "failed" || last.failure.code !== "throttled") return last;
    context.pace.throttled();
    const elapsed = context.clock.now() - began;
    const again = await waitToSendAgain(context, { of: sending.action, tries, elapsed, asked: last.askAfter });
    if (again === "given-up") return last;
  }
  return last;
}

function announce(context: RunContext, { action, intent }: Pick<Sending<unknown>, "action" | "intent">) {
  const intended: RunEvent = { type: "intended", at: context.now(), run: context.work.run, action, intent };
  return context.announce(intended);
}
