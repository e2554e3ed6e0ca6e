import { resolveCall } from "../log/operator-resolution.ts";
import { foldAddress } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import { callIdOf } from "../model/state.ts";
import { isoTime } from "../ports/clock.ts";
import { invalidSetting } from "./error.ts";
import { type LockedLog, record } from "./log.ts";

/**
 * Records in a locked log what a person says of the call with this ID, of which the outcome is unknown. Returns the call. `people`: the
 * addresses of an addition that are meant, for which it can be resolved alone; empty for all of them.
 */
export async function resolveOpenCall(
  lock: LockedLog,
  id: string,
  outcome: "done" | "not-done",
  people: readonly string[],
): Promise<OpenIntent> {
  const { state, log } = lock;
  const open = state.open.find((one) => callIdOf(one) === id);
  if (open === undefined) {
    const others = state.open.map((one) => callIdOf(one)).join(", ");
    const none = others === "" ? "No call has an unknown outcome: nothing to resolve." : undefined;
    const hint = none ?? `Calls with an unknown outcome: ${others}.`;
    throw invalidSetting("unknown-name", `No call ${id} has an unknown outcome.`, hint);
  }
  const events = resolveCall(open, outcome, people.map(foldAddress), isoTime(log.clock));
  if (!events.ok) {
    const message = `This outcome is not possible for the call ${id}: ${events.error}.`;
    const hint = "Nothing was recorded. `roster state resolve` shows the call.";
    throw invalidSetting("bad-flag-value", message, hint);
  }
  await record(lock, events.value, "nothing was recorded");
  return open;
}

/** Records that the service of a locked log is at another address from now on. Returns the former one. */
export async function changeEndpoint(lock: LockedLog, to: string): Promise<string> {
  const { address, clock } = lock.log;
  const from = lock.state.service;
  const nothing = (message: string, hint: string) => invalidSetting("nothing-to-change", message, hint);
  if (from === undefined)
    throw nothing(`The state at ${address} names no service yet.`, "The next apply records the service.");
  if (from === to) throw nothing(`The state at ${address} already belongs to ${to}.`, "Nothing to change.");
  await record(lock, [{ type: "endpoint-changed", at: isoTime(clock), service: to }], "nothing was recorded");
  return from;
}
