import { percentDecoded } from "../http/proxy.ts";
import { SecretIndex } from "../service/secrets.ts";
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

export function newSecrets(): Secrets {
  const known = new Set<string>();
  /** What was looked through since the last secret was learned. */
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
      // What has the shape of the value before has its type.
      return mapped(value, redactor().redact, clean) as typeof value;
    },
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** To look at shorter lists again takes less time than to remember them. */
const shortestRemembered = 16;

/** The same value where no text of it changes. Lists of which nothing changes are remembered: a plan is looked at by many. */
function mapped(value: unknown, change: (text: string) => string, clean: WeakSet<object>): unknown {
  if (typeof value === "string") return change(value);
  if (!isObject(value) || clean.has(value)) return value;
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [...value];
    if (items.some((item) => mapped(item, change, clean) !== item)) {
      const after = items.map((item) => mapped(item, change, clean));
      if (value instanceof Map) return new Map(after as [unknown, unknown][]);
      return value instanceof Set ? new Set(after) : after;
    }
    if (items.length >= shortestRemembered) clean.add(value);
    return value;
  }
  // Copied only where something changes: that takes longer than to look.
  for (const key in value) {
    if (mapped(value[key], change, clean) !== value[key])
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item, change, clean)]));
  }
  return value;
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
