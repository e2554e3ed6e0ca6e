import { definedFields } from "../../model/collections.ts";
import type { Failure } from "../../model/failure.ts";
import {
  isDeleted,
  keyBelongsToTeam,
  kindWords,
  type ObservedKey,
  shownOwnKey,
  withClearKind,
} from "../../model/key.ts";
import { success } from "../../model/result.ts";
import { foldName, type ObservedTeam } from "../../model/team.ts";
import type { AddMemberResult, AddMembersResponse, CreateUserResponse } from "../port.ts";
import {
  asText,
  type Decoded,
  decodeList,
  decodeRows,
  describeShape,
  errorMessage,
  failureStatus,
  held,
  isObject,
  type JsonObject,
  misreading,
  onlyOne,
  refusalIn,
  refusalWithin,
  refused,
  saysFailure,
} from "./json.ts";
import {
  addressIn,
  decodeKey,
  decodeKeys,
  decodeProfile,
  decodeTeam,
  flatPrefix,
  publicPart,
  teamIn,
  userIdentifier,
  wholeKeyPrefix,
} from "./observed.ts";

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
 * What a creation's answer tells (trap 27). `createdTeam`: the name of the team that the creation asked for. Any answer of success means that
 * the user was created, however little it tells, unless it says otherwise.
 */
export function decodeCreatedUser(
  answer: CreationAnswer,
  createdTeam: string | undefined,
): Decoded<CreateUserResponse> {
  const refusal = refusalWithin(answer.body);
  if (refusal !== undefined) return refused(refusal);
  const located = locatedUser(answer.location);
  const bare = { profile: {}, ...definedFields({ identifier: located }) };
  if (saysNothing(answer.body)) return success(bare);
  const text = asText(answer.body);
  // What a service takes for later it may name by a word that looks like a key.
  if (text !== undefined) return success({ ...bare, ...(answer.status === 202 ? {} : prefixIn(text)) });
  const body = withoutEnvelope(answer.body);
  if (body === undefined) return misreading(`expected a created user, but got ${describeShape(answer.body)}`);
  const named = held(body, "user");
  const user = isObject(named) ? named : body;
  const places = user === body ? [body] : [body, user];
  const team = places.map(decodeTeam).find((one) => one !== undefined && one !== "none");
  const wanted = createdTeam === undefined ? undefined : { name: createdTeam, identifier: team?.identifier };
  const key = createdKey(places, wanted);
  const teamOfKey = key?.key?.team;
  return success({
    profile: decodeProfile(user),
    ...definedFields({
      identifier: userIdentifier(user) ?? located,
      email: addressIn(user),
      age: ageOf(answer, user),
      team: team ?? (teamOfKey === "none" ? undefined : teamOfKey),
    }),
    ...key,
  });
}

/** No body, `null`, `true`, an object without fields, or a list of such. */
function saysNothing(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(saysNothing);
  if (isObject(body)) return Object.keys(body).length === 0;
  return body === undefined || body === null || body === true;
}

/** Whether an answer shows the created user: an answer that takes a call for later (202) may show its own record. */
export function showsCreatedUser({ email, shownKeys }: CreateUserResponse): boolean {
  return email !== undefined || shownKeys !== undefined;
}

