import { foldName } from "../../model/names.ts";
import { keyBelongsToTeam, shownOwnKey } from "../../model/shown-keys.ts";
import { accountStatus, type ObservedKey } from "../../model/snapshot.ts";
import type { CreateUserResponse } from "../../ports/account-service.ts";
import { held, isObject, type JsonObject } from "./json.ts";
import { decodeKey, decodeKeys, flatPrefix, wholeKeyPrefix } from "./key.ts";

export interface FoundedTeam {
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** Every key that the answer shows, and the new one or the prefixes of those that may be it; `undefined` where no key is shown. */
export function createdKey(
  body: JsonObject,
  user: JsonObject,
  founded: FoundedTeam | undefined,
): Pick<CreateUserResponse, "key" | "ambiguousKeys" | "shownKeys"> | undefined {
  const single = singleKeys(body, user);
  const shownKeys = merged([...(decodeKeys(user) ?? []), ...(decodeKeys(body) ?? []), ...single]);
  if (shownKeys.length === 0) return undefined;
  const isSingle = ({ prefix }: ObservedKey) => single.some((key) => key.prefix === prefix);
  const possible = founded === undefined ? ownKeys(shownKeys) : teamKeys(shownKeys, founded);
  const key = only(possible) ?? marked(possible, founded) ?? only(possible.filter(isSingle));
  if (key !== undefined) return { key, shownKeys };
  return possible.length > 1 ? { ambiguousKeys: possible.map(({ prefix }) => prefix), shownKeys } : { shownKeys };
}

/** Keys that stand by themselves, by exact names only: a key is never searched for in depth. */
function singleKeys(body: JsonObject, user: JsonObject): readonly ObservedKey[] {
  const names = ["accessKey", "apiKey", "key"];
  const named = [body, user].flatMap((place) => names.map((name) => held(place, name)));
  // A key that names its user is the answer itself.
  const itself = isObject(held(body, "user")) ? decodeKey(body) : undefined;
  const prefixes = [flatPrefix(body), flatPrefix(user), ...named.map(wholeKeyPrefix)];
  return [
    ...[...named.map(decodeKey), itself].filter((key) => key !== undefined),
    ...prefixes.flatMap((prefix) => (prefix === undefined ? [] : [{ prefix }])),
  ];
}

/** One key for each prefix, with all that is shown of it in any place; the first place counts. */
function merged(keys: readonly ObservedKey[]): readonly ObservedKey[] {
  const byPrefix = new Map<string, ObservedKey>();
  for (const key of keys) byPrefix.set(key.prefix, { ...key, ...byPrefix.get(key.prefix) });
  return [...byPrefix.values()];
}

function ownKeys(keys: readonly ObservedKey[]): readonly ObservedKey[] {
  return keys.filter(({ team, kind, status }) => {
    const mayBeOwn = (team === undefined || team === "none") && kind !== "team" && kind !== "project";
    return mayBeOwn && accountStatus(status) !== "deleted";
  });
}

/** The keys that say they are the team's, else those that may be. A key that says it has no team is not. */
function teamKeys(keys: readonly ObservedKey[], { name, identifier }: FoundedTeam): readonly ObservedKey[] {
  const wanted = { names: new Set([foldName(name)]), identifier };
  const fitting = (degree: "yes" | "unknown") => keys.filter((key) => keyBelongsToTeam(key, wanted) === degree);
  const sure = fitting("yes");
  return sure.length > 0 ? sure : fitting("unknown");
}

/** Of several that may be it the one that the service marks so. */
function marked(keys: readonly ObservedKey[], founded: FoundedTeam | undefined): ObservedKey | undefined {
  if (founded === undefined) return shownOwnKey({ keys }) ?? only(keys.filter(({ isDefault }) => isDefault === true));
  return only(keys.filter(({ kind }) => kind === "team")) ?? only(keys.filter(({ isDefault }) => isDefault !== true));
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}
