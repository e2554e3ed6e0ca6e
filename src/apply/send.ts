import { taughtBy } from "../journal/taught.ts";
import type { ActionId } from "../model/action.ts";
import type { Failure } from "../model/failure.ts";
import type { Intent, Learned } from "../model/run-event.ts";
import type { Accepted, Write } from "../ports/account-service.ts";
import type { ActionEnd } from "./action-end.ts";
import { announce } from "./announce.ts";
import type { RunContext } from "./run-context.ts";
import { waitToSendAgain } from "./throttled.ts";

/** One call that changes something. */
export interface Sending<T> {
  readonly action: ActionId;
  readonly intent: Intent;
  readonly call: () => Promise<Write<T>>;
}

/** How a call ended. Only an unknown outcome is recorded by then. */
export type Sent<T> =
  | { readonly is: "answered"; readonly answer: T }
  /** It had no effect. */
  | { readonly is: "refused"; readonly failure: Failure }
  | Unknown
  | { readonly is: "not-started" };

export interface Unknown {
  readonly is: "unknown";
  readonly failure: Failure;
  readonly accepted: Accepted | undefined;
  /** When the answer was given up, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Sends a call once, its intent durable before it. A call that the service throttled, or that could not leave in time, had no
 * effect and is sent again, each time announced anew; a call whose outcome is unknown is not sent again.
 */
export async function send<T>(context: RunContext, sending: Sending<T>): Promise<Sent<T>> {
  const written = await announceAndCall(context, sending);
  if (written === "not-started") return { is: "not-started" };
  switch (written.outcome) {
    case "done":
      return { is: "answered", answer: written.value };
    case "failed":
      return { is: "refused", failure: written.failure };
    case "unknown": {
      const { failure, accepted } = written;
      const later = accepted === undefined ? {} : ({ accepted: true } as const);
      const { action } = sending;
      await context.record([{ type: "unknown-outcome", at: context.now(), action, failure, ...later }]);
      return { is: "unknown", failure, accepted, at: context.clock.now() };
    }
  }
}

/** Makes durable what a call has done, with what it has taught beyond. */
export async function recordSuccess(
  context: RunContext,
  { action, intent }: Pick<Sending<unknown>, "action" | "intent">,
  learned: Learned,
): Promise<void> {
  const at = context.now();
  await context.record([{ type: "succeeded", at, action, learned }, ...taughtBy(intent, learned, at)]);
}

/** Makes durable that a call had no effect, which ends its action. */
export async function recordFailure(context: RunContext, action: ActionId, failure: Failure): Promise<ActionEnd> {
  await context.record([{ type: "failed", at: context.now(), action, failure }]);
  return { is: "ended", ended: { done: false }, failure };
}

/** How often a call is announced whose connection is not there in time: once it is, the next one takes it. */
const mostTriesToLeave = 8;

async function announceAndCall<T>(context: RunContext, sending: Sending<T>): Promise<Write<T> | "not-started"> {
  const { action, intent } = sending;
  const began = context.clock.now();
  let last: Write<T> | "not-started" = "not-started";
  for (let tries = 1; await announce(context, { action, intent }); tries += 1) {
    last = await sending.call();
    if (last.outcome !== "failed") return last;
    if (last.tooLate && tries < mostTriesToLeave) continue;
    if (last.failure.code !== "throttled") return last;
    context.pace.throttled();
    const elapsed = context.clock.now() - began;
    const again = await waitToSendAgain(context, { of: sending.action, tries, elapsed, asked: last.askAfter });
    if (again === "given-up") return last;
  }
  return last;
}
