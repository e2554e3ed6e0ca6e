import { asText, held, isObject, type JsonObject } from "./json.ts";

const longest = 500;

/** The service's own words in an error's body, in whichever of the usual places they stand; bounded. */
export function errorMessage(body: unknown): string | undefined {
  const words = isObject(body) ? messageIn(body) : asText(body);
  if (words === undefined) return undefined;
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}

function messageIn(body: JsonObject): string | undefined {
  const error = held(body, "error");
  const errors = held(body, "errors");
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return firstText([
    held(body, "message"),
    held(body, "detail"),
    held(body, "error_description"),
    held(body, "errorMessage"),
    isObject(error) ? held(error, "message", "detail", "description") : error,
    held(body, "title"),
    isObject(first) ? held(first, "message", "detail", "title") : first,
  ]);
}

function firstText(candidates: readonly unknown[]): string | undefined {
  return candidates.map(asText).find((text) => text !== undefined && text.trim() !== "");
}
