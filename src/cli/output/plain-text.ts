import type { Node } from "../../yaml/tree.ts";

/** What stands in YAML, on one line and as a person would say it: `[a, b]`, `{ ratio: 0.25, floor: 10 }`. */
export function nodeText(node: Node): string {
  switch (node.kind) {
    case "scalar":
      return node.text;
    case "list":
      return listText(node.items.map(nodeText));
    case "map":
      return mapText(node.entries.map(({ key, value }) => [key.text, nodeText(value)]));
  }
}

/** The same for a value of ours. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return listText(value.map(valueText));
  if (typeof value !== "object" || value === null) return String(value);
  return mapText(Object.entries(value).map(([key, one]) => [key, valueText(one)]));
}

function listText(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}

function mapText(entries: readonly (readonly [string, string])[]): string {
  return entries.length === 0 ? "{}" : `{ ${entries.map(([key, value]) => `${key}: ${value}`).join(", ")} }`;
}

/** A text without what stands for a password in an address. */
export function withoutPasswords(text: string): string {
  return text
    .replace(/(?<=:\/\/)[^/?#\s,]*@/gu, "…@")
    .replace(/(?<=[?&](?:password|token|secret|signature|sig|key)=)[^&#\s]+/giu, "…");
}
