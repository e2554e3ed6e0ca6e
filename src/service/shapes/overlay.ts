import { isObject, type JsonObject } from "../decode/json.ts";
import { type Pointer, pointedAt } from "./pointer.ts";

/** Pointers by the name under which the decoders know what they lead to. */
export type Fields = Readonly<Record<string, Pointer | undefined>>;

/** Changes a value, or leaves it as it is. */
export type Change = (value: unknown) => unknown;

export const unchanged: Change = (value) => value;

/** Puts each mapped field that is there under its own name, beside everything else. */
export function overlay(fields: Fields): Change {
  const mapped = Object.entries(fields).flatMap(([name, pointer]) =>
    pointer === undefined ? [] : [{ name, pointer }],
  );
  if (mapped.length === 0) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const found = mapped.map(({ name, pointer }): [string, unknown] => [name, pointedAt(value, pointer)]);
    return { ...value, ...Object.fromEntries(found.filter(([, there]) => there !== undefined)) };
  };
}

/** Changes what stands under one of the names, where it is there; lists, entry by entry. */
export function within(names: readonly string[], change: Change): Change {
  if (change === unchanged) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, held]) => [
      name,
      names.includes(name) ? each(held, change) : held,
    ]);
    return Object.fromEntries(entries);
  };
}

function each(held: unknown, change: Change): unknown {
  return Array.isArray(held) ? held.map(change) : change(held);
}

export function inTurn(...changes: readonly Change[]): Change {
  const real = changes.filter((change) => change !== unchanged);
  return real.length === 0 ? unchanged : (value) => real.reduce((changed, change) => change(changed), value);
}

export function without(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
