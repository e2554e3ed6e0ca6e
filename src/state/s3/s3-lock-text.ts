/** What a lock's object says. It is never removed, so that each change of it can be bound to the one before. */
export interface LockRecord {
  /** Counts the holders. */
  readonly fence: number;
  /** Absent: the lock is free. */
  readonly holder?: RecordedHolder;
}

export interface RecordedHolder {
  readonly id: string;
  readonly who: string;
  readonly operation: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * `beat` counts the writes of one holding, so that no two versions are the same text: what a lost answer was about
 * can then be told by reading.
 */
export function writeHeld(fence: number, holder: RecordedHolder, beat: { number: number; at: string }): string {
  return `${JSON.stringify({ fence, holder, beat: beat.number, seenAt: beat.at }, null, 2)}\n`;
}

export function writeFree(fence: number, former: string): string {
  return `${JSON.stringify({ fence, free: true, former }, null, 2)}\n`;
}

/** Reads a lock; undefined for anything that roster would not have written. */
export function readLockRecord(text: string): LockRecord | undefined {
  const value = objectOf(parseJson(text));
  const fence = value === undefined ? undefined : Reflect.get(value, "fence");
  if (value === undefined || typeof fence !== "number" || !Number.isSafeInteger(fence) || fence < 1) return undefined;
  if (Reflect.get(value, "free") === true) return { fence };
  const held = objectOf(Reflect.get(value, "holder"));
  if (held === undefined) return undefined;
  const [id, who] = [textOf(held, "id"), textOf(held, "who")];
  const [operation, since] = [textOf(held, "operation"), textOf(held, "since")];
  if (id === undefined || who === undefined || operation === undefined || since === undefined) return undefined;
  return { fence, holder: { id, who, operation, since } };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

function textOf(value: object, name: string): string | undefined {
  const text: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  return typeof text === "string" && text !== "" && text.length <= 256 ? text : undefined;
}
