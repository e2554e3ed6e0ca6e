import { messageOf } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects from a roster that was lost on its way, such as by a wrong path or a checkout that failed: no plan is made of a
 * roster without users while the state or the service knows people. Whom it names as leavers are not lost: a roster of keys or
 * leavers alone is none that lost its people, unless the last applied one or the state has others. Always on.
 */
export function emptyRoster({ context, actions }: GuardInput): Stop | undefined {
  const { roster, state, snapshot } = context;
  if (roster.users.size > 0) return undefined;
  const stop = (knower: string, count: number, except?: string) => ({
    message: messageOf("empty-roster", { knower, count, except }),
    facts: ["a roster without users", ...actions.flatMap((action) => callFacts(action, context))],
  });
  const others = (known: ReadonlyMap<EmailKey, unknown>) =>
    [...known.keys()].filter((address) => !roster.leavers.has(address)).length;
  const except = roster.leavers.size > 0 ? "leavers" : undefined;
  const applied = state.applied === undefined ? 0 : others(state.applied.people);
  if (applied > 0) return stop("The last applied roster had", applied, except);
  const remembered = others(state.users);
  if (remembered > 0) return stop("The state has", remembered, except);
  if (roster.leavers.size > 0 || (roster.keys.length > 0 && roster.teams.length === 0)) return undefined;
  return snapshot.users.length > 0 ? stop("The service shows", snapshot.users.length) : undefined;
}
