import type { Node, SourceRange } from "../yaml/node.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { RoleReferences, SourceValue } from "./draft.ts";
import { readFields } from "./fields.ts";
import { readList, readText } from "./values.ts";

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const maxRoles = 200;

const roleSetReferenceSchema = { what: "A reference to a role set", required: ["set"], optional: [] };

/** A list of role identifiers and `{ set: NAME }`, in any mixture. `at` is where it is declared. */
export function readRoles(node: Node, at: SourceRange, log: DiagnosticsCollector): RoleReferences {
  const roles: string[] = [];
  const sets: SourceValue<string>[] = [];
  for (const item of boundedRoleList(node, log)) {
    if (item.kind !== "map") {
      const role = readText(item, "A role", log);
      if (role !== undefined) roles.push(role.value);
      continue;
    }
    const set = readFields(item, roleSetReferenceSchema, log)?.get("set");
    const name = set && readText(set, "The name of a role set", log);
    if (name !== undefined) sets.push(name);
  }
  return { at, roles, sets };
}

/** The roles of a role set: identifiers alone, since role sets do not nest. */
export function readPlainRoles(node: Node, log: DiagnosticsCollector): readonly string[] {
  return boundedRoleList(node, log).flatMap((item) => {
    if (item.kind === "map") {
      log.error(
        item,
        "wrong-type",
        "A role set holds role identifiers alone: role sets do not nest.",
        "Write them out.",
      );
      return [];
    }
    const role = readText(item, "A role", log);
    return role === undefined ? [] : [role.value];
  });
}

function boundedRoleList(node: Node, log: DiagnosticsCollector): readonly Node[] {
  const items = readList(node, "A list of roles", log);
  if (items.length <= maxRoles) return items;
  log.error(node, "too-many-roles", `This list has ${items.length} roles; no key can have more than ${maxRoles}.`);
  return [];
}
