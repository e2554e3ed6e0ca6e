import type { Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { KeyEntry } from "../draft.ts";
import { type MapSchema, readFields } from "../fields.ts";
import { readAddress, readList, readPrefix, readText } from "../values.ts";
import { readRoles } from "../written-roles.ts";

const keySchema: MapSchema = { what: "A key", required: ["prefix", "roles"], optional: ["owner", "note"] };

/** The keys that one file manages by their prefix. */
export function readKeys(node: Node, log: DiagnosticsCollector): readonly KeyEntry[] {
  return readList(node, "`keys`", log).flatMap((item) => {
    const key = readKey(item, log);
    return key === undefined ? [] : [key];
  });
}

function readKey(node: Node, log: DiagnosticsCollector): KeyEntry | undefined {
  const fields = readFields(node, keySchema, log);
  if (fields === undefined) return undefined;
  const field = <T>(name: string, read: (value: Node, what: string, log: DiagnosticsCollector) => T): T | undefined => {
    const value = fields.get(name);
    return value && read(value, `\`${name}\``, log);
  };
  const prefix = field("prefix", readPrefix);
  const owner = field("owner", readAddress);
  const roles = field("roles", (value) => readRoles(value, fields.keyOf("roles") ?? value, log));
  const note = field("note", readText)?.value;
  return prefix && roles && { at: fields.at, prefix, owner, roles, note };
}
