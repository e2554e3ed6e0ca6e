import { foldName } from "../../model/names.ts";
import { success } from "../../model/result.ts";
import type { ObservedKey, ObservedTeam } from "../../model/snapshot.ts";
import type { CreatedUser } from "../../ports/account-service.ts";
import { asText, type Decoded, describeShape, held, isObject, type JsonObject, misreading, textOf } from "./json.ts";
import { decodeKey, decodeKeys, decodeTeam, publicPart } from "./key.ts";
import { addressIn, decodeProfile, userIdentifier } from "./user.ts";

/**
 * What a creation's answer tells. An empty answer tells nothing. With more than one key in it, the one of the
 * founded team is meant; where none is clearly meant, no key is told rather than a guess.
 */
export function decodeCreatedUser(body: unknown, founded: string | undefined): Decoded<CreatedUser> {
  if (body === undefined) return success({ was: "created", profile: {} });
  if (!isObject(body)) return misreading(`a created user was expected, and ${describeShape(body)} came`);
  const user = userIn(body);
  const identifier = userIdentifier(user);
  const shownTeam = decodeTeam(held(body, "team"));
  const key = createdKey(body, user, { name: founded, identifier: shownTeam?.identifier });
  if (identifier === undefined && key === undefined && addressIn(user) === undefined) {
    return misreading(`a created user was expected, and ${describeShape(body)} came`);
  }
  const team = founded === undefined ? undefined : (shownTeam ?? teamOf(key));
  return success({
    was: "created",
    profile: decodeProfile(user),
    ...(identifier === undefined ? {} : { identifier }),
    ...(key === undefined ? {} : { key }),
    ...(team === undefined ? {} : { team }),
  });
}

function userIn(body: JsonObject): JsonObject {
  const user = held(body, "user");
  return isObject(user) ? user : body;
}

interface FoundedTeam {
  readonly name: string | undefined;
  readonly identifier: string | undefined;
}

function createdKey(body: JsonObject, user: JsonObject, team: FoundedTeam): ObservedKey | undefined {
  const keys = decodeKeys(user) ?? decodeKeys(body);
  if (keys !== undefined && keys.length > 0) return meantKey(keys, team);
  const nested = decodeKey(held(body, "accessKey", "apiKey"));
  if (nested !== undefined) return nested;
  if (user !== body) return decodeKey(body) ?? flatKey(body);
  return flatKey(body);
}

function meantKey(keys: readonly ObservedKey[], team: FoundedTeam): ObservedKey | undefined {
  if (keys.length === 1) return keys[0];
  const fitting = keys.filter((key) => isOfTeam(key, team));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function isOfTeam(key: ObservedKey, { name, identifier }: FoundedTeam): boolean {
  const team = teamOf(key);
  if (team === undefined || name === undefined) return false;
  if (identifier !== undefined && team.identifier === identifier) return true;
  return team.name !== undefined && foldName(team.name) === foldName(name);
}

function teamOf(key: ObservedKey | undefined): ObservedTeam | undefined {
  return key?.team === "none" ? undefined : key?.team;
}

/** A prefix by itself, or a whole key in one text, of which only what stands before the dot is taken. */
function flatKey(body: JsonObject): ObservedKey | undefined {
  const named = publicPart(textOf(body, "prefix", "accessKeyPrefix", "apiKeyPrefix", "keyPrefix", "access_key_prefix"));
  if (named !== undefined) return { prefix: named };
  const whole = asText(held(body, "accessKey", "apiKey", "key"));
  const prefix = whole?.includes(".") ? publicPart(whole) : undefined;
  return prefix === undefined ? undefined : { prefix };
}
