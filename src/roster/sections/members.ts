import type { MapNode, Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { GroupMemberEntry, MemberEntry, RoleReferences, UserMemberEntry } from "../draft.ts";
import { type MapFields, type MapSchema, readFields } from "../fields.ts";
import { readAddress, readList, readPrefix, readText } from "../values.ts";
import { readRoles } from "../written-roles.ts";

const userMemberSchema: MapSchema = { what: "A member", required: ["user"], optional: ["roles", "key"] };
const groupMemberSchema: MapSchema = { what: "A group among members", required: ["group"], optional: ["roles"] };
const memberHint = "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.";

/** The members of a team: an address, `{ user: ADDRESS }` or `{ group: NAME }` each. */
export function readMembers(node: Node, log: DiagnosticsCollector): readonly MemberEntry[] {
  return readList(node, "`members`", log).flatMap((item) => {
    const member = item.kind === "map" ? readMemberMap(item, log) : readShorthand(item, log);
    return member === undefined ? [] : [member];
  });
}

function readShorthand(node: Node, log: DiagnosticsCollector): UserMemberEntry | undefined {
  if (node.kind === "list") {
    log.error(node, "wrong-type", "A member is an address or a map, not a list.", memberHint);
    return undefined;
  }
  const user = readAddress(node, "A member", log);
  return user && { is: "user", at: node, user, roles: undefined, key: undefined };
}

function readMemberMap(node: MapNode, log: DiagnosticsCollector): MemberEntry | undefined {
  const names = node.entries.map(({ key }) => key.text);
  const hasGroup = names.includes("group");
  if (names.includes("user") && hasGroup) {
    log.error(node, "wrong-type", "A member is either a user or a group, not both at once.", "Make it two entries.");
    return undefined;
  }
  return hasGroup ? readGroupMember(node, log) : readUserMember(node, log);
}

function readUserMember(node: MapNode, log: DiagnosticsCollector): UserMemberEntry | undefined {
  const fields = readFields(node, userMemberSchema, log);
  const who = fields?.get("user");
  if (fields === undefined || who === undefined) return undefined;
  const user = readAddress(who, "`user`", log);
  const prefix = fields.get("key");
  const key = prefix && readPrefix(prefix, "`key`", log);
  const roles = memberRoles(fields, log);
  return user && { is: "user", at: fields.at, user, roles, key };
}

function readGroupMember(node: MapNode, log: DiagnosticsCollector): GroupMemberEntry | undefined {
  const fields = readFields(node, groupMemberSchema, log);
  const which = fields?.get("group");
  if (fields === undefined || which === undefined) return undefined;
  const name = readText(which, "`group`", log);
  const roles = memberRoles(fields, log);
  return name && { is: "group", at: fields.at, group: name, roles };
}

function memberRoles(fields: MapFields, log: DiagnosticsCollector): RoleReferences | undefined {
  const roles = fields.get("roles");
  return roles && readRoles(roles, fields.keyOf("roles") ?? roles, log);
}
