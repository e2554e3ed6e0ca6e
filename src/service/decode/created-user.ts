import { success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedTeam } from "../../model/snapshot.ts";
import { foldName, keyBelongsToTeam, shownOwnKey } from "../../model/team.ts";
import type { CreateUserResponse } from "../../ports/account-service.ts";
import {
  asText,
  type Decoded,
  describeShape,
  held,
  isObject,
  type JsonObject,
  misreading,
  refusalWithin,
  refused,
} from "./json.ts";
import { decodeKey, decodeKeys, decodeTeam, flatPrefix, publicPart, wholeKeyPrefix } from "./key.ts";
import { addressIn, decodeProfile, userIdentifier } from "./user.ts";

/** A creation's answer, as far as it bears on what was created. */
export interface CreationAnswer {
  readonly status: number;
  /** The header `Location`. */
  readonly location?: string | undefined;
  /** The header `Date`. */
  readonly date?: string | undefined;
  /** `undefined` where the answer is empty; a text where it is one. */
  readonly body: unknown;
}

/**
 * What a creation's answer tells. `founded`: the name of the team that the creation asked for. Any answer of success means that the user
 * was created, however little it tells, unless it says otherwise.
 */
export function decodeCreatedUser(answer: CreationAnswer, founded: string | undefined): Decoded<CreateUserResponse> {
  const refusal = refusalWithin(answer.body);
  if (refusal !== undefined) return refused(refusal);
  const located = locatedUser(answer.location);
  const bare = { profile: {}, ...(located === undefined ? {} : { identifier: located }) } as const;
  if (isEmptyAnswer(answer.body)) return success(bare);
  const text = asText(answer.body);
  // What a service takes for later it may name by a word that looks like a key.
  if (text !== undefined) return success({ ...bare, ...(answer.status === 202 ? {} : prefixIn(text)) });
  const body = unwrapped(answer.body);
  if (body === undefined) return misreading(`expected a created user, but got ${describeShape(answer.body)}`);
  return success(createdIn(body, { answer, located, founded }));
}

function isEmptyAnswer(body: unknown): boolean {
  return body === undefined || body === null || body === true || (Array.isArray(body) && body.length === 0);
}

/** Whether an answer shows the created user: an answer that takes a call for later (202) may show its own record. */
export function showsCreatedUser({ email, shownKeys }: CreateUserResponse): boolean {
  return email !== undefined || shownKeys !== undefined;
}

function createdIn(
  body: JsonObject,
  asked: {
    readonly answer: CreationAnswer;
    readonly located: string | undefined;
    readonly founded: string | undefined;
  },
): CreateUserResponse {
  const { answer, located, founded } = asked;
  const user = userIn(body);
  const shownTeam = teamOf(decodeTeam(body)) ?? teamOf(decodeTeam(user));
  const key = createdKey(
    body,
    user,
    founded === undefined ? undefined : { name: founded, identifier: shownTeam?.identifier },
  );
  const identifier = userIdentifier(user) ?? located;
  const email = addressIn(user);
  const age = ageOf(answer, user);
  const team = shownTeam ?? teamOf(key?.key?.team);
  return {
    profile: decodeProfile(user),
    ...definedFields({ identifier, email, age, team }),
    ...key,
  };
}

/** The body itself, or what its envelope holds; a list of one is that one. */
function unwrapped(whole: unknown): JsonObject | undefined {
  const body = onlyOne(whole);
  if (!isObject(body)) return undefined;
  const inner = onlyOne(held(body, "data", "result", "content"));
  const isEnvelope = isObject(inner) && userIdentifier(body) === undefined && addressIn(body) === undefined;
  return isEnvelope ? inner : body;
}

function onlyOne(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function userIn(body: JsonObject): JsonObject {
  const user = held(body, "user");
  return isObject(user) ? user : body;
}

function teamOf(team: ObservedTeam | "none" | undefined): ObservedTeam | undefined {
  return team === "none" ? undefined : team;
}

/** `/api/accounting/accounts/acc-1/users/u-9` names the user u-9. */
function locatedUser(location: string | undefined): string | undefined {
  const segment = /\/users\/([^/?#]+)\/?(?:[?#]|$)/u.exec(location ?? "")?.[1];
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** A prefix or a whole key in plain text. A mere word, such as OK, is none. */
function prefixIn(text: string): Pick<CreateUserResponse, "key" | "shownKeys"> {
  const token = text.trim();
  const looksLikeKey = /^[\w~-]+(?:\.[\w~+/=-]+)?$/u.test(token) && (/\d/u.test(token) || token.length >= 16);
  const prefix = looksLikeKey ? publicPart(token) : undefined;
  return prefix === undefined ? {} : { key: { prefix }, shownKeys: [{ prefix }] };
}

/** A time without a zone may be of any; a service's own clock is compared with itself. */
function ageOf({ date }: CreationAnswer, user: JsonObject): number | undefined {
  const created = (asText(held(user, "createdAt")) ?? "").trim();
  if (!/\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|GMT|[+-]\d{2}:?\d{2})$/iu.test(created)) return undefined;
  const age = Date.parse(date ?? "") - Date.parse(created);
  return Number.isNaN(age) ? undefined : age;
}

interface FoundedTeam {
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** Every key that the answer shows, and the new one or the prefixes of those that may be it; `undefined` where no key is shown. */
function createdKey(
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
