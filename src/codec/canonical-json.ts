import { byCodeUnit } from "../model/role-set.ts";

/** JSON with sorted keys and without spaces: the same value is always the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => byCodeUnit(a, b)));
}
