import { hostname } from "node:os";
import { decodeState, encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { emptyState, type LockHolder, type State } from "../../model/state.ts";
import { retry } from "../../network/retry-loop.ts";
import { isoTime } from "../../ports/clock.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import type { LockOptions, RunInfo, StateSession, StateStore, StoreVerification } from "../../ports/state-store.ts";
import { lockedBy, lockField, lockLost, notHeldBy, ownName, parseLock } from "../lock.ts";
import { wholeStateSession, withLineage } from "../session.ts";
import {
  hadNoVerdict,
  isPage,
  md5,
  type ServerPorts,
  type ServerReply,
  type StateRequest,
  sendWithRetries,
  serverFailure,
  shownRequest,
  unexpected,
  wasNotTaken,
} from "./requests.ts";

interface HttpStoreOptions extends ServerPorts {
  /** The version of this program, shown to runs that find the state locked. */
  readonly version: string;
}

/**
 * Keeps the state at a server that speaks the Terraform HTTP state protocol, such as GitLab. The protocol has no
 * sign of life and no way to look at a lock: who holds it is learned by asking for it, and a lock that was free is
 * given back at once. A process that dies in between leaves a lock whose operation is `look`.
 */
export function httpStore(options: HttpStoreOptions): StateStore {
  return {
    address: options.place.shown,
    read: () => readState(options),
    lock: (run, lockOptions) => lock(options, run, lockOptions),
    holder: () => holder(options),
    unlock: (id) => unlock(options, id),
    verify: () => verify(options),
    close: () => options.http.close(),
  };
}

async function lock(
  options: HttpStoreOptions,
  run: RunInfo,
  lockOptions: LockOptions | undefined,
): Promise<Result<StateSession, Failure>> {
  if (lockOptions?.breakStaleAfter !== undefined) return problem(isSilent(options));
  const document = lockDocument(options, { operation: run.operation, of: `run ${run.run}` });
  const answer = await requestLock(options, document);
  if (!answer.ok) return answer;
  if (!answer.value.taken) return problem(lockedBy(shownRequest(options.place.lock), answer.value.holder ?? "unknown"));
  const read = await readState(options);
  if (!read.ok) {
    await releaseHttpLock(options, encodeLock(document));
    return read;
  }
  return success(
    wholeStateSession(withLineage(read.value, options.randomness), {
      put: (text, state) => writeState(options, document, { text, state }),
      release: async () => {
        await releaseHttpLock(options, encodeLock(document));
      },
    }),
  );
}

async function holder(options: HttpStoreOptions): Promise<Result<LockHolder | "nobody", Failure>> {
  const held = await look(options);
  if (!held.ok) return held;
  if (held.value.taken) return success("nobody");
  const { holder: shown } = held.value;
  return shown === undefined ? problem(lockedBy(shownRequest(options.place.lock), "unknown")) : success(shown);
}

/**
 * The holder's own lock goes back as the server shows it, which every server takes. One that wants nothing gets
 * nothing, but only while it still shows the ID that was named.
 */
async function unlock(options: HttpStoreOptions, id: string): Promise<Result<LockHolder, Failure>> {
  const held = await look(options);
  if (!held.ok) return held;
  const request = shownRequest(options.place.unlock);
  if (held.value.taken) return problem(notHeldBy(request, id, "nobody"));
  const { holder: shown, text } = held.value;
  if (shown === undefined) {
    const named = { ...lockDocument(options, { operation: "unlock", of: "a person's word" }), ID: id };
    const broken = await releaseHttpLock(options, encodeLock(named));
    return broken.ok ? success({ id }) : broken;
  }
  if (shown.id !== id) return problem(notHeldBy(request, id, shown));
  const broken = await releaseHttpLock(options, text);
  if (broken.ok) return success(shown);
  const still = await look(options);
  if (!still.ok || still.value.taken || still.value.holder?.id !== id) return broken;
  const emptied = await releaseHttpLock(options, "");
  return emptied.ok ? success(shown) : broken;
}

/** Asks for the lock to see who holds it, and never keeps it. */
async function look(options: HttpStoreOptions): Promise<Result<LockAnswer, Failure>> {
  const document = lockDocument(options, { operation: "look", of: "look" });
  const answer = await requestLock(options, document);
  if (!answer.ok || !answer.value.taken) return answer;
  const back = await releaseHttpLock(options, encodeLock(document));
  return back.ok ? answer : back;
}

async function verify(options: HttpStoreOptions): Promise<Result<StoreVerification, Failure>> {
  const read = await readState(options);
  if (!read.ok) return read;
  const { shown } = options.place;
  const part =
    read.value.lineage === ""
      ? `${shown} holds no state yet`
      : `${shown} holds version ${read.value.serial} of the state`;
  return success({ state: read.value, parts: [part] });
}

function lockDocument(
  { clock, randomness, version }: HttpStoreOptions,
  { operation, of }: { readonly operation: string; readonly of: string },
): LockDocument {
  const id = randomness.identifier();
  return {
    ID: id,
    Operation: operation,
    // Tells an echo of this very request from the holder's own words.
    Info: `roster, ${of}, lock ${id}`,
    Who: `${ownName()}@${hostname()}`,
    Version: version,
    Created: isoTime(clock),
    Path: "",
  };
}

function locking({ place }: HttpStoreOptions): StateRequest {
  return { place, route: place.lock, doing: "locked" };
}

function isSilent(options: HttpStoreOptions): Failure {
  return serverFailure(locking(options), {
    why: "an HTTP state server does not show whether the holder of a lock is still alive",
    hint: "remove --break-stale-lock. If you know that the run is dead, run `roster state unlock ID`",
  });
}

/** The state that the server keeps; one without a lineage where it keeps none yet. */
async function readState(ports: ServerPorts): Promise<Result<State, Failure>> {
  const { place } = ports;
  const reply = await sendWithRetries(ports, { route: place.read, mayFollow: hadNoVerdict });
  const asked: StateRequest = { place, route: place.read, doing: "read" };
  if (!reply.ok) return problem(unexpected(asked, reply));
  const text = textOf(reply.value);
  if (text === undefined) return problem(unexpected(asked, reply));
  if (text === "") return success(emptyState(""));
  const strange = strangeText(reply.value);
  if (strange !== undefined) return problem(serverFailure(asked, strange));
  return decodeState(text, place.shown);
}

/** The body of an answer that holds a state, empty where there is none yet; undefined for any other answer. */
function textOf(answer: HttpResponse): string | undefined {
  if (isPage(answer)) return undefined;
  if (answer.status === 204 || answer.status === 404) return "";
  return answer.status === 200 ? answer.body : undefined;
}

function strangeText({ headers, body }: HttpResponse): { readonly why: string; readonly hint: string } | undefined {
  const digest = headers.get("content-md5");
  if (digest !== undefined && digest !== md5(body)) {
    return {
      why: "the state from the state server is damaged: its digest does not match",
      hint: "run again; if it fails again, restore an earlier version at the state server",
    };
  }
  if (!isTerraformState(body)) return undefined;
  return {
    why: "this address has a state of Terraform",
    hint: "use another address for roster, such as another last part of the path",
  };
}

const terraformKeys = ["terraform_version", "resources"];

function isTerraformState(text: string): boolean {
  // A state of roster holds these words only where somebody is named so: the text is read twice only then.
  if (!terraformKeys.some((key) => text.includes(`"${key}"`))) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && terraformKeys.some((key) => Object.hasOwn(value, key));
  } catch {
    return false;
  }
}

