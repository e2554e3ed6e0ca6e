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
  const others = (known: ReadonlyMap<EmailKey, unknown>) =>
    [...known.keys()].filter((address) => !roster.leavers.has(address)).length;
  const isWithoutPeople = roster.leavers.size > 0 || (roster.keys.length > 0 && roster.teams.length === 0);
  const [found] = [
    { knower: "The last applied roster had", count: others(state.applied?.people ?? new Map()) },
    { knower: "The state has", count: others(state.users) },
    { knower: "The service shows", count: isWithoutPeople ? 0 : snapshot.users.length },
  ].filter(({ count }) => count > 0);
  if (found === undefined) return undefined;
  const message = messageOf("empty-roster", { ...found, except: roster.leavers.size > 0 ? "leavers" : undefined });
  return { message, facts: ["a roster without users", ...actions.flatMap((action) => callFacts(action, context))] };
}
