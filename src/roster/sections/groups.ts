import type { Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { GroupEntry } from "../draft.ts";
import { readNamedEntries } from "../named.ts";
import { readAddresses } from "../values.ts";

/** The groups that one file defines for the whole roster. */
export function readGroups(node: Node, log: DiagnosticsCollector): readonly GroupEntry[] {
  return readNamedEntries(node, { section: "`groups`", one: "The name of a group" }, log).map(({ name, value }) => {
    return { name, members: readAddresses(value, { list: "A group", item: "An address in a group" }, log) };
  });
}
