import { success } from "../../model/result.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { CreateUserResponse } from "../../ports/account-service.ts";
import { createdKey } from "./created-key.ts";
import { asText, type Decoded, describeShape, held, isObject, type JsonObject, misreading, refused } from "./json.ts";
import { publicPart } from "./key.ts";
import { refusalWithin } from "./refusal.ts";
import { decodeTeam } from "./team.ts";
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
  if (tellsNothing(answer.body)) return success(bare);
  const text = asText(answer.body);
  // What a service takes for later it may name by a word that looks like a key.
  if (text !== undefined) return success({ ...bare, ...(answer.status === 202 ? {} : prefixIn(text)) });
  const body = unwrapped(answer.body);
  if (body === undefined) return misreading(`a created user was expected, and ${describeShape(answer.body)} came`);
  return success(createdIn(body, { answer, located, founded }));
}

function tellsNothing(body: unknown): boolean {
  return body === undefined || body === null || body === true || (Array.isArray(body) && body.length === 0);
}

/** Whether an answer shows the user whom the service has created: an answer that takes a call for later (202) may show its own record. */
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
    ...(identifier === undefined ? {} : { identifier }),
    ...(email === undefined ? {} : { email }),
    ...(age === undefined ? {} : { age }),
    ...(team === undefined ? {} : { team }),
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
