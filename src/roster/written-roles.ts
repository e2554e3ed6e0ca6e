import type { Node, Spot } from "../yaml/node.ts";
import type { Complaints } from "./complaints.ts";
import type { Written, WrittenRoles } from "./draft.ts";
import { readFields } from "./fields.ts";
import { readList, readText } from "./values.ts";

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const mostRoles = 200;

const setReference = { what: "A reference to a role set", required: ["set"], optional: [] };

/** A list of role identifiers and `{ set: NAME }`, in any mixture. `at` is where it is declared. */
export function readRoles(node: Node, at: Spot, log: Complaints): WrittenRoles {
  const roles: string[] = [];
  const sets: Written<string>[] = [];
  for (const item of boundedList(node, log)) {
    if (item.kind !== "map") {
      const role = readText(item, "A role", log);
      if (role !== undefined) roles.push(role.value);
      continue;
    }
    const set = readFields(item, setReference, log)?.get("set");
    const name = set && readText(set, "The name of a role set", log);
    if (name !== undefined) sets.push(name);
  }
  return { at, roles, sets };
}

/** The roles of a role set: identifiers alone, since role sets do not nest. */
export function readPlainRoles(node: Node, log: Complaints): readonly string[] {
  return boundedList(node, log).flatMap((item) => {
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

function boundedList(node: Node, log: Complaints): readonly Node[] {
  const items = readList(node, "A list of roles", log);
  if (items.length <= mostRoles) return items;
  log.error(node, "too-many-roles", `This list has ${items.length} roles; no key can have more than ${mostRoles}.`);
  return [];
}