/** The body itself, or what its envelope holds; a list of one is that one. */
function withoutEnvelope(whole: unknown): JsonObject | undefined {
  const body = onlyOne(whole);
  if (!isObject(body)) return undefined;
  const inner = onlyOne(held(body, "data", "result", "content"));
  const isEnvelope = isObject(inner) && userIdentifier(body) === undefined && addressIn(body) === undefined;
  return isEnvelope ? inner : body;
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

const creationTimeNames = ["createdAt", "created", "createdDate", "createdOn", "creationDate", "creationTime"] as const;

/** A service's own clock is compared with itself. */
function ageOf({ date }: CreationAnswer, user: JsonObject): number | undefined {
  const times = creationTimeNames.map((name) => timeOf(held(user, name)));
  const created = times.find((time) => time !== undefined);
  const age = created === undefined ? Number.NaN : Date.parse(date ?? "") - created;
  return Number.isNaN(age) ? undefined : age;
}

/** Milliseconds since the epoch. A time without a zone may be of any; a number may be of anything. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const written = value.trim();
  const hasZone = /\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|GMT|[+-]\d{2}:?\d{2})$/iu.test(written);
  return hasZone ? Date.parse(written) : undefined;
}

/** `identifier`: as the answer shows it, if it does. */
type CreatedTeam = { readonly name: string; readonly identifier?: string | undefined };

/** Every key that the answer shows, and the new one or the prefixes of those that may be it (trap 28); `undefined` where no key is shown. */
function createdKey(
  places: readonly JsonObject[],
  createdTeam: CreatedTeam | undefined,
): Pick<CreateUserResponse, "key" | "ambiguousKeys" | "shownKeys"> | undefined {
  const single = singleKeys(places);
  const byPrefix = new Map<string, ObservedKey>();
  // The innermost place counts, with all that is shown of the key in any other.
  for (const key of [...places.toReversed().flatMap((place) => decodeKeys(place) ?? []), ...single])
    byPrefix.set(key.prefix, { ...key, ...byPrefix.get(key.prefix) });
  const shownKeys = [...byPrefix.values()];
  if (shownKeys.length === 0) return undefined;
  const isSingle = ({ prefix }: ObservedKey) => single.some((key) => key.prefix === prefix);
  const possible = createdTeam === undefined ? ownKeys(shownKeys) : teamKeys(shownKeys, createdTeam);
  const key = only(possible) ?? marked(possible, createdTeam) ?? only(possible.filter(isSingle));
  if (key !== undefined) return { key, shownKeys };
  return possible.length > 1 ? { ambiguousKeys: possible.map(({ prefix }) => prefix), shownKeys } : { shownKeys };
}

/** Keys that stand by themselves, by exact names only: a key is never searched for in depth. */
function singleKeys(places: readonly JsonObject[]): readonly ObservedKey[] {
  const names = ["accessKey", "apiKey", "key"];
  const named = places.flatMap((place) => names.map((name) => held(place, name)));
  // A key that names its user is the answer itself.
  const itself = places.length > 1 ? places.slice(0, 1) : [];
  const prefixes = [...places.map(flatPrefix), ...named.map(wholeKeyPrefix)];
  return [
    ...[...named, ...itself].map(decodeKey).filter((key) => key !== undefined),
    ...prefixes.flatMap((prefix) => (prefix === undefined ? [] : [{ prefix }])),
  ];
}

function ownKeys(keys: readonly ObservedKey[]): readonly ObservedKey[] {
  return keys.filter((key) => {
    const { team = "none", kind } = key;
    return team === "none" && kind !== "team" && kind !== "project" && !isDeleted(key);
  });
}

/** The keys that say they are the team's, else those that may be. A key that says it has no team is not. */
function teamKeys(keys: readonly ObservedKey[], { name, identifier }: CreatedTeam): readonly ObservedKey[] {
  const wanted = { names: new Set([foldName(name)]), identifier };
  const words = kindWords([{ keys }]);
  const fitting = (degree: "yes" | "unknown") =>
    keys.filter((key) => keyBelongsToTeam(withClearKind(key, words), wanted) === degree);
  const sure = fitting("yes");
  return sure.length > 0 ? sure : fitting("unknown");
}

/** Of several that may be it the one that the service marks so. */
function marked(keys: readonly ObservedKey[], createdTeam: CreatedTeam | undefined): ObservedKey | undefined {
  if (createdTeam === undefined)
    return shownOwnKey({ keys }) ?? only(keys.filter(({ isDefault }) => isDefault === true));
  return only(keys.filter(({ kind }) => kind === "team")) ?? only(keys.filter(({ isDefault }) => isDefault !== true));
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Whom an answer names as added, or as refused (traps 36 and 37). An answer that names nobody and reports no failure says that the call was done:
 * it contradicts nothing.
 */
export function decodeAddedMembers(body: unknown): Decoded<AddMembersResponse> {
  const partly = isObject(body) ? partialSuccess(body) : undefined;
  const people = partly?.people ?? peopleIn(body);
  if (!people.ok) {
    const within = refusalWithin(body);
    return within === undefined ? people : refused(within);
  }
  const team = isObject(body) ? shownTeamIn(body) : undefined;
  const keys = unnamedKeys(body);
  const listsAdded = partly?.listsAdded === true ? true : undefined;
  return success({
    members: people.value,
    ...definedFields({ team, listsAdded }),
    ...(keys.length === 0 ? {} : { keys }),
  });
}

/** An answer may name the team, or be the team. */
function shownTeamIn(body: JsonObject): ObservedTeam | undefined {
  const record = recordIn(body);
  const named = held(record, "team");
  if (isObject(named)) return teamIn(named);
  // An `id` alone may be the request's.
  const [identifier, name] = [held(record, "identifier"), held(record, "name")];
  const isTeam = Array.isArray(held(record, "members"))
    ? (identifier ?? name) !== undefined
    : identifier !== undefined && name !== undefined && !decodeList(record).ok && addressIn(record) === undefined;
  return isTeam ? teamIn(record) : undefined;
}

function recordIn(body: JsonObject): JsonObject {
  const inner = held(body, "data", "result");
  return isObject(inner) ? inner : body;
}

function peopleIn(body: unknown): Decoded<readonly AddMemberResult[]> {
  const refusal = Array.isArray(body) ? undefined : refusalWithin(body);
  if (refusal !== undefined) return refused(refusal);
  const list = decodeList(body);
  if (list.ok) return addedPeople(list.value.rows);
  if (isObject(body)) return addedPeople([recordIn(body)].filter((one) => nameOf(one)?.email !== undefined));
  // A text of several words may be that of a refusal.
  const isWords = typeof body === "string" && /\s/u.test(body.trim());
  return body === false || isWords ? list : success([]);
}

/** The people whom rows name. A row that names nobody says nothing, unless it reports a failure. */
function addedPeople(rows: readonly unknown[]): Decoded<readonly AddMemberResult[]> {
  return decodeRows(
    rows.filter((row) => !namesNothing(row)),
    addedPerson,
  );
}

function namesNothing(row: unknown): boolean {
  if (!isObject(row)) return saysNothing(row);
  return nameOf(row) === undefined && refusalIn(row) === undefined;
}

/** Keys of rows that name nobody, as where an answer lists the new keys alone. */
function unnamedKeys(body: unknown): readonly ObservedKey[] {
  const list = decodeList(body);
  const rows = list.ok ? list.value.rows.filter(isObject).filter(namesNothing) : [];
  return rows.flatMap((row) => decodeKey(row) ?? keysIn(row)?.shown ?? []);
}

/** What an answer that names people who failed says of all; `undefined` where it is not of such a shape. */
function partialSuccess(body: JsonObject) {
  const [failures, successes] = [held(body, "failures", "failed"), held(body, "successes", "succeeded", "added")];
  if (Array.isArray(failures) || Array.isArray(successes))
    return { people: together(listed(successes), listed(failures)), listsAdded: Array.isArray(successes) };
  // A list of errors next to the members, if those are shown.
  const errors = held(body, "errors");
  if (Array.isArray(errors) && errors.length > 0) {
    const list = decodeList(Object.fromEntries(Object.entries(body).filter(([name]) => name !== "errors")));
    return { people: together(list.ok ? list.value.rows : [], errors), listsAdded: list.ok };
  }
  // `{"status":"error","message":{"u-8":["not found"]}}`
  const messages = held(body, "message", "errors");
  const entries = isObject(messages) ? Object.entries(messages) : [];
  if (asText(held(body, "status"))?.toLowerCase() !== "error" || entries.length === 0) return undefined;
  const failed = entries.map(([identifier, words]) => {
    const [first]: readonly unknown[] = Array.isArray(words) ? words : [asText(words) ?? errorMessage(words)];
    return { identifier, detail: first };
  });
  return { people: decodeRows(failed, failedPerson), listsAdded: false };
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function together(successes: readonly unknown[], failures: readonly unknown[]): Decoded<readonly AddMemberResult[]> {
  const added = addedPeople(successes);
  const failed = decodeRows(failures, failedPerson);
  if (!added.ok) return added;
  return failed.ok
    ? success([...added.value, ...failed.value])
    : misreading(`a person was not added: ${failed.error.why}`);
}

/** One person as an answer to an addition names one: added, unless an error stands next to the name. */
function addedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value);
  if (name === undefined) return misreading(`expected a member with an identifier, but got ${describeShape(value)}`);
  if (!isObject(value)) return success(name);
  const status = failureStatus(value);
  if (status !== undefined || saysFailure(value)) return success({ ...name, failure: failureOf(value, status) });
  const keys = keysIn(value);
  return success({ ...name, ...(keys === undefined ? {} : { keys }) });
}

/** One person who was not added, by the very place where they are named. */
function failedPerson(value: unknown): Decoded<AddMemberResult> {
  const name = nameOf(value) ?? (isObject(value) ? nameOf(held(value, "user", "member", "identifier")) : undefined);
  if (name === undefined) return misreading(`${describeShape(value)} does not name the person`);
  const record = isObject(value) ? value : {};
  return success({ ...name, failure: failureOf(record, failureStatus(record)) });
}

type Name = Pick<AddMemberResult, "identifier" | "email">;

function nameOf(value: unknown): Name | undefined {
  const user = isObject(value) ? held(value, "user") : undefined;
  const record = isObject(user) ? user : value;
  const identifier = isObject(record) ? userIdentifier(record) : asText(record) || undefined;
  const email = isObject(record) ? addressIn(record) : undefined;
  if (identifier === undefined && email === undefined) return undefined;
  return definedFields({ identifier, email });
}

function keysIn(person: JsonObject): AddMemberResult["keys"] {
  const named = decodeKey(held(person, "accessKey", "key", "apiKey"));
  if (named !== undefined) return { are: "named", shown: [named] };
  const keys = decodeKeys(person);
  if (keys !== undefined) return { are: "listed", shown: keys };
  const prefix = flatPrefix(person);
  if (prefix === undefined) return undefined;
  const team = decodeTeam(person);
  // A person without a team says nothing about the key next to it.
  return { are: "named", shown: [team === undefined || team === "none" ? { prefix } : { prefix, team }] };
}

function failureOf(person: JsonObject, status: number | undefined): Failure {
  const serviceSays = errorMessage(person);
  return {
    code: status === 404 ? "not-found" : status === 409 ? "conflict" : "refused",
    message: `The service did not add this member${status === undefined ? "" : ` (${status})`}`,
    ...definedFields({ status, serviceSays }),
  };
}
