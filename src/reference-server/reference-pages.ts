import { isIPv4 } from "node:net";
import { answer, isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { makeRouter } from "./router.ts";
import type { ReceivedRequest, ServerContext } from "./service.ts";

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
