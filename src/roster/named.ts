import type { Node } from "../yaml/node.ts";
import type { Complaints } from "./complaints.ts";
import type { Written } from "./draft.ts";
import { kindOf } from "./fields.ts";
import { readText } from "./values.ts";

export interface NamedNode {
  readonly name: Written<string>;
  readonly value: Node;
}

/** The entries of a map whose keys are names that people choose. */
export function readNamed(
  node: Node,
  what: { readonly section: string; readonly one: string },
  log: Complaints,
): readonly NamedNode[] {
  if (node.kind !== "map") {
    const hint = "Write one name per line, each with its list: `name: [...]`.";
    log.error(node, "wrong-type", `${what.section} is a map of names, not ${kindOf(node)}.`, hint);
    return [];
  }
  return node.entries.flatMap(({ key, value }) => {
    const name = readText(key, what.one, log);
    return name === undefined ? [] : [{ name, value }];
  });
}
