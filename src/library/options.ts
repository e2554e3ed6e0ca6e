import { isAbsolute } from "node:path";
import { closestMatch } from "../model/address.ts";
import { isObject } from "../model/json.ts";
import { isDate } from "../model/roster.ts";
import { invalidSetting } from "./error.ts";

/** What an option must be, as the end of a sentence, and whether a value is. A program in plain JavaScript may pass anything. */
export interface OptionCheck {
  readonly wants: string;
  readonly takes: (value: unknown) => boolean;
  readonly required?: true;
}

/** What each option must be: one that is forgotten does not compile. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck };

/** Throws where the options of a function are wrong: none is passed over. */
export function checkOptions(of: string, checks: Readonly<Record<string, OptionCheck>>, options: unknown): void {
  if (!isObject(options)) throw invalidSetting("bad-option", `The options of \`${of}\` must be an object.`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined) {
    const near = closestMatch(unknown, Object.keys(checks));
    throw invalidSetting("bad-option", `\`${of}\` has no option \`${unknown}\`.`, near && `Did you mean \`${near}\`?`);
  }
  const wrong = Object.entries(checks).find(([name, check]) => !isTaken(options[name], check));
  if (wrong === undefined) return;
  const [name, { wants }] = wrong;
  throw invalidSetting("bad-option", `The option \`${name}\` of \`${of}\` must be ${wants}.`);
}

function isTaken(value: unknown, { takes, required }: OptionCheck): boolean {
  return value === undefined ? required !== true : takes(value);
}

/** How many calls a service is sent at once. */
export const parallelismRange = { least: 1, most: 64, usual: 10 };

const text: OptionCheck = { wants: "a text", takes: (value) => typeof value === "string" };
const isWhole = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isShare = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;

function listOf(item: OptionCheck, wants: string): OptionCheck {
  return { wants, takes: (value) => Array.isArray(value) && value.every((one) => item.takes(one)) };
}

function withFunctions(functions: readonly string[], wants: string): OptionCheck {
  return { wants, takes: (value) => isObject(value) && functions.every((name) => typeof value[name] === "function") };
}

/** What options can be. */
export const is = {
  text,
  texts: listOf(text, "a list of texts"),
  directory: {
    wants: "an absolute path",
    takes: (value: unknown) => typeof value === "string" && isAbsolute(value),
  },
  flag: { wants: "`true` or `false`", takes: (value: unknown) => typeof value === "boolean" },
  function: { wants: "a function", takes: (value: unknown) => typeof value === "function" },
  count: { wants: "a whole number from 0 on", takes: isWhole },
  share: { wants: "a number from 0 to 1", takes: isShare },
  time: {
    wants: "a time with an offset, such as `2026-11-20T09:00:00Z`",
    takes: (value: unknown) =>
      typeof value === "string" && /T.*(?:Z|[+-]\d\d:\d\d)$/u.test(value) && !Number.isNaN(Date.parse(value)),
  },
  day: { wants: "a day, such as `2026-11-20`", takes: (value: unknown) => typeof value === "string" && isDate(value) },
  signal: { wants: "an `AbortSignal`", takes: (value: unknown) => value instanceof AbortSignal },
  clock: withFunctions(["now", "wait"], "a clock with `now` and `wait`"),
  randomness: withFunctions(["fraction", "identifier"], "an object with `fraction` and `identifier`"),
  listOf,
  recordOf: (item: OptionCheck, wants: string): OptionCheck => ({
    wants,
    takes: (value) => isObject(value) && Object.values(value).every((one) => one === undefined || item.takes(one)),
  }),
  oneOf: (...words: readonly string[]): OptionCheck => ({
    wants: words.map((word) => `\`"${word}"\``).join(" or "),
    takes: (value) => words.some((word) => word === value),
  }),
  either: (one: OptionCheck, other: OptionCheck): OptionCheck => ({
    wants: `${one.wants}, or ${other.wants}`,
    takes: (value) => one.takes(value) || other.takes(value),
  }),
  /** An object with these fields and no others. */
  shape: (checks: Readonly<Record<string, OptionCheck>>, wants?: string): OptionCheck => ({
    wants: wants ?? `an object with ${Object.keys(checks).join(", ")}`,
    takes: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => Object.hasOwn(checks, name)) &&
      Object.entries(checks).every(([name, check]) => isTaken(value[name], check)),
  }),
  /** What another function of the library has given. */
  givenBy: (name: string, field: string): OptionCheck => ({
    wants: `what \`${name}\` gives`,
    takes: (value) => isObject(value) && isObject(value[field]),
  }),
  required: (check: OptionCheck): OptionCheck => ({ ...check, required: true }),
};
