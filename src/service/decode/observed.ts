import { type EmailKey, foldAddress } from "../../model/address.ts";
import type { UnreadField } from "../../model/capabilities.ts";
import { definedFields } from "../../model/collections.ts";
import { accountStatus, type ObservedKey } from "../../model/key.ts";
import { success } from "../../model/result.ts";
import type { ObservedAccount, ObservedRole } from "../../model/snapshot.ts";
import { foldName, type ObservedTeam } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { type Profile, profileFieldNames, type RoleSet, roleSet } from "../../model/values.ts";
import type { ReplaceRolesResponse } from "../port.ts";
import {
  asText,
  type Decoded,
  decodeIdentified,
  decodeList,
  describeShape,
  held,
  identifierOf,
  isCount,
  isObject,
  type JsonObject,
  type ListBody,
  misreading,
  onlyOne,
  refusalIn,
  refusalWithin,
  refused,
  shown,
  textOf,
  type Writable,
} from "./json.ts";

/** A user as a list or a search shows one (trap 59). A user without an address cannot be identified, so that it is a misreading. */
export function decodeUser(value: unknown, by: string): Decoded<ObservedUser> {
  if (!isObject(value)) return misreading(`expected a user, but got ${describeShape(value)}`);
  const email = addressIn(value);
  if (email === undefined) return misreading(`expected a user with an email, but got ${describeShape(value)}`);
  const identifier = userIdentifier(value);
  const status = statusOf(value);
  const account = accountOf(value);
  const keys = decodeKeys(value);
  const user: Writable<ObservedUser> = { email, address: foldAddress(email), by };
  if (identifier !== undefined) user.identifier = identifier;
  readProfile(value, user);
  if (status !== undefined) user.status = status;
  if (account !== undefined) user.account = account;
  if (keys !== undefined) user.keys = keys;
  return success(user);
}

export function userIdentifier(user: JsonObject): string | undefined {
  return identifierOf(user, ...userIdentifierNames);
}

const userIdentifierNames = ["identifier", "id", "userIdentifier", "userId"] as const;

const emailNames = ["email", "emailAddress"] as const;

/** The address that a record shows, as the service writes it. */
export function addressIn(record: JsonObject): string | undefined {
  const email = textOf(record, ...emailNames)?.trim();
  if (email) return email;
  const name = textOf(record, "username")?.trim();
  return name?.includes("@") ? name : undefined;
}

/** Every field of a user that is read, but for the lists of keys. */
const userFieldNames: readonly string[] = [
  ...userIdentifierNames,
  ...profileFieldNames,
  ...emailNames,
  ...["username", "status", "state", "active", "account", "accountIdentifier", "accountId"],
];

/** The descriptive fields that are shown. A field shown as null is shown to be empty. */
export function decodeProfile(record: JsonObject): Profile {
  const profile: Writable<Profile> = {};
  readProfile(record, profile);
  return profile;
}

function readProfile(record: JsonObject, profile: Writable<Profile>): void {
  for (const field of profileFieldNames) {
    const value = shown(record, field);
    const text = value === null ? "" : asText(value);
    if (text !== undefined) profile[field] = text;
  }
}

function accountOf(user: JsonObject): string | undefined {
  const account = held(user, "account");
  if (isObject(account)) return identifierOf(account, "identifier", "id");
  return (asText(account) || undefined) ?? identifierOf(user, "accountIdentifier", "accountId");
}

/**
 * The users of an answer to a search (trap 19): a list of any shape, found and not found, a map by address, a single user, or
 * nothing at all. A place that is null is nobody.
 */
export function decodeFound(body: unknown): Decoded<ListBody> {
  if (body === undefined || body === null) return success({ rows: [] });
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const list = decodeList(body);
  if (list.ok) return success({ ...list.value, rows: list.value.rows.filter((row) => row !== null) });
  if (!isObject(body)) return list;
  const rows = foundAndNotFound(body) ?? byAddress(body) ?? singleUser(body);
  return rows === undefined ? misreading(`expected found users, but got ${describeShape(body)}`) : success({ rows });
}

function foundAndNotFound(body: JsonObject): readonly unknown[] | undefined {
  const found = held(body, "found", "matches");
  if (Array.isArray(found)) return found.filter((row) => row !== null);
  return Array.isArray(shown(body, "notFound")) && found === undefined ? [] : undefined;
}

/** Users by the address that was asked for, null where there is nobody; a user without an address has that one. */
function byAddress(body: JsonObject): readonly unknown[] | undefined {
  const entries = Object.entries(body);
  const isMap =
    entries.length > 0 && entries.every(([name, value]) => name.includes("@") && (value === null || isObject(value)));
  if (!isMap) return undefined;
  return entries.flatMap(([email, value]) => {
    if (!isObject(value)) return [];
    return [addressIn(value) === undefined ? { ...value, email } : value];
  });
}

