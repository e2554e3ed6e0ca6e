import type { Node } from "../yaml/node.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { SourceValue } from "./draft.ts";
import { nodeKind } from "./fields.ts";
import { readText } from "./values.ts";

export interface NamedEntry {
  readonly name: SourceValue<string>;
  readonly value: Node;
}

/** The entries of a map whose keys are names that people choose. */
export function readNamedEntries(
  node: Node,
  what: { readonly section: string; readonly one: string },
  log: DiagnosticsCollector,
): readonly NamedEntry[] {
  if (node.kind !== "map") {
    const hint = "Write one name per line, each with its list: `name: [...]`.";
    log.error(node, "wrong-type", `${what.section} is a map of names, not ${nodeKind(node)}.`, hint);
    return [];
  }
  return node.entries.flatMap(({ key, value }) => {
    const name = readText(key, what.one, log);
    return name === undefined ? [] : [{ name, value }];
  });
}
