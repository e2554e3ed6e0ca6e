import type { Node } from "../../yaml/node.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftKey } from "../draft.ts";
import { readFields, type Shape } from "../fields.ts";
import { readAddress, readList, readPrefix, readText } from "../values.ts";
import { readRoles } from "../written-roles.ts";

const shape: Shape = { what: "A key", required: ["prefix", "roles"], optional: ["owner", "note"] };

/** The keys that one file manages by their prefix. */
export function readKeys(node: Node, log: Complaints): readonly DraftKey[] {
  return readList(node, "`keys`", log).flatMap((item) => {
    const key = readKey(item, log);
    return key === undefined ? [] : [key];
  });
}

function readKey(node: Node, log: Complaints): DraftKey | undefined {
  const fields = readFields(node, shape, log);
  if (fields === undefined) return undefined;
  const field = <T>(name: string, read: (value: Node, what: string, log: Complaints) => T): T | undefined => {
    const value = fields.get(name);
    return value && read(value, `\`${name}\``, log);
  };
  const prefix = field("prefix", readPrefix);
  const owner = field("owner", readAddress);
  const roles = field("roles", (value) => readRoles(value, fields.keyOf("roles") ?? value, log));
  const note = field("note", readText)?.value;
  return prefix && roles && { at: fields.at, prefix, owner, roles, note };
}
