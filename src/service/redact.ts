import type { Failure } from "../model/result.ts";

const shortestSecret = 4;

/** The longest quote of the service's own words, in characters. */
const longestWords = 500;

/**
 * Takes a key out of a text: whole, its secret part alone, or 8 characters and more of that, since a service may quote
 * a part and every text may be cut. A key is `prefix.secret`; the prefix may be shown. A key without a dot is secret as a whole.
 */
export function redactorFor(key: string): Redact {
  const dot = key.indexOf(".");
  const secret = dot < 0 ? key : key.slice(dot + 1);
  const { redact } = redacting([key, secret].filter((value) => value.length >= shortestSecret));
  const redactPieces = redactingPieces(secret);
  return (text) => redactPieces(redact(text));
}

/** The service's words are cut here, where no secret is in them any more. */
export function redactFailure(failure: Failure, redact: Redact): Failure {
  const { message, request, serviceSays, hint } = failure;
  return {
    ...failure,
    message: redact(message),
    ...(request === undefined ? {} : { request: redact(request) }),
    ...(serviceSays === undefined ? {} : { serviceSays: shortened(redact(serviceSays)) }),
    ...(hint === undefined ? {} : { hint: redact(hint) }),
  };
}

function shortened(words: string): string {
  return words.length > longestWords ? `${words.slice(0, longestWords)}…` : words;
}

/** Cuts whatever looks like a whole key, `prefix.secret`, after its prefix: keys that are not ours are not known by their text. */
export function withoutSecrets(text: string): string {
  return text.replace(/(?<![\w-])([\w-]{3,})\.([\w~+/=-]{4,})/gu, (whole, prefix: string, rest: string) =>
    mayBeSecret(rest) ? `${prefix}.[redacted]` : whole,
  );
}

/** Names of hosts, files and classes mostly continue in small letters alone. */
function mayBeSecret(rest: string): boolean {
  return /[A-Z0-9]/u.test(rest) || rest.length >= 16;
}

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

const mark = "[redacted]";

/** Shorter ones are looked for just as they are written: their other spellings would stand in too much that is no secret. */
const shortestOfManySpellings = 8;

interface Redacting {
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
    ...takingOutCut(long.flatMap(writtenSpellings)),
    ...takingOut([...short.flatMap(writtenSpellings), ...long.flatMap(base64Spellings)], "gu"),
  ];
  return {
    redact: (text) => steps.reduce((shown, { redact, mayHold }) => (mayHold(shown) ? redact(shown) : shown), text),
    mayHold: (text) => steps.some(({ mayHold }) => mayHold(text)),
  };
}

/** Such an index has so many bits; five of a sum are moved out for each character, so that it is about the last four. */
const indexBits = 20;
const shiftBits = 5;
const indexMask = 2 ** indexBits - 1;

/**
 * Takes many secrets of 8 characters and more out of texts, as `redacting` does. A text is looked through once, however many they
 * are, and only those are looked for of which it has the first or the last 8 characters in some spelling.
 */
export class SecretIndex implements Redacting {
  readonly #ends = new Uint8Array(2 ** (indexBits - 3));
  readonly #pieces = new Map<string, Set<string>>();
  #last: { readonly key: string; readonly redacting: Redacting } | undefined;

