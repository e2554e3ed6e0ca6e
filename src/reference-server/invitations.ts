import { active, isActive, type User } from "./entities.ts";
import type { InvitationMail } from "./outbox.ts";
import { answerText, isRefusal, quoted, type Reply, refuse } from "./reply.ts";
import { makeRouter } from "./router.ts";
import type { ReceivedRequest, ServerContext } from "./service.ts";

const findInvitation = makeRouter([{ method: "GET", path: "/invitations/*" }]);

/** The statuses with which a user can accept. An old mail does not bring back a deleted, inactive or rejected user. */
const acceptingStatuses: ReadonlySet<string> = new Set(["invited", "pending", active.toLowerCase()]);

/** What the link of an invitation answers. Opening it accepts the invitation: the user's status becomes Active. */
export function acceptInvitation(service: ServerContext, { method, path }: ReceivedRequest): Reply {
  const match = findInvitation(method, path);
  if (isRefusal(match)) return match;
  const mail = service.outbox.mails.find(({ link }) => link.endsWith(`/invitations/${match.pathParameter}`));
  if (mail === undefined) return refuse(404, "There is no such invitation");
  const user = invitedUser(service, mail);
  if (user === undefined) return refuse(410, `The user ${quoted(mail.address)} of this invitation was removed`);
  if (!acceptingStatuses.has(user.status.toLowerCase())) {
    return refuse(410, `The user ${quoted(user.email)} of this invitation has the status ${user.status}`);
  }
  if (!isActive(user)) {
    user.status = active;
    service.world.recordEdit();
    service.changed();
  }
  const text = `${user.email} has accepted the invitation to the team ${mail.teamName}.\n`;
  return answerText(200, "text/plain; charset=utf-8", text);
}

/** Mails that an earlier version has kept name their user by address alone. */
function invitedUser({ world }: ServerContext, { user, address }: InvitationMail): User | undefined {
  return user === undefined ? world.userByAddress(address) : world.users.get(user);
}
