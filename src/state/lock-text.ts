/** A lock that is kept as JSON; undefined for any other text. */
export function parseLock(text: string): object | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function objectOf(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? value : undefined;
}

/** A field that roster could have written: a short text. */
export function lockField(lock: object, name: string): string | undefined {
  const text: unknown = Object.hasOwn(lock, name) ? Reflect.get(lock, name) : undefined;
  return typeof text === "string" && text !== "" && text.length <= 256 ? text : undefined;
}
