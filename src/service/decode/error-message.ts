import { asText, held, isObject, type JsonObject } from "./json.ts";

/** They are cut to what is shown only once they are without secrets. */
const longest = 16_384;

/** The service's own words in an error's body, in whichever of the usual places they stand. */
export function errorMessage(body: unknown): string | undefined {
  const words = isObject(body) ? messageIn(body) : asText(body);
  return words?.slice(0, longest);
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
