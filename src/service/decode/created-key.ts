import { foldName } from "../../model/names.ts";
import { belongsTo, shownOwnKey } from "../../model/shown-keys.ts";
import type { ObservedKey } from "../../model/snapshot.ts";
import type { CreatedUser } from "../../ports/account-service.ts";
import { held, isObject, type JsonObject } from "./json.ts";
import { decodeKey, decodeKeys, flatPrefix, wholeKeyPrefix } from "./key.ts";

/** A place where a creation's answer may show keys; `undefined` where it shows none there. */
type KeyPlace = (body: JsonObject, user: JsonObject) => readonly ObservedKey[] | undefined;

/** In the order in which they are looked at. Exact names only: a key is never searched for in depth. */
const places: readonly KeyPlace[] = [keysOfTheUser, namedKey, keyItself, prefixBeside, wholeKeyBeside];

export interface FoundedTeam {
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** The new key, or the prefixes of those of which none can be told to be the one; `undefined` where no key is shown. */
export function createdKey(
  body: JsonObject,
  user: JsonObject,
  founded: FoundedTeam | undefined,
): Pick<CreatedUser, "key" | "ambiguousKeys"> | undefined {
  const shown = places.map((place) => place(body, user)).find((keys) => keys !== undefined && keys.length > 0);
  if (shown === undefined) return undefined;
  const key = founded === undefined ? ownKey(shown) : teamKey(shown, founded);
  if (key !== undefined) return { key };
  return shown.length > 1 ? { ambiguousKeys: shown.map(({ prefix }) => prefix) } : {};
}

function keysOfTheUser(body: JsonObject, user: JsonObject): readonly ObservedKey[] | undefined {
  return decodeKeys(user) ?? decodeKeys(body);
}

function namedKey(body: JsonObject, user: JsonObject): readonly ObservedKey[] | undefined {
  const places = [body, user].flatMap((place) => [held(place, "accessKey"), held(place, "apiKey"), held(place, "key")]);
  return onlyKey(places.map(decodeKey).find((key) => key !== undefined));
}

/** A key that names its user is the answer itself. */
function keyItself(body: JsonObject): readonly ObservedKey[] | undefined {
  return isObject(held(body, "user")) ? onlyKey(decodeKey(body)) : undefined;
}

function prefixBeside(body: JsonObject, user: JsonObject): readonly ObservedKey[] | undefined {
  const prefix = flatPrefix(body) ?? flatPrefix(user);
  return prefix === undefined ? undefined : [{ prefix }];
}

function wholeKeyBeside(body: JsonObject, user: JsonObject): readonly ObservedKey[] | undefined {
  const names = ["accessKey", "apiKey", "key"];
  const texts = [body, user].flatMap((place) => names.map((name) => held(place, name)));
  const prefix = texts.map(wholeKeyPrefix).find((found) => found !== undefined);
  return prefix === undefined ? undefined : [{ prefix }];
}

function onlyKey(key: ObservedKey | undefined): readonly ObservedKey[] | undefined {
  return key === undefined ? undefined : [key];
}

/** The one key, or the one that is marked or can only be the user's own. */
function ownKey(keys: readonly ObservedKey[]): ObservedKey | undefined {
  if (keys.length === 1) return keys[0];
  return shownOwnKey({ keys }) ?? only(keys.filter(({ isDefault }) => isDefault === true));
}

/** The key of the founded team, told by its team or as the only one that can be. A key that says it has no team is not. */
function teamKey(keys: readonly ObservedKey[], { name, identifier }: FoundedTeam): ObservedKey | undefined {
  const [first] = keys;
  if (keys.length === 1 && first?.team !== "none") return first;
  const wanted = { names: new Set([foldName(name)]), identifier };
  const fits = (degree: "yes" | "unknown") => keys.filter((key) => belongsTo(key, wanted) === degree);
  if (fits("yes").length > 0) return only(fits("yes"));
  const possible = fits("unknown");
  const ofKind = possible.filter(({ kind }) => kind === "team");
  return only(possible) ?? only(ofKind) ?? only(possible.filter(({ isDefault }) => isDefault !== true));
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}
