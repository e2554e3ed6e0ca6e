import type { LockHolder } from "../../ports/state-store.ts";

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
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const id = textField(value, "ID");
  if (id === undefined || !/^[\x21-\x7e]+$/u.test(id)) return undefined;
  const isEcho = id !== asked.ID && textField(value, "Info") === asked.Info;
  const [who, operation] = [textField(value, "Who"), isEcho ? undefined : textField(value, "Operation")];
  const since = timeOf(textField(value, "Created"));
  return {
    id,
    ...(who === undefined ? {} : { who }),
    ...(operation === undefined ? {} : { operation }),
    ...(since === undefined ? {} : { since }),
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

function textField(value: object, name: string): string | undefined {
  const text: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof text === "string" && text !== "" && text.length <= 256 ? text : undefined;
}

function timeOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
