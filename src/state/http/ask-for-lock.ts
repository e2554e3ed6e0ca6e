import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import type { LockHolder } from "../../ports/state-store.ts";
import { encodeLock, holderShown, type LockDocument } from "./lock-document.ts";
import { hadNoVerdict, type ServerPorts, sendWithRetries } from "./requests.ts";
import { isPage, type StateRequest, serverFailure, unexpected } from "./server-failure.ts";

/** What a server says to whoever wants the lock. */
export type LockAnswer =
  | { readonly taken: true }
  /** `text`: the holder's lock as the server shows it. `holder`: absent where it cannot be told who that is. */
  | { readonly taken: false; readonly text: string; readonly holder?: LockHolder };

/**
 * Asks for the lock under the document's ID. Where an answer is lost, the same is asked again: that the lock is held
 * under this very ID means that it was taken.
 */
export async function requestLock(ports: ServerPorts, document: LockDocument): Promise<Result<LockAnswer, Failure>> {
  const { place } = ports;
  const asked: StateRequest = { place, route: place.lock, doing: "locked" };
  const reply = await sendWithRetries(ports, {
    route: place.lock,
    body: encodeLock(document),
    mayFollow: hadNoVerdict,
  });
  if (!reply.ok || isPage(reply.value)) return problem(unexpected(asked, reply));
  const { status, body } = reply.value;
  const holder = holderShown(body, document);
  if (status === 200 || status === 201 || status === 204) return success(takenUnless(document, body, holder));
  if (status === 423 || status === 409) {
    if (holder?.id === document.ID) return success({ taken: true });
    return success({ taken: false, text: body, ...(holder === undefined ? {} : { holder }) });
  }
  return problem(locksNothing(asked, reply.value) ?? unexpected(asked, reply));
}

/** A server that shows the lock of somebody else has given us nothing, whatever its status says. */
function takenUnless({ ID }: LockDocument, text: string, holder: LockHolder | undefined): LockAnswer {
  return holder === undefined || holder.id === ID ? { taken: true } : { taken: false, text, holder };
}

function locksNothing(asked: StateRequest, answer: HttpResponse): Failure | undefined {
  if (![404, 405, 501].includes(answer.status)) return undefined;
  const { method, url } = asked.route;
  if (answer.status === 404 && /\/api\/v4\/projects\//u.test(url.pathname)) return undefined;
  return serverFailure(asked, {
    why: `the state server takes no lock by ${method} (${answer.status}), and without one two applies at once would not know of each other`,
    hint: "set ROSTER_STATE_LOCK_ADDRESS and ROSTER_STATE_LOCK_METHOD as the server wants them, or keep the state where it can be locked",
    answer,
  });
}
