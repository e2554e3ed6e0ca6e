import { isIPv4 } from "node:net";
import type { InvitationMail } from "../outbox.ts";
import { answer, answerText, isRefusal, quoted, type Refusal, type Reply, refuse } from "../responses/reply.ts";
import type { ReceivedRequest, ServerContext } from "../service-context.ts";
import { active, isActive, type User } from "../world.ts";
import { makeRouter } from "./router.ts";

const findReferenceRoute = makeRouter([
  {
    method: "GET",
    path: "/reference/outbox",
    read: (service: ServerContext): readonly unknown[] => service.outbox.mails,
  },
  {
    method: "GET",
    path: "/reference/requests",
    read: (service: ServerContext): readonly unknown[] => service.log.entries,
  },
]);

/** What tests and people read besides the service itself: its mails and its request log. */
export function referencePage(service: ServerContext, { method, path, headers }: ReceivedRequest): Reply {
  const { host } = headers;
  const misled = refuseForeignHost(typeof host === "string" ? host : "");
  if (misled !== undefined) return misled;
  const match = findReferenceRoute(method, path);
  return isRefusal(match) ? match : answer(200, match.route.read(service));
}

/** A page of a foreign site can reach this machine under its own name (DNS rebinding), but never under a loopback name. */
function refuseForeignHost(host: string): Refusal | undefined {
  const name = host.replace(/:\d{1,5}$/u, "").toLowerCase();
  if (name === "localhost" || name === "[::1]" || (name.startsWith("127.") && isIPv4(name))) return undefined;
  const problem = `The Host ${quoted(host)} is no name of this machine`;
  return refuse(403, `${problem}; reference pages answer under localhost, 127.0.0.1 and [::1] alone`);
}

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
