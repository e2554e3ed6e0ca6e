import { roleSet } from "../model/role-set.ts";
import type { MapNode, Node } from "../yaml/tree.ts";
import {
  type MapFields,
  type MapSchema,
  readAddress,
  readBoolean,
  readFields,
  readList,
  readNamedEntries,
  readPlainRoles,
  readPrefix,
  readRoles,
  readText,
} from "./decode-values.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type {
  FileContext,
  GroupMemberEntry,
  KeyEntry,
  MemberEntry,
  OnRemoval,
  RoleReferences,
  RoleSetEntry,
  SourceValue,
  TeamEntry,
  UserMemberEntry,
} from "./document.ts";

const teamSchema: MapSchema = {
  what: "A team",
  required: ["name"],
  optional: ["identifier", "previously", "admin", "founder", "roles", "open", "onRemoval", "members"],
};

/** The teams of one file. Teams without a usable name are told of and left out. */
export function readTeams(node: Node, site: FileContext): readonly TeamEntry[] {
  return readList(node, "`teams`", site.log).flatMap((item) => {
    const team = readTeam(item, site);
    return team === undefined ? [] : [team];
  });
}

function readTeam(node: Node, { log, account, accountReasons }: FileContext): TeamEntry | undefined {
  const fields = readFields(node, teamSchema, log);
  if (fields === undefined) return undefined;
  const field = <T>(name: string, read: (value: Node, what: string) => T): T | undefined => {
    const value = fields.get(name);
    return value && read(value, `\`${name}\``);
  };
  const text = (value: Node, what: string) => readText(value, what, log);
  const address = (value: Node, what: string) => readAddress(value, what, log);
  const name = field("name", text);
  const before = log.count;
  const members = field("members", (value) => readMembers(value, log)) ?? [];
  const allReadable = log.count === before;
  const draft = {
    at: fields.at,
    account,
    defaults: accountReasons,
    identifier: field("identifier", text),
    previously: field("previously", (value) => readFormerNames(value, log)) ?? [],
    admin: field("admin", address),
    founder: field("founder", address),
    roles: field("roles", (value) => readRoles(value, fields.keyOf("roles") ?? value, log)),
    open: field("open", (value, what) => readBoolean(value, what, log)) ?? false,
    onRemoval: field("onRemoval", (value, what) => readOnRemoval(value, what, log)),
    members,
    allReadable,
  };
  return name === undefined ? undefined : { ...draft, name };
}

function readOnRemoval(node: Node, what: string, log: RosterDiagnostics): SourceValue<OnRemoval> | undefined {
  const text = readText(node, what, log);
  if (text === undefined) return undefined;
  if (text.value === "report" || text.value === "disarm") return { value: text.value, at: node };
  const hint = log.didYouMean(text.value, ["report", "disarm"]) ?? "Write `report` or `disarm`.";
  log.error(node, "unknown-choice", `${what} is \`report\` or \`disarm\`, not \`${text.value}\`.`, hint);
  return undefined;
}

function readFormerNames(node: Node, log: RosterDiagnostics): readonly SourceValue<string>[] {
  return readList(node, "`previously`", log).flatMap((item) => {
    const name = readText(item, "A former name", log);
    return name === undefined ? [] : [name];
  });
}

const userMemberSchema: MapSchema = { what: "A member", required: ["user"], optional: ["roles", "key"] };
const groupMemberSchema: MapSchema = { what: "A group among members", required: ["group"], optional: ["roles"] };
const memberHint = "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.";

/** The members of a team: an address, `{ user: ADDRESS }` or `{ group: NAME }` each. */
function readMembers(node: Node, log: RosterDiagnostics): readonly MemberEntry[] {
  return readList(node, "`members`", log).flatMap((item) => {
    const member = item.kind === "map" ? readMemberMap(item, log) : readShorthand(item, log);
    return member === undefined ? [] : [member];
  });
}

function readShorthand(node: Node, log: RosterDiagnostics): UserMemberEntry | undefined {
  if (node.kind === "list") {
    log.error(node, "wrong-type", "A member is an address or a map, not a list.", memberHint);
    return undefined;
  }
  const user = readAddress(node, "A member", log);
  return user && { is: "user", at: node, user, roles: undefined, key: undefined };
}

function readMemberMap(node: MapNode, log: RosterDiagnostics): MemberEntry | undefined {
  const names = node.entries.map(({ key }) => key.text);
  const hasGroup = names.includes("group");
  if (names.includes("user") && hasGroup) {
    log.error(node, "wrong-type", "A member is either a user or a group, not both at once.", "Make it two entries.");
    return undefined;
  }
  return hasGroup ? readGroupMember(node, log) : readUserMember(node, log);
}

function readUserMember(node: MapNode, log: RosterDiagnostics): UserMemberEntry | undefined {
  const fields = readFields(node, userMemberSchema, log);
  const who = fields?.get("user");
  if (fields === undefined || who === undefined) return undefined;
  const user = readAddress(who, "`user`", log);
  const prefix = fields.get("key");
  const key = prefix && readPrefix(prefix, "`key`", log);
  const roles = memberRoles(fields, log);
  return user && { is: "user", at: fields.at, user, roles, key };
}

function readGroupMember(node: MapNode, log: RosterDiagnostics): GroupMemberEntry | undefined {
  const fields = readFields(node, groupMemberSchema, log);
  const which = fields?.get("group");
  if (fields === undefined || which === undefined) return undefined;
  const name = readText(which, "`group`", log);
  const roles = memberRoles(fields, log);
  return name && { is: "group", at: fields.at, group: name, roles };
}

function memberRoles(fields: MapFields, log: RosterDiagnostics): RoleReferences | undefined {
  const roles = fields.get("roles");
  return roles && readRoles(roles, fields.keyOf("roles") ?? roles, log);
}

const keySchema: MapSchema = { what: "A key", required: ["prefix", "roles"], optional: ["owner", "note"] };

/** The keys that one file manages by their prefix. */
export function readKeys(node: Node, log: RosterDiagnostics): readonly KeyEntry[] {
  return readList(node, "`keys`", log).flatMap((item) => {
    const key = readKey(item, log);
    return key === undefined ? [] : [key];
  });
}

function readKey(node: Node, log: RosterDiagnostics): KeyEntry | undefined {
  const fields = readFields(node, keySchema, log);
  if (fields === undefined) return undefined;
  const field = <T>(name: string, read: (value: Node, what: string, log: RosterDiagnostics) => T): T | undefined => {
    const value = fields.get(name);
    return value && read(value, `\`${name}\``, log);
  };
  const prefix = field("prefix", readPrefix);
  const owner = field("owner", readAddress);
  const roles = field("roles", (value) => readRoles(value, fields.keyOf("roles") ?? value, log));
  const note = field("note", readText)?.value;
  return prefix && roles && { at: fields.at, prefix, owner, roles, note };
}

/** The role sets that one file defines for the whole roster. */
export function readRoleSets(node: Node, log: RosterDiagnostics): readonly RoleSetEntry[] {
  return readNamedEntries(node, { section: "`roleSets`", one: "The name of a role set" }, log).map(
    ({ name, value }) => {
      return { name, roles: roleSet(readPlainRoles(value, log)) };
    },
  );
}
