import { type RoleSet, roleSet } from "../../model/role-set.ts";
import type { ObservedKey, ObservedTeam } from "../../model/snapshot.ts";
import { asText, held, identifierOf, isObject, type JsonObject, shown, textOf } from "./json.ts";

/** A key as a service shows it; `undefined` where no prefix can be read. The secret part is dropped at once. */
export function decodeKey(value: unknown): ObservedKey | undefined {
  if (!isObject(value)) return undefined;
  const prefix = publicPart(textOf(value, "prefix", "accessKeyPrefix", "keyPrefix"));
  if (prefix === undefined) return undefined;
  const status = textOf(value, "status");
  const kind = kindOf(value);
  const team = decodeKeyTeam(value);
  const roles = decodeRoleSet(shown(value, "roles"));
  const isDefault = held(value, "isDefault");
  return {
    prefix,
    ...(status === undefined ? {} : { status }),
    ...(kind === undefined ? {} : { kind }),
    ...(team === undefined ? {} : { team }),
    ...(roles === undefined ? {} : { roles }),
    ...(typeof isDefault === "boolean" ? { isDefault } : {}),
  };
}

/** The keys of a user; `undefined` where they are not shown, or where one of them cannot be read: it might be a team's. */
export function decodeKeys(owner: JsonObject): readonly ObservedKey[] | undefined {
  const entries = held(owner, "accessKeys", "listAccessKeys");
  if (!Array.isArray(entries)) return undefined;
  const keys = entries.map(decodeKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

/** What stands before the first dot of a key. */
export function publicPart(key: string | undefined): string | undefined {
  const prefix = key?.split(".", 1)[0]?.trim();
  return prefix === "" ? undefined : prefix;
}

/** Roles as objects or as bare identifiers; `undefined` where they are not shown or one of them has no name. */
export function decodeRoleSet(value: unknown): RoleSet | undefined {
  if (!Array.isArray(value)) return undefined;
  const roles = value.map((role) => (isObject(role) ? identifierOf(role, "identifier", "id") : asText(role)));
  return roles.every((role) => role !== undefined && role !== "") ? roleSet(roles) : undefined;
}

/** A bare text is taken for the identifier: taken for a name it could prove that a team is absent. */
export function decodeTeam(value: unknown): ObservedTeam | undefined {
  if (!isObject(value)) {
    const identifier = asText(value);
    return identifier === undefined || identifier === "" ? undefined : { identifier };
  }
  const identifier = identifierOf(value, "identifier", "id");
  const name = textOf(value, "name");
  if (identifier === undefined && name === undefined) return undefined;
  return { ...(identifier === undefined ? {} : { identifier }), ...(name === undefined ? {} : { name }) };
}

function decodeKeyTeam(key: JsonObject): ObservedTeam | "none" | undefined {
  const team = shown(key, "team");
  return team === null ? "none" : decodeTeam(team);
}

function kindOf(key: JsonObject): string | undefined {
  const kind = textOf(key, "kind", "keyType");
  const word = kind?.trim().toLowerCase();
  return word === "team" || word === "project" ? word : kind;
}
