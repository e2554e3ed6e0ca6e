import { active, isActive, type User } from "./entities.ts";
import type { Mail } from "./outbox.ts";
import { answerText, isRefusal, quoted, type Reply, refuse } from "./reply.ts";
import { makeRouter } from "./router.ts";
import type { Received, Service } from "./service.ts";

const findInvitation = makeRouter([{ method: "GET", path: "/invitations/*" }]);

/** The statuses with which a user can accept. An old mail does not bring back a deleted, inactive or rejected user. */
const mayAccept: ReadonlySet<string> = new Set(["invited", "pending", active.toLowerCase()]);

/** What the link of an invitation answers. Opening it accepts the invitation: the user's status becomes Active. */
export function acceptInvitation(service: Service, { method, path }: Received): Reply {
  const match = findInvitation(method, path);
  if (isRefusal(match)) return match;
  const mail = service.outbox.mails.find(({ link }) => link.endsWith(`/invitations/${match.subject}`));
  if (mail === undefined) return refuse(404, "There is no such invitation");
  const user = userOf(service, mail);
  if (user === undefined) return refuse(410, `The user ${quoted(mail.address)} of this invitation was removed`);
  if (!mayAccept.has(user.status.toLowerCase())) {
    return refuse(410, `The user ${quoted(user.email)} of this invitation has the status ${user.status}`);
  }
  if (!isActive(user)) {
    user.status = active;
    service.world.edited();
    service.changed();
  }
  const text = `${user.email} has accepted the invitation to the team ${mail.teamName}.\n`;
  return answerText(200, "text/plain; charset=utf-8", text);
}

/** Mails that an earlier version has kept name their user by address alone. */
function userOf({ world }: Service, { user, address }: Mail): User | undefined {
  return user === undefined ? world.userByAddress(address) : world.users.get(user);
}
