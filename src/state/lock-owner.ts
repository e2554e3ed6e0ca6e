import type { Failure } from "../model/failure.ts";
import type { LockHolder } from "../ports/state-store.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** Who holds a lock, as the lock file tells it. */
export interface LockOwner extends ProcessIdentity {
  /** Names this holding of the lock apart from every other. */
  readonly id: string;
  /** Such as `ada@build-7`. */
  readonly who: string;
  readonly operation: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Reads a lock file; undefined for anything that roster would not have written. */
export function readOwner(text: string): LockOwner | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const [id, who, host] = [textOf(value, "id"), textOf(value, "who"), textOf(value, "host")];
  const [operation, since, pid] = [textOf(value, "operation"), textOf(value, "since"), Reflect.get(value, "pid")];
  if (id === undefined || who === undefined || host === undefined) return undefined;
  if (operation === undefined || since === undefined || !isProcessNumber(pid)) return undefined;
  // The id becomes part of a file name when a dead owner's lock is taken over.
  if (!/^[\w-]{1,64}$/.test(id)) return undefined;
  return { id, who, host, pid, operation, since, ...optionalText(value) };
}

function optionalText(value: object): Pick<LockOwner, "boot" | "namespace" | "started"> {
  const [boot, namespace, started] = [textOf(value, "boot"), textOf(value, "namespace"), textOf(value, "started")];
  return {
    ...(boot === undefined ? {} : { boot }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(started === undefined ? {} : { started }),
  };
}

function parseJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: object, name: string): string | undefined {
  const text: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof text === "string" && text !== "" && text.length <= 256 ? text : undefined;
}

function isProcessNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

export function lockedBy(file: string, owner: LockOwner): Failure {
  const { who, pid, operation, since } = owner;
  return {
    code: "locked",
    message: `the state is locked by ${who} (process ${pid}) for ${operation} since ${since}`,
    request: file,
    hint: `wait until that run has ended; if it is certain that it no longer runs, remove ${file} and run again`,
  };
}

export function lockedBySomebody(file: string): Failure {
  return {
    code: "locked",
    message: "the state is locked, and the lock does not say by whom",
    request: file,
    hint: `wait until the run that holds it has ended; if it is certain that none is under way, remove ${file} and run again`,
  };
}

/** Somebody wants to break a lock that is not, or no longer, held under this id. */
export function notHeldBy(file: string, id: string, holder: LockHolder | "nobody"): Failure {
  if (holder === "nobody")
    return { code: "state", message: "the state is not locked", request: file, hint: "there is nothing to unlock" };
  return {
    code: "state",
    message: `the state is locked under the id ${holder.id}, and not under ${id}`,
    request: file,
    hint: `look who holds it; \`roster state unlock ${holder.id}\` breaks that lock`,
  };
}
