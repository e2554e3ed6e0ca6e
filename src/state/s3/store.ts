import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { type Clock, isoTime, type Randomness } from "../../ports/clock.ts";
import type { HttpClient } from "../../ports/http-client.ts";
import type {
  LockHolder,
  LockOptions,
  RunInfo,
  StateSession,
  StateStore,
  StoreVerification,
} from "../../ports/state-store.ts";
import { ownIdentity, ownName } from "../process-identity.ts";
import { wholeStateSession } from "../whole-state-session.ts";
import type { S3Place } from "./address.ts";
import { type StartHeartbeat, timerHeartbeat } from "./heartbeat.ts";
import { type FoundLock, findLock, type RecordedHolder, type S3Lock, takeLock } from "./lock.ts";
import { type S3Session, s3Objects } from "./objects.ts";
import { type S3Credentials, s3Exchange } from "./requests.ts";
import { type FoundState, fenceState, findState, lockedState } from "./session.ts";

interface S3StoreOptions {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  /** Of the origin of `place`. Closed with the store. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly startBeats?: StartHeartbeat;
}

/** Keeps the state in an object of a bucket, and its lock in another one beside it. */
export function s3Store(options: S3StoreOptions): StateStore {
  const { place, credentials, http, clock, randomness, startBeats = timerHeartbeat } = options;
  const exchange = s3Exchange({ http, clock, randomness }, place.region, credentials);
  const parts: S3Session = { place, exchange, objects: s3Objects(exchange), clock, randomness, startBeats };
  return {
    address: place.address,
    async read() {
      const found = await findState(parts);
      return found.ok ? success(found.value.state) : found;
    },
    lock: (run, wishes = {}) => lock(parts, run, wishes),
    async holder() {
      const found = await findLock(parts);
      return found.ok ? success(found.value.holder) : found;
    },
    unlock: (id) => unlock(parts, id),
    verify: () => verify(parts),
    close: () => http.close(),
  };
}

/** How often a lock may change hands while one looks. */
const maxLockAttempts = 4;

async function lock(parts: S3Session, run: RunInfo, wishes: LockOptions): Promise<Result<StateSession, Failure>> {
  for (let round = 0; round < maxLockAttempts; round += 1) {
    const found = await findLock(parts);
    if (!found.ok) return found;
    const { holder } = found.value;
    if (holder !== "nobody" && !isDead(holder, wishes)) return problem(heldBy(holder, parts.place));
    const taken = await takeLock(parts, found.value, await ownHolder(parts, run.operation));
    if (!taken.ok) return taken;
    if (taken.value !== "changed") return begin(parts, taken.value, found.value);
  }
  return problem(heldInTurns(parts.place));
}

function isDead({ silentFor }: LockHolder, { takeDeadAfter }: LockOptions): boolean {
  return takeDeadAfter !== undefined && silentFor !== undefined && silentFor >= takeDeadAfter;
}

async function ownHolder({ clock, randomness }: S3Session, operation: string): Promise<RecordedHolder> {
  const { host } = await ownIdentity();
  return { id: randomness.identifier(), who: `${ownName()}@${host}`, operation, since: isoTime(clock) };
}

async function begin(parts: S3Session, held: S3Lock, before: FoundLock): Promise<Result<StateSession, Failure>> {
  const found = await (before.holder === "nobody" ? findState(parts) : fenceState(parts));
  if (found.ok)
    return success(wholeStateSession(named(found.value, parts), lockedState(parts, held, found.value.over)));
  await held.release();
  return found;
}

/** A state that was never saved gets the name that its versions will carry. */
function named({ state }: FoundState, { randomness }: S3Session): FoundState["state"] {
  return state.lineage === "" ? { ...state, lineage: randomness.identifier() } : state;
}

async function unlock(parts: S3Session, id: string): Promise<Result<LockHolder, Failure>> {
  const found = await findLock(parts);
  if (!found.ok) return found;
  const { holder } = found.value;
  if (holder === "nobody") return problem(notLocked(parts.place));
  if (holder.id !== id) return problem(heldByOther(holder, id, parts.place));
  // The lock is taken over and given back, so that its run is fenced as by a run that takes it over.
  const taken = await takeLock(parts, found.value, await ownHolder(parts, "state unlock"));
  if (!taken.ok) return taken;
  if (taken.value === "changed") return problem(heldInTurns(parts.place));
  const fenced = await fenceState(parts);
  await taken.value.release();
  return fenced.ok ? success(holder) : fenced;
}

async function verify(parts: S3Session): Promise<Result<StoreVerification, Failure>> {
  const found = await findState(parts);
  if (!found.ok) return found;
  const { state, over, size } = found.value;
  const { shown } = parts.place.state;
  const part =
    over === "nothing" ? `${shown} is not there yet` : `${shown} holds version ${state.serial}, in ${size} bytes`;
  return success({ state, parts: [part] });
}

/** Another run holds the lock, and may be alive. */
function heldBy(holder: LockHolder, place: S3Place): Failure {
  return {
    code: "locked",
    message: `the state is locked ${words(holder)}`,
    request: place.lock.shown,
    hint: `wait until that run has ended; if it is certain that it no longer runs, break its lock with \`roster state unlock ${holder.id}\``,
  };
}

/** The lock changed hands each time that this run was about to take it. */
function heldInTurns(place: S3Place): Failure {
  return {
    code: "locked",
    message: "the state is locked by other runs in turns",
    request: place.lock.shown,
    hint: "wait until they have ended, and run again",
  };
}

function notLocked(place: S3Place): Failure {
  return {
    code: "state",
    message: "the state is not locked",
    request: place.lock.shown,
    hint: "there is nothing to break",
  };
}

function heldByOther(holder: LockHolder, id: string, place: S3Place): Failure {
  return {
    code: "state",
    message: `the state is not locked under the id ${id}, but ${words(holder)}`,
    request: place.lock.shown,
    hint: `name the lock that is meant: ${holder.id}`,
  };
}

function words({ who, operation, since, silentFor, fence }: LockHolder): string {
  return [
    `by ${who ?? "somebody whom its lock does not name"}`,
    ...(operation === undefined ? [] : [`for ${operation}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(silentFor === undefined ? [] : [`and gave its last sign of life ${Math.round(silentFor / 1000)} s ago`]),
    ...(fence === undefined ? [] : [`(holder number ${fence})`]),
  ].join(" ");
}
