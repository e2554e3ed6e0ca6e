import { hash } from "node:crypto";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function sha256(text: string): string {
  return hash("sha256", text);
}

/** JSON with sorted keys and without spaces: the same value is always the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value)) ?? "null";
}

function withSortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  const sorted: Record<string, unknown> = { __proto__: null };
  for (const name of Object.keys(value).sort()) sorted[name] = withSortedKeys(Reflect.get(value, name));
  return sorted;
}
