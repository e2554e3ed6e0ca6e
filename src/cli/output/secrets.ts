import { serialize } from "node:v8";
import { percentDecoded } from "../../network/proxy.ts";
import { redacting } from "../../service/redact.ts";

/** Texts that no output may show, in whatever spelling. */
export interface Secrets {
  /** From now on this text is taken out of everything that is written. */
  keep(text: string): void;
  /** This text is shown again, such as a key that is made to be shown. */
  show(text: string): void;
  /** The text without them. */
  redact(text: string): string;
  /** A value of which every text is without them; the same value where none holds any. */
  redactAll<T>(value: T): T;
}

/** Shorter texts stand in too much that is no secret: so short a secret protects nothing. */
const shortestSecret = 8;

/** Knows nothing yet. */
export function newSecrets(): Secrets {
  const known = new Set<string>();
  let { redact, mayHold } = redacting([]);
  return {
    keep(text) {
      if (text.length < shortestSecret || known.has(text)) return;
      known.add(text);
      ({ redact, mayHold } = redacting([...known]));
    },
    show(text) {
      for (const secret of known) if (text.includes(secret)) known.delete(secret);
      ({ redact, mayHold } = redacting([...known]));
    },
    redact: (text) => redact(text),
    redactAll: (value) => (known.size > 0 && someTextOf(value, known, mayHold) ? mapTexts(value, redact) : value),
  };
}

/**
 * Whether any text of a value may hold a secret: looked for in all of them at once, as they stand one behind the other when
 * it is serialized. There a text has one byte for each character, or two, of which one is 0 in what is told of secrets here.
 */
function someTextOf(value: unknown, secrets: ReadonlySet<string>, mayHold: (text: string) => boolean): boolean {
  if ([...secrets].some((secret) => /[^ -\u{ff}]/u.test(secret))) return true;
  return mayHold(serialize(value).toString("latin1").replaceAll("\0", ""));
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  // What has the shape of the value before has its type.
  return mapped(value, change) as T;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value))
    return unlessSame(
      value,
      value.map((item) => mapped(item, change)),
    );
  if (value instanceof Map) return mappedMap(value, change);
  if (value instanceof Set) return mappedSet(value, change);
  if (typeof value !== "object" || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [key, mapped(item, change)] as const);
  return after.every(([, item], index) => item === before[index]?.[1]) ? value : Object.fromEntries(after);
}

function mappedSet(set: ReadonlySet<unknown>, change: (text: string) => string): ReadonlySet<unknown> {
  const items = [...set];
  const after = items.map((item) => mapped(item, change));
  return after.every((item, index) => item === items[index]) ? set : new Set(after);
}

function unlessSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}

function mappedMap(
  map: ReadonlyMap<unknown, unknown>,
  change: (text: string) => string,
): ReadonlyMap<unknown, unknown> {
  const entries = [...map];
  const after = entries.map(([key, item]) => [mapped(key, change), mapped(item, change)] as const);
  const isSame = after.every(([key, item], index) => key === entries[index]?.[0] && item === entries[index]?.[1]);
  return isSame ? map : new Map(after);
}

/** Variables whose value is a secret as a whole. */
const secretVariables = [
  "ROSTER_API_KEY",
  "ROSTER_AUDIT_KEY",
  "ROSTER_SNAPSHOT_KEY",
  "ROSTER_WEBHOOK_SECRET",
  "ROSTER_STATE_PASSWORD",
  "PGPASSWORD",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
] as const;

/** Variables whose value is an address, which may hold a password. */
const addressVariables = [
  "ROSTER_STATE",
  "ROSTER_AUDIT",
  "ROSTER_STATE_LOCK_ADDRESS",
  "ROSTER_STATE_UNLOCK_ADDRESS",
  "ROSTER_ENDPOINT",
  "ROSTER_WEBHOOK",
  "AWS_ENDPOINT_URL",
  "AWS_ENDPOINT_URL_S3",
  "https_proxy",
  "HTTPS_PROXY",
] as const;

/** What a command line and its environment hold that no output may show. */
export function givenSecrets(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const addresses = [...argv, ...addressVariables.map((name) => env[name] ?? "")];
  return [...secretVariables.flatMap((name) => secretsOfKey(env[name] ?? "")), ...addresses.flatMap(passwordsIn)];
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
