import { asText, held, isObject, type JsonObject } from "./json.ts";

/** A next page that an answer names. It is a hint: never followed, and never the only reason to stop. */
export interface NextPage {
  /** Its number, where the hint tells one. */
  readonly page?: number;
}

const nextNames = ["next", "nextPage", "next_page"];
const linkPlaces = ["links", "_links", "paging", "pagination", "meta"];
const moreNames = ["hasNext", "hasMore", "has_next", "has_more"];

/** The next page that the body of a list names. */
export function nextPageIn(body: JsonObject): NextPage | undefined {
  const places = [body, ...linkPlaces.map((name) => held(body, name))].filter(isObject);
  const named = places
    .map((place) => held(place, ...nextNames))
    .find((value) => value !== undefined && value !== false);
  if (named !== undefined) return namedPage(isObject(named) ? held(named, "href", "url") : named);
  const goesOn = places.some((place) => moreNames.some((name) => held(place, name) === true));
  return goesOn || held(body, "last") === false ? {} : undefined;
}

/** The next page that a `Link` header names. */
export function nextPageInHeader(link: string | undefined): NextPage | undefined {
  const named = (link ?? "").split(/,(?=\s*<)/u).find((part) => /;\s*rel="?[^";]*\bnext\b/iu.test(part));
  return named === undefined ? undefined : namedPage(/<([^>]*)>/u.exec(named)?.[1]);
}

function namedPage(value: unknown): NextPage | undefined {
  const text = asText(value);
  if (text === undefined || text === "") return undefined;
  const number = /^\d{1,9}$/u.test(text) ? text : /[?&]page=(\d{1,9})(?:&|#|$)/u.exec(text)?.[1];
  return number === undefined ? {} : { page: Number(number) };
}