function singleUser(body: JsonObject): readonly unknown[] | undefined {
  const places = [body, held(body, "user"), held(body, "data")];
  const user = places.find((place) => isObject(place) && addressIn(place) !== undefined);
  return user === undefined ? undefined : [user];
}

/** The details of the account that was asked for: as they are, in an envelope, or as a list of one. */
export function decodeAccount(body: unknown, asked: string): Decoded<ObservedAccount> {
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  const outer = onlyOne(body);
  const inner = isObject(outer) ? ["account", "data", "result"].map((name) => shown(outer, name)) : [];
  const account = [outer, ...inner].find(isDetailed);
  if (account === undefined) {
    return misreading(`expected the details of an account, but got ${describeShape(body)}`);
  }
  const name = textOf(account, "name");
  const status = statusOf(account);
  return success({
    identifier: asked,
    by: `account ${asked}`,
    ...definedFields({ name, status }),
    ...membersOf(account),
  });
}

function isDetailed(value: unknown): value is JsonObject {
  return (
    isObject(value) && (identifierOf(value, "identifier", "id") !== undefined || held(value, "users") !== undefined)
  );
}

/** A member without an address cannot be matched with anybody and is left out. */
function membersOf(account: JsonObject): Pick<ObservedAccount, "members" | "deletedMembers" | "membersCut"> {
  const list = decodeList(held(account, "users"));
  if (!list.ok) return {};
  const { rows } = list.value;
  const members: EmailKey[] = [];
  const present = new Set<EmailKey>();
  for (const row of rows) {
    const email = isObject(row) ? addressIn(row) : asText(row);
    if (!email?.includes("@")) continue;
    const address = foldAddress(email);
    members.push(address);
    if (!isObject(row) || accountStatus(statusOf(row)) !== "deleted") present.add(address);
  }
  if (rows.length > 0 && members.length === 0) return {};
  const deletedMembers = members.filter((address) => !present.has(address));
  const isCut = members.length < rows.length || countedIn(account, list.value) > rows.length;
  return {
    members,
    ...(deletedMembers.length === 0 ? {} : { deletedMembers }),
    ...(isCut ? { membersCut: true } : {}),
  };
}

/** How many users the details count, next to the list or in its envelope. */
function countedIn(account: JsonObject, { total, next }: ListBody): number {
  const counts = [held(account, "userCount"), held(account, "usersCount"), held(account, "totalUsers"), total];
  return next === undefined ? Math.max(0, ...counts.filter(isCount)) : Number.POSITIVE_INFINITY;
}

/** An account as a list shows one, or as its bare identifier. */
export function decodeListedAccount(value: unknown): Decoded<ObservedAccount> {
  const listed = decodeIdentified(value, "an account");
  if (!listed.ok) return listed;
  const { identifier, record } = listed.value;
  return success({
    identifier,
    by: "accounts",
    ...definedFields({ name: textOf(record, "name"), status: textOf(record, "status") }),
  });
}

const prefixNames = ["prefix", "accessKeyPrefix", "apiKeyPrefix", "keyPrefix", "access_key_prefix"];
export const keyListNames: readonly string[] = ["accessKeys", "listAccessKeys", "keys", "apiKeys", "accessKey"];

/** The fields of a team that stand among those of a key. */
const flatTeamIdentifierNames = ["teamIdentifier", "teamId"];
const flatTeamName = "teamName";
const flatTeamNames = [...flatTeamIdentifierNames, flatTeamName];

