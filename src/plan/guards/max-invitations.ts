import { truncateList } from "../finding-draft.ts";
import type { GuardInput, StopGuard } from "./guard-types.ts";

/**
 * Protects from mailing a crowd by mistake: each person who is added to a team gets a mail, and none can be unsent.
 * 100 additions unless set, a person in two teams counting twice; allowed with `--allow max-invitations@PLANID`.
 */
export const maxInvitations: StopGuard = { name: "max-invitations", check };

function check({ context, actions }: GuardInput): string | undefined {
  const { maxInvitations: most } = context.policy.guards;
  const teams = actions.flatMap((action) => (action.kind === "add-members" ? [action] : []));
  const mails = teams.reduce((sum, { members }) => sum + members.length, 0);
  if (most === "off" || mails <= most) return undefined;
  const named = teams.map(({ team, members }) => `${members.length} to ${team.name}`);
  const additions =
    mails === 1
      ? "1 person-in-team addition would send a mail"
      : `${mails} people-in-team additions would each send a mail`;
  return `${additions}, and a plan may send ${most}: ${truncateList(named)}.`;
}
