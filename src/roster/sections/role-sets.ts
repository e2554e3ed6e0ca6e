import { roleSet } from "../../model/role-set.ts";
import type { Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { RoleSetEntry } from "../draft.ts";
import { readNamedEntries } from "../named.ts";
import { readPlainRoles } from "../written-roles.ts";

/** The role sets that one file defines for the whole roster. */
export function readRoleSets(node: Node, log: DiagnosticsCollector): readonly RoleSetEntry[] {
  return readNamedEntries(node, { section: "`roleSets`", one: "The name of a role set" }, log).map(
    ({ name, value }) => {
      return { name, roles: roleSet(readPlainRoles(value, log)) };
    },
  );
}
