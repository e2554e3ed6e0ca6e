import type { RoleSet } from "../../model/role-set.ts";
import {
  comment,
  entry,
  type YamlComment,
  type YamlEntry,
  type YamlList,
  type YamlMap,
  type YamlPart,
} from "../../yaml/part.ts";
import type { Adopted, AdoptedKey, AdoptedMember, AdoptedTeam, AdoptedUser } from "./adoption.ts";

/** What one roster file is to hold. */
export interface FileContent {
  readonly account: string;
  readonly users?: Adopted<AdoptedUser>;
  readonly teams?: Adopted<AdoptedTeam>;
  readonly keys?: Adopted<AdoptedKey>;
}

/** The document of one roster file. */
export function rosterDocument({ account, users, teams, keys }: FileContent): YamlMap {
  const source = commonSource(users?.found ?? []);
  return block([
    entry("version", 1),
    entry("account", account),
    ...(source === undefined ? [] : [entry("defaults", line([entry("source", source)]))]),
    ...section("users", users, (user) => userPart(user, source)),
    ...section("teams", teams, teamPart),
    ...section("keys", keys, keyPart),
  ]);
}

function section<T>(key: string, adopted: Adopted<T> | undefined, write: (one: T) => YamlPart): readonly YamlEntry[] {
  if (adopted === undefined || adopted.found.length + adopted.remarks.length === 0) return [];
  const left =
    adopted.remarks.length === 0 ? [] : [comment(["Not adopted:", ...adopted.remarks.map(inset)].join("\n"))];
  const items = [...adopted.found.map(write), ...left];
  return [entry(key, { kind: "list", layout: "block", items, ...(key === "teams" ? { spaced: true } : {}) })];
}

/** A line break in what the service says would end the remark. */
function inset(remark: string): string {
  return `  ${remark.replace(/\s/gu, " ")}`;
}

/** What all of them have for their source, so that it is written once. */
function commonSource(users: readonly AdoptedUser[]): string | undefined {
  const [first, ...others] = users;
  return others.length > 0 && others.every(({ source }) => source === first?.source) ? first?.source : undefined;
}

function userPart(user: AdoptedUser, commonSource: string | undefined): YamlPart {
  const { email, firstName, lastName, title, externalIdentifier, source, ownKeyRoles } = user;
  return line([
    entry("email", email),
    entry("firstName", firstName),
    entry("lastName", lastName),
    ...optional("title", title),
    ...optional("externalIdentifier", externalIdentifier),
    ...optional("source", source === commonSource ? undefined : source),
    ...optional("ownKeyRoles", rolesPart(ownKeyRoles)),
  ]);
}

function teamPart({ name, identifier, open, roles, members, remarks }: AdoptedTeam): YamlPart {
  return block([
    entry("name", name),
    entry("identifier", identifier),
    ...remarks.map((remark) => comment(remark.replace(/\s/gu, " "))),
    ...(open ? [entry("open", true)] : []),
    ...optional("roles", rolesPart(roles)),
    entry("members", { kind: "list", layout: "block", items: members.map(memberPart) }),
  ]);
}

function memberPart({ email, roles }: AdoptedMember): YamlPart {
  return line([entry("user", email), ...optional("roles", rolesPart(roles))]);
}

function keyPart({ prefix, owner, roles }: AdoptedKey): YamlPart {
  return line([entry("prefix", prefix), entry("owner", owner), ...optional("roles", rolesPart(roles))]);
}

function rolesPart(roles: RoleSet | undefined): YamlList | undefined {
  return roles && { kind: "list", layout: "line", items: roles };
}

function optional(key: string, value: YamlPart | undefined): readonly YamlEntry[] {
  return value === undefined ? [] : [entry(key, value)];
}

function block(entries: readonly (YamlEntry | YamlComment)[]): YamlMap {
  return { kind: "map", layout: "block", entries };
}

function line(entries: readonly YamlEntry[]): YamlMap {
  return { kind: "map", layout: "line", entries };
}
