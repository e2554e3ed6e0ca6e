import type { UnreadField } from "../../model/capabilities.ts";
import { asText, isObject, type JsonObject } from "./json.ts";
import { decodeKeys, decodeRoleSet, decodeTeam, flatPrefix, keyFieldNames, keyListNames, teamIn } from "./key.ts";
import { userFieldNames } from "./user.ts";

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
  return {
    ...(identifier === undefined ? {} : { identifier: pointerTo(identifier) }),
    ...(name === undefined ? {} : { name: pointerTo(name) }),
  };
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
