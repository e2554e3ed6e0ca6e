import type { EmailKey } from "../../model/address.ts";
import type { PlanContext } from "../context.ts";
import { callFacts, type GuardInput, type StopGuard } from "./guard-types.ts";

/**
 * Protects from a roster that was lost on its way, such as by a wrong path or a checkout that failed: no plan is made of a
 * roster without users while the state or the service knows people. Whom it names as leavers are not lost: a roster of keys or
 * leavers alone is none that lost its people, unless the last applied one or the state has others. Always on.
 */
export const emptyRoster: StopGuard = { name: "empty-roster", check };

function check({ context, actions }: GuardInput): ReturnType<StopGuard["check"]> {
  const { state } = context;
  const message = lostPeople(context);
  if (message === undefined) return undefined;
  return { message, facts: ["a roster without users", ...actions.flatMap((action) => callFacts(action, state))] };
}

function lostPeople({ roster, state, snapshot }: PlanContext): string | undefined {
  if (roster.users.size > 0) return undefined;
  const others = (known: ReadonlyMap<EmailKey, unknown>): number =>
    [...known.keys()].filter((address) => !roster.leavers.has(address)).length;
  const leavers = roster.leavers.size > 0 ? ", not counting leavers" : "";
  const applied = state.applied === undefined ? 0 : others(state.applied.people);
  if (applied > 0) return `${empty}. The last applied roster had ${people(applied)}${leavers}.`;
  const remembered = others(state.users);
  if (remembered > 0) return `${empty}. The state has ${people(remembered)}${leavers}.`;
  if (roster.leavers.size > 0 || (roster.keys.length > 0 && roster.teams.length === 0)) return undefined;
  if (snapshot.users.length > 0) return `${empty}. The service shows ${people(snapshot.users.length)}.`;
  return undefined;
}

const empty = "The roster has no users";

function people(count: number): string {
  return count === 1 ? "1 user" : `${count} users`;
}