/** Every field of a key that is read. */
const keyFieldNames: readonly string[] = [
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
function decodeRoleSet(value: unknown): RoleSet | undefined {
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
function statusOf(record: JsonObject): string | undefined {
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

/** Notes which fields of users and of keys are not read although they look like keys, prefixes, roles or teams. */
export class UnreadFields {
  readonly #found = new Map<string, UnreadField>();

  /** In an order of their own: answers come in any. What a name suggests comes before what a value suggests. */
  get found(): readonly UnreadField[] {
    return [...this.#found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, field]) => field);
  }

  noteUser(row: unknown): void {
    if (!isObject(row)) return;
    for (const name of keyListNames) for (const key of objectsIn(row[name])) this.#noteKey(key);
    const lists = unreadOf(row, userFields).filter(([, value]) => objectsIn(value).length > 0);
    if (lists.length === 0 || decodeKeys(row) !== undefined) return;
    for (const [name, value] of lists) {
      const keys = objectsIn(value);
      const byName = likeKeys.test(name);
      if (!byName && keys.every((key) => flatPrefix(key) === undefined)) continue;
      this.#note(byName, { like: "keys", pointer: pointerTo(name) });
      for (const key of keys) this.#noteKey(key);
    }
  }

  #noteKey(key: JsonObject): void {
    const fields = unreadOf(key, keyFields);
    if (fields.length === 0) return;
    const lacksPrefix = flatPrefix(key) === undefined;
    const lacksRoles = decodeRoleSet(key["roles"]) === undefined;
    for (const [name, value] of fields) {
      const text = asText(value) ?? "";
      const roles = decodeRoleSet(value) ?? [];
      const pointer = pointerTo(name);
      const byPrefixName = likePrefix.test(name);
      if (lacksPrefix && text !== "" && !likeSecret.test(name) && (byPrefixName || prefixWord.test(text)))
        this.#note(byPrefixName, { like: "prefix", pointer });
      const byRolesName = likeRoles.test(name);
      if (lacksRoles && roles.length > 0 && (byRolesName || roles.every((role) => roleWord.test(role))))
        this.#note(byRolesName, { like: "roles", pointer });
    }
    const team = decodeTeam(key);
    if (team === undefined || (team !== "none" && team.name === undefined)) this.#noteTeam(fields);
  }

  #noteTeam(fields: Entries): void {
    for (const [name, value] of fields) {
      if (!isObject(value) || notTeams.has(name)) continue;
      const within = teamFields(Object.entries(value).filter(([inner]) => inner.length <= maxName));
      const { identifier, name: called } = within;
      const byName = likeTeam.test(name);
      const isTeam = byName && (teamIn(value) ?? identifier ?? called) !== undefined;
      if (isTeam || (identifier !== undefined && called !== undefined))
        this.#note(byName, { like: "team", pointer: pointerTo(name), ...within });
    }
    const named = fields.filter(([name]) => likeTeam.test(name));
    const flat = teamFields(named);
    const bare = named.find(([, value]) => (asText(value) ?? "") !== "");
    if ((flat.identifier ?? flat.name) !== undefined) this.#note(true, { like: "team", pointer: "", ...flat });
    // A bare text is taken for the identifier, as one under `team` is: as a name it could prove that a team is absent.
    else if (bare !== undefined) this.#note(true, { like: "team", pointer: pointerTo(bare[0]) });
  }

  #note(byName: boolean, field: UnreadField): void {
    this.#found.set(`${byName ? "name" : "value"} ${JSON.stringify(field)}`, field);
    if (this.#found.size <= maxFields) return;
    const last = [...this.#found.keys()].sort().at(-1);
    if (last !== undefined) this.#found.delete(last);
  }
}

/** More fields, and longer names, are not worth a word; a hostile service shall not fill the memory. */
const maxFields = 32;
const maxName = 64;

const userFields = new Set([...userFieldNames, ...keyListNames]);
const keyFields = new Set(keyFieldNames);
/** What stands on keys and is no team. */
const notTeams = new Set(["user", "owner", "account", "createdBy", "updatedBy", "project"]);

const likeKeys = /key|cred|token/iu;
const likePrefix = /prefix|pfx|public|key_?-?id$/iu;
/** What stands there may be a secret: read as a prefix, it would be shown. */
const likeSecret = /secret|token|pass|hash|private|value/iu;
const likeRoles = /role|perm|privilege|authorit|grant|scope|entitle/iu;
const likeTeam = /team|group|squad|crew/iu;
const likeIdentifier = /(?:id|identifier|uid|uuid|code)$/iu;
const likeName = /(?:name|title|label)$/iu;
const roleWord = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/u;
const prefixWord = /^(?=.*\d)(?=.*[a-z])[a-z0-9]{12,64}(?:\.\S+)?$/iu;

type Entries = readonly (readonly [name: string, value: unknown])[];

/** Where the identifier and the name of a team stand, as far as texts of such names tell. */
function teamFields(fields: Entries): { readonly identifier?: string; readonly name?: string } {
  const texts = fields.filter(([, value]) => (asText(value) ?? "") !== "").map(([name]) => name);
  const name = texts.find((one) => likeName.test(one));
  const identifier = texts.find((one) => one !== name && likeIdentifier.test(one));
  return definedFields({ identifier: identifier && pointerTo(identifier), name: name && pointerTo(name) });
}

function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Thousands of rows have none: for them nothing is made. */
function unreadOf(row: JsonObject, read: ReadonlySet<string>): Entries {
  let unread: (readonly [string, unknown])[] | undefined;
  for (const name in row) {
    if (read.has(name) || name.length > maxName || !Object.hasOwn(row, name)) continue;
    unread ??= [];
    unread.push([name, row[name]]);
  }
  return unread ?? [];
}

function pointerTo(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
