/** Texts that no output may show, in whatever spelling. */
export interface Secrets {
  /** From now on this text is taken out of everything that is written. */
  keep(text: string): void;
  /** The text without them. */
  redact(text: string): string;
  /** A value of which every text is without them; the same value where none holds any. */
  redactAll<T>(value: T): T;
}

/** Shorter texts stand in too much that is no secret: whoever has such a secret has none. */
export const shortestSecret = 8;

const mark = "[redacted]";

/** Knows nothing yet. */
export function newSecrets(): Secrets {
  const known = new Set<string>();
  let longestFirst: readonly string[] = [];
  const redact = (text: string) =>
    longestFirst.reduce(
      (shown, spelling) => (shown.includes(spelling) ? shown.replaceAll(spelling, mark) : shown),
      text,
    );
  return {
    keep(text) {
      if (text.length < shortestSecret) return;
      for (const spelling of spellingsOf(text)) known.add(spelling);
      longestFirst = [...known].sort((a, b) => b.length - a.length);
    },
    redact,
    redactAll: (value) => (longestFirst.length === 0 ? value : mapTexts(value, redact)),
  };
}

/** As it is, within JSON, percent-encoded (also as forms do it), and in Base64 wherever in a longer text it stands. */
function spellingsOf(text: string): readonly string[] {
  const percent = encodeURIComponent(text.replace(/\p{Cs}/gu, "\u{FFFD}"));
  const lower = percent.replace(/%[0-9A-F]{2}/gu, (hexadecimal) => hexadecimal.toLowerCase());
  const spellings = [text, JSON.stringify(text).slice(1, -1), percent, lower, percent.replaceAll("%20", "+")];
  return [...spellings, ...[0, 1, 2].flatMap((shift) => base64Within(text, shift))];
}

/** What of the Base64 of a longer text does not depend on what stands before (so many bytes, counted in threes) and after. */
function base64Within(text: string, shift: number): readonly string[] {
  const bytes = Buffer.from(text);
  const whole = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/u, "");
  const inner = whole.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
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
