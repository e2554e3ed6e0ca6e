import { truncateList } from "../finding-draft.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Stop, StopGuard } from "./guard-types.ts";

/**
 * Protects from creating a crowd by mistake: a wrong export, a merge that nobody read, the roster of another service.
 * Nobody who was created can be deleted. 100 people unless set.
 */
export const maxNewUsers: StopGuard = { name: "max-new-users", check };

function check({ context, actions }: GuardInput): Stop | undefined {
  const { maxNewUsers: most } = context.policy.guards;
  const created = actions.filter((action) => action.kind === "create-user");
  if (most === "off" || created.length <= most) return undefined;
  const users = created.length === 1 ? "1 user" : `${created.length} users`;
  const emails = truncateList(created.map(({ user }) => user.email));
  const message = `The plan would create ${users}. At most ${most} ${most === 1 ? "is" : "are"} allowed: ${emails}.`;
  return { message, facts: created.flatMap((action) => callFacts(action, context.state)) };
}
