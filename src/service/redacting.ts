/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

const mark = "[redacted]";

/** Shorter ones are looked for just as they are written: their other spellings would stand in too much that is no secret. */
const shortestOfManySpellings = 8;

export interface Redacting {
  readonly redact: Redact;
  /** False only where a text surely holds none of them; takes a fraction of the time. */
  readonly mayHold: (text: string) => boolean;
}

/**
 * Takes these texts out of others, in whatever spelling they stand there: within JSON, percent-encoded (also as forms
 * do it), in Base64 wherever in a longer text they stand, and all but Base64 in any letter case.
 */
export function redacting(secrets: readonly string[]): Redacting {
  const given = [...new Set(secrets)].filter((secret) => secret !== "");
  const long = given.filter((secret) => secret.length >= shortestOfManySpellings);
  const short = given.filter((secret) => secret.length < shortestOfManySpellings);
  const steps = [
    ...takingOut(long.flatMap(writtenSpellings), "giu"),
    ...takingOut([...short.flatMap(writtenSpellings), ...long.flatMap(base64Spellings)], "gu"),
  ];
  return {
    redact: (text) => steps.reduce((shown, { redact, mayHold }) => (mayHold(shown) ? redact(shown) : shown), text),
    mayHold: (text) => steps.some(({ mayHold }) => mayHold(text)),
  };
}

/** Of spellings within one another, the longest is taken out. */
function takingOut(spellings: readonly string[], flags: "giu" | "gu"): readonly Redacting[] {
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  const shortest = longestFirst.at(-1)?.length;
  if (shortest === undefined) return [];
  const pattern = new RegExp(longestFirst.map(escaped).join("|"), flags);
  const asSought = (text: string) => (flags === "giu" ? text.toLowerCase() : text);
  const sought = [...new Set(longestFirst.map(asSought))];
  const mayHold = (text: string) => {
    if (text.length < shortest) return false;
    const lookedAt = asSought(text);
    return sought.some((spelling) => lookedAt.includes(spelling));
  };
  return [{ mayHold, redact: (text) => text.replace(pattern, mark) }];
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}

function writtenSpellings(secret: string): readonly string[] {
  const whole = secret.replace(/\p{Cs}/gu, "\u{FFFD}");
  const percent = encodeURIComponent(whole);
  const lower = percent.replace(/%[0-9A-F]{2}/gu, (hexadecimal) => hexadecimal.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), percent, lower, percent.replaceAll("%20", "+")];
}

function base64Spellings(secret: string): readonly string[] {
  return [0, 1, 2].flatMap((shift) => base64Within(secret, shift));
}

/** What of the Base64 of a longer text does not depend on what stands before (so many bytes, counted in threes) and after. */
function base64Within(secret: string, shift: number): readonly string[] {
  const bytes = Buffer.from(secret);
  const whole = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString("base64")
    .replace(/=+$/u, "");
  const inner = whole.slice(Math.ceil((shift * 4) / 3), Math.floor(((shift + bytes.length) * 4) / 3));
  return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
}
