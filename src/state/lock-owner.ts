import type { ProcessIdentity } from "./process-identity.ts";

/** Who holds a lock, as the lock tells it. */
export interface LockOwner extends ProcessIdentity {
  /** Names this holding of the lock apart from every other. */
  readonly id: string;
  /** Such as `ada@build-7`. */
  readonly who: string;
  readonly operation: string;
  /** ISO 8601. */
  readonly since: string;
}

export function encodeOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner, null, 2)}\n`;
}

/** Reads an owner back; undefined for anything that roster would not have written. */
export function readOwner(text: string): LockOwner | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const [id, who, host] = [textOf(value, "id"), textOf(value, "who"), textOf(value, "host")];
  const [operation, since, pid] = [textOf(value, "operation"), textOf(value, "since"), Reflect.get(value, "pid")];
  if (id === undefined || who === undefined || host === undefined) return undefined;
  if (operation === undefined || since === undefined || !isProcessNumber(pid)) return undefined;
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
