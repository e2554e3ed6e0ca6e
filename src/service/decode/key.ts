import { definedFields } from "../../model/collections.ts";
import type { ObservedKey } from "../../model/key.ts";
import { success } from "../../model/result.ts";
import { type RoleSet, roleSet } from "../../model/role-set.ts";
import type { ObservedRole } from "../../model/snapshot.ts";
import { foldName, type ObservedTeam } from "../../model/team.ts";
import type { ReplaceRolesResponse } from "../../ports/account-service.ts";
import {
  asText,
  type Decoded,
  decodeIdentified,
  decodeList,
  describeShape,
  held,
  identifierOf,
  isObject,
  type JsonObject,
  misreading,
  refusalWithin,
  refused,
  shown,
  textOf,
  type Writable,
} from "./json.ts";

const prefixNames = ["prefix", "accessKeyPrefix", "apiKeyPrefix", "keyPrefix", "access_key_prefix"];
export const keyListNames: readonly string[] = ["accessKeys", "listAccessKeys", "keys", "apiKeys", "accessKey"];

/** The fields of a team that stand among those of a key. */
const flatTeamIdentifierNames = ["teamIdentifier", "teamId"];
const flatTeamName = "teamName";
const flatTeamNames = [...flatTeamIdentifierNames, flatTeamName];

/** Every field of a key that is read. */
export const keyFieldNames: readonly string[] = [
  ...prefixNames,
  ...["status", "state", "active", "kind", "keyType", "roles", "isDefault", "team"],
  ...flatTeamNames,
];

/** A key as a service shows it; `undefined` where no prefix can be read. Keys tell their team flat as well as nested. The secret part is dropped at once. */
export function decodeKey(value: unknown): ObservedKey | undefined {
  const prefix = isObject(value) ? flatPrefix(value) : undefined;
  if (!isObject(value) || prefix === undefined) return undefined;
  const status = statusOf(value);
  const kind = kindOf(value);
  const team = decodeTeam(value);
  const roles = decodeRoleSet(shown(value, "roles"));
  const isDefault = shown(value, "isDefault");
  const key: Writable<ObservedKey> = { prefix };
  if (status !== undefined) key.status = status;
  if (kind !== undefined) key.kind = kind;
  if (team !== undefined) key.team = team;
  if (roles !== undefined) key.roles = roles;
  if (typeof isDefault === "boolean") key.isDefault = isDefault;
  return key;
}

/**
 * The keys of a user, under whichever of the usual names; `undefined` where they are not shown, or where one of them cannot
 * be read: it might be a team's.
 */
export function decodeKeys(owner: JsonObject): readonly ObservedKey[] | undefined {
  let keys: Map<string, ObservedKey> | undefined;
  for (const name of keyListNames) {
    const list = shown(owner, name);
    if (!Array.isArray(list)) continue;
    keys ??= new Map();
    for (const entry of list) {
      const prefix = wholeKeyPrefix(entry);
      const key = prefix === undefined ? decodeKey(entry) : { prefix };
      if (key === undefined) return undefined;
      keys.set(key.prefix, key);
    }
  }
  return keys === undefined ? undefined : [...keys.values()];
}

/** The prefix of a whole key in one text. A text without a dot may be a secret. */
export function wholeKeyPrefix(value: unknown): string | undefined {
  const text = asText(value);
  return text?.includes(".") ? publicPart(text) : undefined;
}

/** A prefix that stands by itself next to other fields. */
export function flatPrefix(record: JsonObject): string | undefined {
  return publicPart(textOf(record, ...prefixNames));
}

/** What stands before the first dot of a key. */
export function publicPart(key: string | undefined): string | undefined {
  return key?.split(".", 1)[0]?.trim() || undefined;
}

/** Roles as objects or as bare identifiers; `undefined` where they are not shown or one of them has no name. */
export function decodeRoleSet(value: unknown): RoleSet | undefined {
  if (!Array.isArray(value)) return undefined;
  const roles: string[] = [];
  for (const entry of value) {
    const role = isObject(entry) ? identifierOf(entry, "identifier", "id") : asText(entry);
    if (role === undefined || role === "") return undefined;
    roles.push(role);
  }
  return roleSet(roles);
}

/** A status word, or whether something is active. */
export function statusOf(record: JsonObject): string | undefined {
  const word = textOf(record, "status", "state");
  if (word !== undefined) return word;
  const active = shown(record, "active");
  return typeof active === "boolean" ? (active ? "active" : "inactive") : undefined;
}

