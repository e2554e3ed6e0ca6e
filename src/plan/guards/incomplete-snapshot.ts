import { messageOf } from "../../codes/message.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/** The share of the roster's people of whom a plan need not know whether they are there. */
const maxUnprovenShare = 0.5;

/**
 * Protects from going by a service that shows a part of itself, such as with a key that sees one account of three. A person who is
 * neither shown nor proven to be absent is left alone in any case; where these are more than half of the roster's people,
 * what is left of the plan is not to be trusted either. An allowance covers the actions that the plan had, and no others.
 */
export function incompleteSnapshot({ context, actions }: GuardInput): Stop | undefined {
  const { roster, snapshot, facts } = context;
  if (actions.length === 0) return undefined;
  const unproven = [...roster.users.values()].filter(
    ({ address }) => !facts.people.has(address) && snapshot.absences.get(address)?.proven !== true,
  );
  if (unproven.length <= maxUnprovenShare * roster.users.size) return undefined;
  const message = messageOf("incomplete-snapshot", {
    count: unproven.length,
    all: roster.users.size,
    emails: unproven.map(({ email }) => email),
    why: snapshot.everyone.read === "incomplete" ? snapshot.everyone.why : undefined,
    actions: actions.length,
  });
  const calls = actions.flatMap((action) => callFacts(action, context));
  return { message, facts: [...unproven.map(({ address }) => `${address} is not shown`), ...calls] };
}
