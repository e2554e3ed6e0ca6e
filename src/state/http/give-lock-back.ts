import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { hadNoVerdict, type ServerPorts, type ServerReply, sendWithRetries } from "./requests.ts";
import { isPage, type StateRequest, unexpected } from "./server-failure.ts";

/** Gives a lock back, or breaks it. `text`: the lock as it was taken or shown; empty for a server that wants nothing. */
export async function releaseHttpLock(ports: ServerPorts, text: string): Promise<Result<void, Failure>> {
  const { place } = ports;
  const asked: StateRequest = { place, route: place.unlock, doing: "unlocked" };
  const body = text === "" ? {} : { body: text };
  const reply = await sendWithRetries(ports, { route: place.unlock, ...body, mayFollow: hadNoVerdict });
  return isDone(reply) ? success(undefined) : problem(unexpected(asked, reply));
}

function isDone(reply: ServerReply): boolean {
  return reply.ok && !isPage(reply.value) && [200, 201, 202, 204].includes(reply.value.status);
}
