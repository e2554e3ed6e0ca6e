import { success } from "../../model/result.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { CreatedUser } from "../../ports/account-service.ts";
import { createdKey } from "./created-key.ts";
import { asText, type Decoded, describeShape, held, isObject, type JsonObject, misreading, refused } from "./json.ts";
import { decodeTeam, publicPart } from "./key.ts";
import { refusalIn } from "./refusal.ts";
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

/** What a creation's answer tells. `founded`: the name of the team that the creation asked for. An empty answer tells little. */
export function decodeCreatedUser(answer: CreationAnswer, founded: string | undefined): Decoded<CreatedUser> {
  const refusal = refusalIn(answer.body);
  if (refusal !== undefined) return refused(refusal);
  const located = locatedUser(answer.location);
  const bare = { was: "created", profile: {}, ...(located === undefined ? {} : { identifier: located }) } as const;
  if (answer.body === undefined || answer.body === null) {
    const tells = answer.status !== 200 || located !== undefined;
    return tells ? success(bare) : misreading("a created user was expected, and nothing came");
  }
  const text = asText(answer.body);
  if (text !== undefined) return success({ ...bare, ...prefixIn(text) });
  const body = unwrapped(answer.body);
  return body === undefined
    ? misreading(`a created user was expected, and ${describeShape(answer.body)} came`)
    : createdIn(body, { answer, located, founded });
}

function createdIn(
  body: JsonObject,
  asked: {
    readonly answer: CreationAnswer;
    readonly located: string | undefined;
    readonly founded: string | undefined;
  },
): Decoded<CreatedUser> {
  const { answer, located, founded } = asked;
  const user = userIn(body);
  const shownTeam = decodeTeam(held(body, "team") ?? held(user, "team"));
  const key = createdKey(
    body,
    user,
    founded === undefined ? undefined : { name: founded, identifier: shownTeam?.identifier },
  );
  const shown = userIdentifier(user);
  if (shown === undefined && key === undefined && addressIn(user) === undefined) {
    return misreading(`a created user was expected, and ${describeShape(answer.body)} came`);
  }
  const identifier = shown ?? located;
  const team = founded === undefined ? undefined : (shownTeam ?? teamOf(key?.key?.team));
  return success({
    was: isThereBefore(answer, user) ? "there-before" : "created",
    profile: decodeProfile(user),
    ...(identifier === undefined ? {} : { identifier }),
    ...(team === undefined ? {} : { team }),
    ...key,
  });
}

/** The body itself, or what its envelope holds. */
function unwrapped(body: unknown): JsonObject | undefined {
  if (!isObject(body)) return undefined;
  const inner = held(body, "data", "result", "content");
  const isEnvelope = isObject(inner) && userIdentifier(body) === undefined && addressIn(body) === undefined;
  return isEnvelope ? inner : body;
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
function prefixIn(text: string): Pick<CreatedUser, "key"> {
  const token = text.trim();
  const looksLikeKey = /^[\w~-]+(?:\.[\w~+/=-]+)?$/u.test(token) && (/\d/u.test(token) || token.length >= 16);
  const prefix = looksLikeKey ? publicPart(token) : undefined;
  return prefix === undefined ? {} : { key: { prefix } };
}

const aMinute = 60_000;

/** 200 in place of 201 tells of somebody who was there, unless the answer says that they came into being just now. */
function isThereBefore({ status, date }: CreationAnswer, user: JsonObject): boolean {
  if (status !== 200) return false;
  const created = held(user, "createdAt");
  const createdAt = typeof created === "number" ? created : Date.parse(asText(created) ?? "");
  const answeredAt = Date.parse(date ?? "");
  return !(answeredAt - createdAt < aMinute);
}
