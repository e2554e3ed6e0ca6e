import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import { lockField, parseLock } from "../lock.ts";
import {
  hadNoVerdict,
  isPage,
  type ServerPorts,
  type ServerReply,
  type StateRequest,
  sendWithRetries,
  serverFailure,
  unexpected,
} from "./requests.ts";

/** What a server answers to a request for the lock. */
export type LockAnswer =
  | { readonly taken: true }
  /** `text`: the holder's lock as the server shows it. `holder`: absent where the holder is not known. */
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
    why: `the state server does not support locks with ${method} (${answer.status}); without a lock, two applies could run at once`,
    hint: "set ROSTER_STATE_LOCK_ADDRESS and ROSTER_STATE_LOCK_METHOD as the server needs them, or use a store with locks",
    answer,
  });
}

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

/** A lock as Terraform writes it: the body of LOCK and UNLOCK, and of an answer that names the holder. */
export interface LockDocument {
  readonly ID: string;
  readonly Operation: string;
  readonly Info: string;
  readonly Who: string;
  readonly Version: string;
  /** ISO 8601. */
  readonly Created: string;
  readonly Path: string;
}

export function encodeLock({ ID, Operation, Info, Who, Version, Created, Path }: LockDocument): string {
  return JSON.stringify({ ID, Operation, Info, Who, Version, Created, Path });
}

/**
 * The holder whom an answer to `asked` names; undefined where it names nobody by an ID that can be repeated. GitLab
 * repeats the asker's own operation with the holder's ID: what is an echo is not told of the holder.
 */
export function holderShown(text: string, asked: LockDocument): LockHolder | undefined {
  const value = parseLock(text);
  if (value === undefined) return undefined;
  const id = lockField(value, "ID");
  if (id === undefined || !/^[\x21-\x7e]+$/u.test(id)) return undefined;
  const isEcho = id !== asked.ID && lockField(value, "Info") === asked.Info;
  const [who, operation] = [lockField(value, "Who"), isEcho ? undefined : lockField(value, "Operation")];
  const since = timeOf(lockField(value, "Created"));
  return {
    id,
    ...(who === undefined ? {} : { who }),
    ...(operation === undefined ? {} : { operation }),
    ...(since === undefined ? {} : { since }),
  };
}

function timeOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
