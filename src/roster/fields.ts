import type { Node, ScalarNode, Spot } from "../yaml/node.ts";
import type { Complaints } from "./complaints.ts";

/** What a map of the format may hold. */
export interface Shape {
  /** Such as `A user`. */
  readonly what: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The known keys of a map. */
export interface Fields {
  readonly at: Spot;
  get(name: string): Node | undefined;
  /** Where the key itself stands. */
  keyOf(name: string): Spot | undefined;
}

/** Tells which keys are unknown or missing, and gives the known ones. Nothing where the node is no map. */
export function readFields(node: Node, shape: Shape, log: Complaints): Fields | undefined {
  const known = [...shape.required, ...shape.optional];
  if (node.kind !== "map") {
    log.error(node, "wrong-type", `${shape.what} is a map, not ${kindOf(node)}.`, `Its keys are ${listed(known)}.`);
    return undefined;
  }
  const found = new Map<string, { readonly key: ScalarNode; readonly value: Node }>();
  for (const entry of node.entries) {
    if (known.includes(entry.key.text)) found.set(entry.key.text, entry);
    else unknownKey(entry.key, shape, known, log);
  }
  for (const name of shape.required) {
    if (!found.has(name)) log.error(node, "missing-key", `${shape.what} needs \`${name}\`.`);
  }
  return { at: node, get: (name) => found.get(name)?.value, keyOf: (name) => found.get(name)?.key };
}

function unknownKey(key: ScalarNode, shape: Shape, known: readonly string[], log: Complaints): void {
  const hint = log.didYouMean(key.text, known) ?? `Its keys are ${listed(known)}.`;
  log.error(key, "unknown-key", `${shape.what} has no key \`${key.text}\`.`, hint);
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** Such as `a list` or `a number`, for a sentence about what stands there. */
export function kindOf(node: Node): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  switch (node.type) {
    case "string":
      return "a text";
    case "null":
      return "nothing";
    case "number":
    case "boolean":
      return `a ${node.type}`;
  }
}
