import { encodeState } from "../../codec/state-format.ts";
import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import { holderShown, type LockDocument } from "./lock-document.ts";
import { readState } from "./read-state.ts";
import { type ServerPorts, type ServerReply, sendWithRetries, wasNotTaken } from "./requests.ts";
import { isPage, type StateRequest, serverFailure, unexpected, whoHolds } from "./server-failure.ts";

/**
 * Puts a state in the place of the one that is kept, under the ID of our lock: the server refuses any other ID, and
 * that is all the fencing that this protocol has. A write of which no answer tells is looked for by reading and never
 * sent again: what is still on its way could come to lie over what is written after it.
 */
export async function writeState(
  ports: ServerPorts,
  lock: LockDocument,
  { text, state }: { readonly text: string; readonly state: State },
): Promise<Result<void, Failure>> {
  const { place } = ports;
  const url = new URL(place.update.url);
  url.searchParams.set("ID", lock.ID);
  const route = { method: place.update.method, url };
  const asked: StateRequest = { place, route, doing: "written" };
  const reply = await sendWithRetries(ports, { route, body: text, mayFollow: wasNotTaken });
  if (isWritten(reply)) return success(undefined);
  if (reply.ok && isRefusal(reply.value)) return problem(refused(asked, reply.value, lock));
  if (!reply.ok && !reply.error.sent) return problem(unexpected(asked, reply));
  return (await isKept(ports, state)) ? success(undefined) : problem(unexpected(asked, reply));
}

function isWritten(reply: ServerReply): boolean {
  return reply.ok && !isPage(reply.value) && [200, 201, 204].includes(reply.value.status);
}

function isRefusal({ status }: HttpResponse): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function refused(asked: StateRequest, answer: HttpResponse, lock: LockDocument): Failure {
  if (![409, 412, 423].includes(answer.status)) return unexpected(asked, { ok: true, value: answer });
  const holder = holderShown(answer.body, lock);
  const other = holder === undefined || holder.id === lock.ID ? "" : `: it is held by ${whoHolds(holder)}`;
  return serverFailure(asked, {
    why: `this run does not hold the lock any more${other}`,
    hint: "somebody has broken the lock of this run; see that only one run is under way, and run again",
  });
}

/** Whether the server keeps what was sent: the same, or the same written in another way. */
async function isKept(ports: ServerPorts, state: State): Promise<boolean> {
  for (const pause of pauses) {
    await ports.clock.wait(pause);
    const read = await readState(ports);
    if (read.ok && encodeState(read.value) === encodeState(state)) return true;
    if (read.ok && read.value.serial >= state.serial) return false;
  }
  return false;
}

const pauses = [0, 500, 1500, 3000];
