import { hostname } from "node:os";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import type {
  LockHolder,
  LockOptions,
  RunInfo,
  StateSession,
  StateStore,
  StoreVerification,
} from "../../ports/state-store.ts";
import { ownName } from "../process-identity.ts";
import { wholeStateSession } from "../whole-state-session.ts";
import { lockedFailure, type StateRequest, serverFailure, whoHolds } from "./failure.ts";
import { encodeLock, type LockAnswer, type LockDocument, releaseHttpLock, requestLock } from "./lock.ts";
import type { ServerPorts } from "./requests.ts";
import { readState, writeState } from "./stored-state.ts";

interface HttpStoreOptions extends ServerPorts {
  /** The version of this program, shown to whoever finds the state locked. */
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
    lock: (run, wishes) => lock(options, run, wishes),
    holder: () => holder(options),
    unlock: (id) => unlock(options, id),
    verify: () => verify(options),
    close: () => options.http.close(),
  };
}

async function lock(
  options: HttpStoreOptions,
  run: RunInfo,
  wishes: LockOptions | undefined,
): Promise<Result<StateSession, Failure>> {
  if (wishes?.takeDeadAfter !== undefined) return problem(isSilent(options));
  const document = lockDocument(options, { operation: run.operation, of: `run ${run.run}` });
  const answer = await requestLock(options, document);
  if (!answer.ok) return answer;
  if (!answer.value.taken) return problem(lockedFailure(locking(options), answer.value.holder));
  const read = await readState(options);
  if (!read.ok) {
    await releaseHttpLock(options, encodeLock(document));
    return read;
  }
  const lineage = read.value.lineage === "" ? options.randomness.identifier() : read.value.lineage;
  return success(
    wholeStateSession(
      { ...read.value, lineage },
      {
        put: (text, state) => writeState(options, document, { text, state }),
        release: async () => {
          await releaseHttpLock(options, encodeLock(document));
        },
      },
    ),
  );
}

async function holder(options: HttpStoreOptions): Promise<Result<LockHolder | "nobody", Failure>> {
  const held = await look(options);
  if (!held.ok) return held;
  if (held.value.taken) return success("nobody");
  const { holder: shown } = held.value;
  return shown === undefined ? problem(lockedFailure(locking(options), undefined)) : success(shown);
}

/**
 * The holder's own lock goes back as the server shows it, which every server takes. One that wants nothing gets
 * nothing, but only while it still shows the ID that was named.
 */
async function unlock(options: HttpStoreOptions, id: string): Promise<Result<LockHolder, Failure>> {
  const held = await look(options);
  if (!held.ok) return held;
  const asked: StateRequest = { place: options.place, route: options.place.unlock, doing: "unlocked" };
  if (held.value.taken) return problem(serverFailure(asked, notLocked));
  const { holder: shown, text } = held.value;
  if (shown === undefined) {
    const named = { ...lockDocument(options, { operation: "unlock", of: "a person's word" }), ID: id };
    const broken = await releaseHttpLock(options, encodeLock(named));
    return broken.ok ? success({ id }) : broken;
  }
  if (shown.id !== id) return problem(serverFailure(asked, heldByAnother(shown, id)));
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
    why: "a lock at an HTTP state server shows no sign of life, so that a dead one cannot be told from a slow one",
    hint: "leave out --take-dead-lock; whoever is certain that a run is dead gives `roster state unlock ID`, with the ID that is shown with the lock",
  });
}

const notLocked = {
  why: "nobody holds its lock",
  hint: "run again: nothing is in the way",
};

function heldByAnother(holder: LockHolder, id: string): { readonly why: string; readonly hint: string } {
  return {
    why: `its lock is ${holder.id}, held by ${whoHolds(holder)}, and not ${id}`,
    hint: `make certain that this run is dead too, and run \`roster state unlock ${holder.id}\``,
  };
}
