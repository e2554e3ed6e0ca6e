import { messageOf } from "../../codes/message.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects from creating a crowd by mistake: a wrong export, a merge that nobody read, the roster of another service.
 * Nobody who was created can be deleted. 100 people unless set.
 */
export function maxNewUsers({ context, actions }: GuardInput): Stop | undefined {
  const { maxNewUsers: most } = context.policy.guards;
  const created = actions.filter((action) => action.kind === "create-user");
  if (most === "off" || created.length <= most) return undefined;
  const emails = created.map(({ user }) => user.email);
  const message = messageOf("max-new-users", { count: created.length, most, emails });
  return { message, facts: created.flatMap((action) => callFacts(action, context)) };
}
