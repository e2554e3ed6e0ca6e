import type { Failure } from "../../model/failure.ts";
import type { LockHolder } from "../../ports/state-store.ts";
import type { S3Place } from "./s3-place.ts";

/** Another run holds the lock, and may be alive. */
export function heldBy(holder: LockHolder, place: S3Place): Failure {
  return {
    code: "locked",
    message: `the state is locked ${words(holder)}`,
    request: place.lock.shown,
    hint: `wait until that run has ended; if it is certain that it no longer runs, break its lock with \`roster state unlock ${holder.id}\``,
  };
}

/** The lock changed hands each time that this run was about to take it. */
export function heldInTurns(place: S3Place): Failure {
  return {
    code: "locked",
    message: "the state is locked by other runs in turns",
    request: place.lock.shown,
    hint: "wait until they have ended, and run again",
  };
}

export function heldByNobody(place: S3Place): Failure {
  return {
    code: "state",
    message: "the state is not locked",
    request: place.lock.shown,
    hint: "there is nothing to break",
  };
}

export function heldByOther(holder: LockHolder, id: string, place: S3Place): Failure {
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
