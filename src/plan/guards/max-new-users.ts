import { truncateList } from "../finding-draft.ts";
import type { GuardInput, StopGuard } from "./guard-types.ts";

/**
 * Protects from creating a crowd by mistake: a wrong export, a merge that nobody read, the roster of another service.
 * Nobody who was created can be deleted. 100 people unless set; allowed with `--allow max-new-users@PLANID`.
 */
export const maxNewUsers: StopGuard = { name: "max-new-users", check };

function check({ context, actions }: GuardInput): string | undefined {
  const { maxNewUsers: most } = context.policy.guards;
  const created = actions.flatMap((action) => (action.kind === "create-user" ? [action.user.email] : []));
  if (most === "off" || created.length <= most) return undefined;
  const users = created.length === 1 ? "1 user" : `${created.length} users`;
  return `The plan would create ${users}. At most ${most} ${most === 1 ? "is" : "are"} allowed: ${truncateList(created)}.`;
}
