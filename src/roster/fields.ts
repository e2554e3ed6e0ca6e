import type { Node, ScalarNode, SourceRange } from "../yaml/node.ts";
import type { DiagnosticsCollector } from "./complaints.ts";

/** What a map of the format may hold. */
export interface MapSchema {
  /** Such as `A user`. */
  readonly what: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The known keys of a map. */
export interface MapFields {
  readonly at: SourceRange;
  get(name: string): Node | undefined;
  /** Where the key itself stands. */
  keyOf(name: string): SourceRange | undefined;
}

/** Tells which keys are unknown or missing, and gives the known ones. Nothing where the node is no map. */
export function readFields(node: Node, shape: MapSchema, log: DiagnosticsCollector): MapFields | undefined {
  const known = [...shape.required, ...shape.optional];
  if (node.kind !== "map") {
    log.error(
      node,
      "wrong-type",
      `${shape.what} is a map, not ${nodeKind(node)}.`,
      `Its keys are ${quotedNames(known)}.`,
    );
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

function unknownKey(key: ScalarNode, shape: MapSchema, known: readonly string[], log: DiagnosticsCollector): void {
  const hint = log.didYouMean(key.text, known) ?? `Its keys are ${quotedNames(known)}.`;
  log.error(key, "unknown-key", `${shape.what} has no key \`${key.text}\`.`, hint);
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** Such as `a list` or `a number`, for a sentence about what stands there. */
export function nodeKind(node: Node): string {
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
