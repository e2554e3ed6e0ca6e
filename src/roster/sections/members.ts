import type { MapNode, Node } from "../../yaml/node.ts";
import type { Complaints } from "../complaints.ts";
import type { DirectMember, DraftMember, GroupMember, WrittenRoles } from "../draft.ts";
import { type Fields, readFields, type Shape } from "../fields.ts";
import { readAddress, readList, readPrefix, readText } from "../values.ts";
import { readRoles } from "../written-roles.ts";

const direct: Shape = { what: "A member", required: ["user"], optional: ["roles", "key"] };
const group: Shape = { what: "A group among members", required: ["group"], optional: ["roles"] };
const howTo = "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.";

/** The members of a team: an address, `{ user: ADDRESS }` or `{ group: NAME }` each. */
export function readMembers(node: Node, log: Complaints): readonly DraftMember[] {
  return readList(node, "`members`", log).flatMap((item) => {
    const member = item.kind === "map" ? readEntry(item, log) : readShorthand(item, log);
    return member === undefined ? [] : [member];
  });
}

function readShorthand(node: Node, log: Complaints): DirectMember | undefined {
  if (node.kind === "list") {
    log.error(node, "wrong-type", "A member is an address or a map, not a list.", howTo);
    return undefined;
  }
  const user = readAddress(node, "A member", log);
  return user && { is: "user", at: node, user, roles: undefined, key: undefined };
}

function readEntry(node: MapNode, log: Complaints): DraftMember | undefined {
  const names = node.entries.map(({ key }) => key.text);
  const hasGroup = names.includes("group");
  if (names.includes("user") && hasGroup) {
    log.error(node, "wrong-type", "A member is either a user or a group, not both at once.", "Make it two entries.");
    return undefined;
  }
  return hasGroup ? readGroup(node, log) : readDirect(node, log);
}

function readDirect(node: MapNode, log: Complaints): DirectMember | undefined {
  const fields = readFields(node, direct, log);
  const who = fields?.get("user");
  if (fields === undefined || who === undefined) return undefined;
  const user = readAddress(who, "`user`", log);
  const prefix = fields.get("key");
  const key = prefix && readPrefix(prefix, "`key`", log);
  const roles = rolesOf(fields, log);
  return user && { is: "user", at: fields.at, user, roles, key };
}

function readGroup(node: MapNode, log: Complaints): GroupMember | undefined {
  const fields = readFields(node, group, log);
  const which = fields?.get("group");
  if (fields === undefined || which === undefined) return undefined;
  const name = readText(which, "`group`", log);
  const roles = rolesOf(fields, log);
  return name && { is: "group", at: fields.at, group: name, roles };
}

function rolesOf(fields: Fields, log: Complaints): WrittenRoles | undefined {
  const roles = fields.get("roles");
  return roles && readRoles(roles, fields.keyOf("roles") ?? roles, log);
}
