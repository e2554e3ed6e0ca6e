import type { EmailKey } from "../../model/address.ts";
import type { PlanContext } from "../context.ts";
import { truncateList } from "../finding-draft.ts";
import { callFacts, type GuardInput, type StopGuard } from "./guard-types.ts";

/**
 * Protects from going by a service that shows a part of itself, such as with a key that sees one account of three. A person who is
 * neither shown nor proven to be absent is left alone in any case; where these are more than half of the roster's people,
 * what is left of the plan is not to be trusted either. An allowance covers the actions that the plan had, and no others.
 */
export const incompleteSnapshot: StopGuard = { name: "incomplete-snapshot", check };

/** The share of the roster's people of whom a plan need not know whether they are there. */
const maxUnprovenShare = 0.5;

function check({ context, actions }: GuardInput): ReturnType<StopGuard["check"]> {
  const { roster, snapshot } = context;
  if (actions.length === 0) return undefined;
  const unproven = [...roster.users.values()].filter(({ address }) => isUnproven(address, context));
  if (unproven.length <= maxUnprovenShare * roster.users.size) return undefined;
  const why =
    snapshot.everyone.read === "incomplete" ? ` The list of users is incomplete: ${snapshot.everyone.why}.` : "";
  const message =
    `For ${unproven.length} of ${roster.users.size} users of the roster, no read shows if they exist: ${truncateList(unproven.map(({ email }) => email))}.${why} ` +
    `The plan would still run ${actions.length === 1 ? "1 action" : `${actions.length} actions`}.`;
  const calls = actions.flatMap((action) => callFacts(action, context.state));
  return { message, facts: [...unproven.map(({ address }) => `${address} is not shown`), ...calls] };
}

function isUnproven(address: EmailKey, { facts, snapshot }: PlanContext): boolean {
  return !facts.people.has(address) && snapshot.absences.get(address)?.proven !== true;
}