function kindOf(key: JsonObject): string | undefined {
  const kind = textOf(key, "kind", "keyType");
  const word = kind?.trim().toLowerCase();
  // The public answers call the keys of projects those of the system.
  if (word === "project" || word === "system") return "project";
  return word === "team" ? word : kind;
}

/** The key's roles after a replacement, as a list or within the key, where the answer shows them. An empty list says nothing where roles were sent, unless it is called that of the roles. */
export function decodeReplacedRoles(body: unknown, sent: RoleSet): Decoded<ReplaceRolesResponse> {
  const refusal = refusalWithin(body);
  if (refusal !== undefined) return refused(refusal);
  if (body === false) return misreading(`expected the roles of a key, but got ${describeShape(body)}`);
  const inner = isObject(body) ? held(body, "accessKey", "key", "data", "result") : undefined;
  const record = isObject(inner) ? inner : body;
  const list = decodeList(record);
  const isNamed = isObject(record) && held(record, "roles") !== undefined;
  const isShown = list.ok && (list.value.rows.length > 0 || sent.length === 0 || isNamed);
  const roles = isShown ? decodeRoleSet(list.value.rows) : undefined;
  const prefix = [body, inner]
    .filter(isObject)
    .map(flatPrefix)
    .find((found) => found !== undefined);
  return success(definedFields({ prefix, roles }));
}

/** A role as an object or as its bare identifier. */
export function decodeRole(value: unknown): Decoded<ObservedRole> {
  const listed = decodeIdentified(value, "a role");
  if (!listed.ok) return listed;
  const { identifier, record } = listed.value;
  return success({ identifier, ...definedFields({ name: textOf(record, "name"), type: textOf(record, "type") }) });
}

/**
 * The team of a key, or of a creation's answer: as an object or a text under `team`, or flat among the other fields.
 * `none` where the record says that there is no team; `undefined` where it says nothing, or two different things.
 */
export function decodeTeam(record: JsonObject): ObservedTeam | "none" | undefined {
  const written = shown(record, "team");
  const flat = flatTeam(record);
  if (written === undefined) return flat;
  const nested = written === null ? "none" : teamIn(written);
  if (flat === undefined) return nested;
  if (nested === undefined) return flat === "none" ? undefined : flat;
  if (flat === "none" || nested === "none") return flat === nested ? "none" : undefined;
  if (isObject(written)) return isSameTeam(written, flat) ? { ...flat, ...nested } : undefined;
  // A text under `team`, next to the flat fields of a team, is its identifier or its name.
  const text = asText(written) ?? "";
  if (text === flat.identifier || (flat.name !== undefined && foldName(text) === foldName(flat.name))) return flat;
  return flat.identifier === undefined ? { ...flat, identifier: text } : undefined;
}

/** A bare text is taken for the identifier: taken for a name it could prove that a team is absent. */
export function teamIn(value: unknown): ObservedTeam | undefined {
  if (isObject(value)) return teamOf(identifierOf(value, ...teamIdentifierNames), nameIn(value));
  return teamOf(asText(value) || undefined, undefined);
}

const teamIdentifierNames = ["identifier", "id", ...flatTeamIdentifierNames];

function nameIn(team: JsonObject): string | undefined {
  return textOf(team, "name", flatTeamName);
}

function flatTeam(record: JsonObject): ObservedTeam | "none" | undefined {
  if (!flatTeamNames.some((name) => Object.hasOwn(record, name))) return undefined;
  if (held(record, ...flatTeamNames) === undefined) return "none";
  return teamOf(identifierOf(record, ...flatTeamIdentifierNames), identifierOf(record, flatTeamName));
}

function teamOf(identifier: string | undefined, name: string | undefined): ObservedTeam | undefined {
  if (identifier === undefined && name === undefined) return undefined;
  return definedFields({ identifier, name });
}

/** Whether an object under `team` and the flat fields next to it agree. */
function isSameTeam(nested: JsonObject, flat: ObservedTeam): boolean {
  const identifiers = teamIdentifierNames.flatMap((name) => textOf(nested, name) ?? []);
  const name = nameIn(nested);
  const sameIdentifier =
    flat.identifier === undefined || identifiers.length === 0 || identifiers.includes(flat.identifier);
  return sameIdentifier && (name === undefined || flat.name === undefined || foldName(name) === foldName(flat.name));
}
