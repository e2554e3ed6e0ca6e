import { problem, type Result, success } from "../../model/result.ts";
import { excerpt } from "../excerpt.ts";
import { withoutSecrets } from "../redact.ts";
import type { BodyRefusal } from "./refusal.ts";

/** A JSON object as it came. Read it with the functions of this file alone, which see own properties only. */
export interface JsonObject {
  readonly [name: string]: unknown;
}

/** Why a body is not what its route answers: names and kinds of what was seen, never its values. */
export interface Misreading {
  readonly why: string;
  /** The body is no answer of the route but says that the call failed. */
  readonly refused?: BodyRefusal;
}

export type Decoded<T> = Result<T, Misreading>;

export function misreading(why: string): { readonly ok: false; readonly error: Misreading } {
  return problem({ why });
}

/** Instead of whatever was expected, the body says that the call failed. */
export function refused(refusal: BodyRefusal): { readonly ok: false; readonly error: Misreading } {
  return problem({ why: "it says that the call failed", refused: refusal });
}

export function parseJson(text: string): Result<unknown, "not-json"> {
  try {
    return success(JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text));
  } catch {
    return problem("not-json");
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of the named properties that is there, null included. */
export function shown(object: JsonObject, ...names: readonly string[]): unknown {
  const name = names.find((candidate) => Object.hasOwn(object, candidate));
  return name === undefined ? undefined : object[name];
}

/** The first of the named properties that holds a value. */
export function held(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** A text, or a number as a service may write an identifier. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  return asText(held(object, ...names));
}

/** A whole number too large to be exact is not a text: it would name somebody else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** A text that is not empty: an empty identifier names nothing. */
export function identifierOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  const text = textOf(object, ...names);
  return text === "" ? undefined : text;
}

/** What was seen in place of what was expected, without any value. */
export function describeShape(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (!isObject(value)) return `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return "an object without keys";
  const more = names.length > 12 ? ` and ${names.length - 12} more` : "";
  const listed = names.slice(0, 12).map((name) => excerpt(name, 40, withoutSecrets));
  return `an object with the keys ${listed.join(", ")}${more}`;
}
