import { percentDecoded } from "../http/proxy.ts";
import { SecretIndex } from "../service/redact.ts";
import type { Redaction } from "./error.ts";

/** Texts that no output may show, in whatever spelling. */
export interface Secrets extends Redaction {
  /** From now on this text is taken out of everything that is written. */
  keep(text: string): void;
  /** This text is shown again, such as a key that is made to be shown. */
  show(text: string): void;
  redact(text: string): string;
}

/** Shorter texts stand in too much that is no secret: so short a secret protects nothing. */
const shortestSecret = 8;

/** What has so many characters is looked through once: to remember that costs more than to look through something short twice. */
const large = 100_000;

export function newSecrets(): Secrets {
  const known = new Set<string>();
  /** What was looked through since the last secret was learned, so that nothing large is looked through twice. */
  let clean = new WeakSet<object>();
  let index: SecretIndex | undefined;
  const redactor = () => {
    if (index === undefined) {
      index = new SecretIndex();
      for (const secret of known) index.add(secret);
    }
    return index;
  };
  return {
    keep(text) {
      if (text.length < shortestSecret || known.has(text)) return;
      known.add(text);
      index?.add(text);
      clean = new WeakSet();
    },
    show(text) {
      for (const secret of known) if (text.includes(secret)) known.delete(secret);
      index = undefined;
    },
    redact: (text) => (known.size > 0 ? redactor().redact(text) : text),
    redactAll(value) {
      if (known.size === 0) return value;
      const texts: string[] = [];
      addTexts(value, texts, clean);
      // One behind the other, so that all of them are looked through at once. No secret stands in two of them.
      const whole = texts.join("\n");
      if (redactor().redact(whole) !== whole) return mapTexts(value, redactor().redact);
      if (whole.length < large) return value;
      for (const part of typeof value === "object" && value !== null ? [value, ...Object.values(value)] : [])
        if (typeof part === "object" && part !== null) clean.add(part);
      return value;
    },
  };
}

function addTexts(value: unknown, texts: string[], clean: WeakSet<object>): void {
  if (typeof value === "string") texts.push(value);
  if (typeof value !== "object" || value === null || clean.has(value)) return;
  if (value instanceof Map) for (const key of value.keys()) addTexts(key, texts, clean);
  const isList = Array.isArray(value) || value instanceof Map || value instanceof Set;
  for (const item of isList ? value.values() : Object.values(value)) addTexts(item, texts, clean);
}

/** The same value where no text of it changes. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  // What has the shape of the value before has its type.
  return mapped(value, change) as T;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  let isSame = true;
  const each = (before: unknown) => {
    const after = mapped(before, change);
    isSame &&= after === before;
    return after;
  };
  let after: unknown;
  if (Array.isArray(value)) after = value.map(each);
  else if (value instanceof Map) after = new Map([...value].map(([key, item]) => [each(key), each(item)]));
  else if (value instanceof Set) after = new Set([...value].map(each));
  else after = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, each(item)]));
  return isSame ? value : after;
}

/** A key is `prefix.secret`, of which the prefix may be shown; white space around it comes from files that hold it. */
export function secretsOfKey(text: string): readonly string[] {
  const key = text.trim();
  const dot = key.indexOf(".");
  return dot < 0 ? [key] : [key, key.slice(dot + 1)];
}

/** The passwords of an address, as written and as meant. */
export function passwordsIn(address: string): readonly string[] {
  const credentials = /(?<=:\/\/)[^/?#\s]*(?=@)/u.exec(address)?.[0] ?? "";
  const [, ...password] = credentials.split(":");
  const inQuery = [...address.matchAll(/(?<=[?&](?:password|token|secret)=)[^&#\s]+/giu)].map(([value]) => value);
  return [password.join(":"), ...inQuery].flatMap((value) => [value, percentDecoded(value)]);
}