  constructor(secrets: Iterable<string>) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    for (const spelling of [...writtenSpellings(secret), ...base64Spellings(secret)]) {
      const folded = spelling.toLowerCase();
      for (const piece of [folded.slice(0, pieceLength), folded.slice(-pieceLength)]) this.#addPiece(piece, secret);
    }
  }

  readonly mayHold = (text: string): boolean => this.#secretsIn(text).length > 0;

  readonly redact: Redact = (text) => {
    const secrets = this.#secretsIn(text);
    return secrets.length === 0 ? text : this.#redactingOf(secrets).redact(text);
  };

  #addPiece(piece: string, secret: string): void {
    const known = this.#pieces.get(piece);
    if (known !== undefined) {
      known.add(secret);
      return;
    }
    this.#pieces.set(piece, new Set([secret]));
    let sum = 0;
    for (let at = 0; at < piece.length; at += 1) sum = nextSum(sum, piece.charCodeAt(at));
    this.#ends[sum >> 3] = (this.#ends[sum >> 3] ?? 0) | (1 << (sum & 7));
  }

  #secretsIn(text: string): readonly string[] {
    const folded = text.toLowerCase();
    const found = new Set<string>();
    let sum = 0;
    for (let at = 0; at < folded.length; at += 1) {
      sum = nextSum(sum, folded.charCodeAt(at));
      if (((this.#ends[sum >> 3] ?? 0) & (1 << (sum & 7))) === 0) continue;
      const piece = folded.slice(Math.max(0, at + 1 - pieceLength), at + 1);
      for (const secret of this.#pieces.get(piece) ?? []) found.add(secret);
    }
    return [...found].sort();
  }

  #redactingOf(secrets: readonly string[]): Redacting {
    const key = JSON.stringify(secrets);
    if (this.#last?.key !== key) this.#last = { key, redacting: redacting(secrets) };
    return this.#last.redacting;
  }
}

function nextSum(sum: number, character: number): number {
  return ((sum << shiftBits) ^ character) & indexMask;
}

/** So many characters of a secret in a row are never shown; in Base64 they fill so many wherever they begin. */
const pieceLength = 8;
const base64PieceLength = 10;

/** Takes out every run of 8 characters and more of a secret, wherever it stands, in the spellings of `redacting`. */
function redactingPieces(secret: string): Redact {
  const pieces = [
    ...piecesOf(writtenSpellings(secret), pieceLength),
    ...piecesOf(base64Spellings(secret), base64PieceLength),
  ];
  const known: ReadonlySet<string> = new Set(pieces);
  if (known.size === 0) return (text) => text;
  return (text) => withoutRuns(text, runsOf(foldLetters(text), known));
}

function piecesOf(spellings: readonly string[], length: number): readonly string[] {
  return spellings
    .map(foldLetters)
    .flatMap((spelling) =>
      Array.from({ length: Math.max(0, spelling.length - length + 1) }, (_, at) => spelling.slice(at, at + length)),
    );
}

interface Run {
  readonly start: number;
  readonly end: number;
}

/** Where known pieces stand; those that overlap or touch are one run. */
function runsOf(text: string, known: ReadonlySet<string>): readonly Run[] {
  const runs: Run[] = [];
  for (let at = 0; at + pieceLength <= text.length; at += 1) {
    const length = [base64PieceLength, pieceLength].find((size) => known.has(text.slice(at, at + size)));
    if (length === undefined) continue;
    const last = runs.at(-1);
    const touches = last !== undefined && at <= last.end;
    if (touches) runs.pop();
    runs.push({ start: touches ? last.start : at, end: Math.max(touches ? last.end : 0, at + length) });
  }
  return runs;
}

function withoutRuns(text: string, runs: readonly Run[]): string {
  const kept = runs.map(({ start }, index) => text.slice(runs[index - 1]?.end ?? 0, start));
  return [...kept, text.slice(runs.at(-1)?.end ?? 0)].join(mark);
}

/** As long as before, so that places stay. */
function foldLetters(text: string): string {
  return text.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase());
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

/** A beginning before an ellipsis, or an end behind one: a text was cut there. */
function takingOutCut(spellings: readonly string[]): readonly Redacting[] {
  const long = [...new Set(spellings)].filter((spelling) => spelling.length > pieceLength);
  if (long.length === 0) return [];
  const beginnings = long.map((spelling) => beginningOf([...spelling].map(escaped)));
  const ends = long.map((spelling) => endOf([...spelling].map(escaped)));
  const pattern = new RegExp(`(?:${beginnings.join("|")})(?=…|\\.{3})|(?<=…|\\.{3})(?:${ends.join("|")})`, "giu");
  const folded = [...new Set(long.map((spelling) => spelling.toLowerCase()))];
  const mayHold = (text: string) => {
    const lookedAt = text.toLowerCase();
    return folded.some((spelling) => mayHoldCut(lookedAt, spelling));
  };
  return [{ mayHold, redact: (text) => text.replace(pattern, mark) }];
}

/** Whether its first 8 characters, or its last, stand near enough to an ellipsis. The prefix of a key begins it, and is shown. */
function mayHoldCut(text: string, spelling: string): boolean {
  const reach = spelling.length - pieceLength + "...".length;
  const beginning = spelling.slice(0, pieceLength);
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1))
    if (hasEllipsis(text.slice(at + pieceLength, at + pieceLength + reach))) return true;
  const end = spelling.slice(-pieceLength);
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1))
    if (hasEllipsis(text.slice(Math.max(0, at - reach), at))) return true;
  return false;
}

function hasEllipsis(text: string): boolean {
  return text.includes("…") || text.includes("...");
}

/** `abcdefgh(?:i(?:j)?)?` */
function beginningOf(characters: readonly string[]): string {
  const rest = characters.slice(pieceLength).reduceRight((inner, character) => `(?:${character}${inner})?`, "");
  return characters.slice(0, pieceLength).join("") + rest;
}

/** `(?:(?:a)?b)?cdefghij` */
function endOf(characters: readonly string[]): string {
  const rest = characters.slice(0, -pieceLength).reduce((inner, character) => `(?:${inner}${character})?`, "");
  return rest + characters.slice(-pieceLength).join("");
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

/** So much of a text is looked at. */
const longestRead = 16_384;

/** The beginning of a text on one line, without secrets and without characters that a reader cannot see. */
export function excerpt(text: string, length: number, redact: Redact): string {
  const written = redact(text.slice(0, longestRead))
    .replace(/\s+/gu, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, "")
    .trim();
  // Only now do parts of a secret stand together that invisible characters kept apart.
  const visible = redact(written);
  return visible.length > length ? `${visible.slice(0, length)}…` : visible;
}
