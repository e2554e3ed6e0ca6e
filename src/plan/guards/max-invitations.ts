import { messageOf } from "../../codes/message.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects from mailing a crowd by mistake: each person who is added to a team gets a mail, and none can be unsent.
 * 100 additions unless set, a person in two teams counting twice.
 */
export function maxInvitations({ context, actions, teams: names }: GuardInput): Stop | undefined {
  const { maxInvitations: most } = context.policy.guards;
  const teams = actions.flatMap((action) => (action.kind === "add-members" ? [action] : []));
  const mails = teams.reduce((sum, { members }) => sum + members.length, 0);
  if (most === "off" || mails <= most) return undefined;
  const named = teams.map(({ team, members }) => `${members.length} to ${names.get(team)?.name ?? team}`);
  const message = messageOf("max-invitations", { count: mails, most, teams: named });
  return { message, facts: teams.flatMap((action) => callFacts(action, context)) };
}