/**
 * Puts a state in the place of the one that is kept, under the ID of our lock: the server refuses any other ID, and
 * that is all the fencing that this protocol has. A write of which no answer tells is looked for by reading and never
 * sent again: what is still on its way could come to lie over what is written after it.
 */
async function writeState(
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
  return lockLost(shownRequest(asked.route), holder === undefined || holder.id === lock.ID ? "nobody" : holder);
}

/** Whether the server keeps what was sent: the same, or the same written in another way. */
async function isKept(ports: ServerPorts, state: State): Promise<boolean> {
  const read = await retry(() => readState(ports), {
    clock: ports.clock,
    pauseAfter: (read, { tries }) => (read.ok && read.value.serial >= state.serial ? undefined : pauses[tries - 1]),
  });
  return read.ok && encodeState(read.value) === encodeState(state);
}

const pauses = [500, 1500, 3000];

/** What a server answers to a request for the lock. */
export type LockAnswer =
  | { readonly taken: true }
  /** `text`: the holder's lock as the server shows it. `holder`: absent where the holder is not known. */
  | { readonly taken: false; readonly text: string; readonly holder?: LockHolder };

/**
 * Asks for the lock under the document's ID. Where an answer is lost, the same is asked again: that the lock is held
 * under this very ID means that it was taken.
 */
async function requestLock(ports: ServerPorts, document: LockDocument): Promise<Result<LockAnswer, Failure>> {
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
async function releaseHttpLock(ports: ServerPorts, text: string): Promise<Result<void, Failure>> {
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

/** @internal */
export function encodeLock({ ID, Operation, Info, Who, Version, Created, Path }: LockDocument): string {
  return JSON.stringify({ ID, Operation, Info, Who, Version, Created, Path });
}

/**
 * The holder whom an answer to `asked` names; undefined where it names nobody by an ID that can be repeated. GitLab
 * repeats the asker's own operation with the holder's ID: what is an echo is not told of the holder.
 * @internal
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
    ...definedFields({ who, operation, since }),
  };
}

function timeOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
