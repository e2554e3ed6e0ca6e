import type { RoleSet } from "../../model/role-set.ts";
import {
  comment,
  entry,
  type YamlComment,
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlValue,
} from "../../yaml/part.ts";
import type { ImportedKey, ImportedMember, ImportedSection, ImportedTeam, ImportedUser } from "./adoption.ts";

/** What one roster file is to hold. */
export interface ImportedFile {
  readonly account: string;
  readonly users?: ImportedSection<ImportedUser>;
  readonly teams?: ImportedSection<ImportedTeam>;
  readonly keys?: ImportedSection<ImportedKey>;
}

/** The document of one roster file. */
export function importedFileYaml({ account, users, teams, keys }: ImportedFile): YamlMap {
  const source = commonSource(users?.found ?? []);
  return blockMap([
    entry("version", 1),
    entry("account", account),
    ...(source === undefined ? [] : [entry("defaults", lineMap([entry("source", source)]))]),
    ...sectionEntries("users", users, (user) => userPart(user, source)),
    ...sectionEntries("teams", teams, teamPart),
    ...sectionEntries("keys", keys, keyPart),
  ]);
}

function sectionEntries<T>(
  key: string,
  adopted: ImportedSection<T> | undefined,
  write: (one: T) => YamlValue,
): readonly YamlEntry[] {
  if (adopted === undefined || adopted.found.length + adopted.remarks.length === 0) return [];
  const left =
    adopted.remarks.length === 0 ? [] : [comment(["Not adopted:", ...adopted.remarks.map(indentNote)].join("\n"))];
  const items = [...adopted.found.map(write), ...left];
  return [entry(key, { kind: "list", layout: "block", items, ...(key === "teams" ? { spaced: true } : {}) })];
}

/** A line break in what the service says would end the remark. */
function indentNote(remark: string): string {
  return `  ${remark.replace(/\s/gu, " ")}`;
}

/** What all of them have for their source, so that it is written once. */
function commonSource(users: readonly ImportedUser[]): string | undefined {
  const [first, ...others] = users;
  return others.length > 0 && others.every(({ source }) => source === first?.source) ? first?.source : undefined;
}

function userPart(user: ImportedUser, commonSource: string | undefined): YamlValue {
  const { email, firstName, lastName, title, externalIdentifier, source, ownKeyRoles } = user;
  return lineMap([
    entry("email", email),
    entry("firstName", firstName),
    entry("lastName", lastName),
    ...optional("title", title),
    ...optional("externalIdentifier", externalIdentifier),
    ...optional("source", source === commonSource ? undefined : source),
    ...optional("ownKeyRoles", rolesPart(ownKeyRoles)),
  ]);
}

function teamPart({ name, identifier, open, roles, members, remarks }: ImportedTeam): YamlValue {
  return blockMap([
    entry("name", name),
    entry("identifier", identifier),
    ...remarks.map((remark) => comment(remark.replace(/\s/gu, " "))),
    ...(open ? [entry("open", true)] : []),
    ...optional("roles", rolesPart(roles)),
    entry("members", { kind: "list", layout: "block", items: members.map(memberPart) }),
  ]);
}

function memberPart({ email, roles }: ImportedMember): YamlValue {
  return lineMap([entry("user", email), ...optional("roles", rolesPart(roles))]);
}

function keyPart({ prefix, owner, roles }: ImportedKey): YamlValue {
  return lineMap([entry("prefix", prefix), entry("owner", owner), ...optional("roles", rolesPart(roles))]);
}

function rolesPart(roles: RoleSet | undefined): YamlList | undefined {
  return roles && { kind: "list", layout: "line", items: roles };
}

function optional(key: string, value: YamlValue | undefined): readonly YamlEntry[] {
  return value === undefined ? [] : [entry(key, value)];
}

function blockMap(entries: readonly (YamlEntry | YamlComment)[]): YamlMap {
  return { kind: "map", layout: "block", entries };
}

function lineMap(entries: readonly YamlEntry[]): YamlMap {
  return { kind: "map", layout: "line", entries };
}
