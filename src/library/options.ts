import { closestMatch } from "../model/address.ts";
import { isDate } from "../model/roster.ts";
import { invalidSetting } from "./error.ts";

/** What an option must be, as the end of a sentence, and whether a value is. A program in plain JavaScript may pass anything. @internal */
export interface OptionCheck {
  readonly wants: string;
  readonly takes: (value: unknown) => boolean;
  readonly required?: true;
}

/** What each option must be: one that is forgotten does not compile. @internal */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck };

/** Throws where the options of a function are wrong: none is passed over. @internal */
export function checkOptions(of: string, checks: Readonly<Record<string, OptionCheck>>, options: unknown): void {
  if (!isObject(options)) throw invalidSetting("bad-option", `The options of \`${of}\` must be an object.`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const near = closestMatch(unknown, Object.keys(checks));
    const hint = near === undefined ? undefined : `Did you mean \`${near}\`?`;
    throw invalidSetting("bad-option", `\`${of}\` has no option \`${unknown}\`.`, hint);
  }
  const wrong = Object.entries(checks).find(([name, check]) => !isTaken(options[name], check));
  if (wrong === undefined) return;
  const [name, { wants }] = wrong;
  throw invalidSetting("bad-option", `The option \`${name}\` of \`${of}\` must be ${wants}.`);
}

function isTaken(value: unknown, { takes, required }: OptionCheck): boolean {
  return value === undefined ? required !== true : takes(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @internal */
export function required(check: OptionCheck): OptionCheck {
  return { ...check, required: true };
}

/** @internal */
export const aText: OptionCheck = { wants: "a text", takes: (value) => typeof value === "string" };

/** @internal */
export const aFlag: OptionCheck = { wants: "`true` or `false`", takes: (value) => typeof value === "boolean" };

/** @internal */
export const aFunction: OptionCheck = { wants: "a function", takes: (value) => typeof value === "function" };

/** @internal */
export const aCount: OptionCheck = {
  wants: "a whole number from 0 on",
  takes: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};

/** @internal */
export const aShare: OptionCheck = {
  wants: "a number from 0 to 1",
  takes: (value) => typeof value === "number" && value >= 0 && value <= 1,
};

/** @internal */
export const aDay: OptionCheck = {
  wants: "a day, such as `2026-11-20`",
  takes: (value) => typeof value === "string" && isDate(value),
};

/** @internal */
export const aSignal: OptionCheck = {
  wants: "an `AbortSignal`",
  takes: (value) =>
    isObject(value) && typeof value["aborted"] === "boolean" && typeof value["addEventListener"] === "function",
};

/** @internal */
export const texts = listOf(aText, "a list of texts");

/** @internal */
export function listOf(item: OptionCheck, wants: string): OptionCheck {
  return { wants, takes: (value) => Array.isArray(value) && value.every((one) => item.takes(one)) };
}

/** @internal */
export function recordOf(item: OptionCheck, wants: string): OptionCheck {
  return {
    wants,
    takes: (value) => isObject(value) && Object.values(value).every((one) => one === undefined || item.takes(one)),
  };
}

/** @internal */
export function oneOf(...words: readonly string[]): OptionCheck {
  return {
    wants: words.map((word) => `\`"${word}"\``).join(" or "),
    takes: (value) => words.some((word) => word === value),
  };
}

/** @internal */
export function either(one: OptionCheck, other: OptionCheck): OptionCheck {
  return { wants: `${one.wants}, or ${other.wants}`, takes: (value) => one.takes(value) || other.takes(value) };
}

/** An object with these fields and no others. @internal */
export function shapeOf(checks: Readonly<Record<string, OptionCheck>>, wants?: string): OptionCheck {
  const names = Object.keys(checks).map((name) => `\`${name}\``);
  return {
    wants: wants ?? `an object with ${names.join(", ")}`,
    takes: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
      Object.entries(checks).every(([name, check]) => isTaken(value[name], check)),
  };
}

/** What another function of the library has given. @internal */
export function givenBy(name: string, field: string): OptionCheck {
  return required({ wants: `what \`${name}\` gives`, takes: (value) => isObject(value) && isObject(value[field]) });
}

const clock = shapeWith(["now", "wait"], "a clock with `now` and `wait`");
const randomness = shapeWith(["fraction", "identifier"], "an object with `fraction` and `identifier`");

function shapeWith(functions: readonly string[], wants: string): OptionCheck {
  return { wants, takes: (value) => isObject(value) && functions.every((name) => typeof value[name] === "function") };
}

/** @internal */
export const systemChecks = { clock, randomness };
