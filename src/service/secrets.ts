import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";

/** Where the key can be asked for once more. */
export interface KeyRenewal {
  /** Its name, such as `apiKeyCommand`. */
  readonly name: string;
  /** The bare key, kept out of every output. A problem is one sentence without a trailing stop. */
  readonly ask: () => Promise<Result<string, string>>;
}

/** The key in use. Once the service has refused it (trap 56), its source is asked once more, by one of all the calls that wait for it. */
export class ApiKey {
  readonly #source: KeyRenewal | undefined;
  readonly #refused = new Map<string, Promise<Result<undefined, string>>>();
  #value: string;
  #redactors: readonly Redact[];

  constructor(key: string, source?: KeyRenewal) {
    this.#value = key;
    this.#source = source;
    this.#redactors = [redactorFor(key)];
  }

  get value(): string {
    return this.#value;
  }

  /** What stands before the dot is no secret: it names the key. */
  get prefix(): string | undefined {
    const dot = this.#value.indexOf(".");
    return dot > 0 ? this.#value.slice(0, dot) : undefined;
  }

  /** How often another key has taken the place of a refused one. */
  get changes(): number {
    return this.#redactors.length - 1;
  }

  /** Takes out this key and every one before it. */
  redact(text: string): string {
    return this.#redactors.reduce((shown, redact) => redact(shown), text);
  }

  /** Succeeds once another key is in use than the refused one. A problem says why there is none; undefined where none can be had. */
  async replace(refused: string): Promise<Result<undefined, string> | undefined> {
    if (refused !== this.#value) return success(undefined);
    if (this.#source === undefined) return undefined;
    const asked = this.#refused.get(refused) ?? this.#askOnce(this.#source);
    this.#refused.set(refused, asked);
    return asked;
  }

  async #askOnce({ name, ask }: KeyRenewal): Promise<Result<undefined, string>> {
    const key = await ask();
    if (!key.ok) return problem(`roster asked ${name} once more: ${key.error}`);
    if (this.#refused.has(key.value)) return problem(`roster asked ${name} once more: it returned a refused key`);
    this.#value = key.value;
    this.#redactors = [...this.#redactors, redactorFor(key.value)];
    return success(undefined);
  }
}

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
  const redact = redacting([key, secret].filter((value) => value.length >= shortestSecret));
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

/**
 * Takes these texts out of others, in whatever spelling they stand there: within JSON, percent-encoded (also as forms
 * do it), in Base64 wherever in a longer text they stand, and all but Base64 in any letter case; and cut off before or behind an ellipsis.
 */
export function redacting(secrets: readonly string[]): Redact {
  const given = [...new Set(secrets)].filter((secret) => secret !== "");
  const long = given.filter((secret) => secret.length >= shortestOfManySpellings);
  const short = given.filter((secret) => secret.length < shortestOfManySpellings);
  const written = [...new Set(long.flatMap(writtenSpellings))];
  const steps = [
    anyOf(written, "giu"),
    cutOff(written),
    anyOf([...short.flatMap(writtenSpellings), ...long.flatMap(base64Spellings)], "gu"),
  ].filter((step) => step !== undefined);
  return (text) => steps.reduce((shown, step) => shown.replace(step, mark), text);
}

/** Of spellings within one another, the longest is taken out. */
function anyOf(spellings: readonly string[], flags: "giu" | "gu"): RegExp | undefined {
  const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return longestFirst.length === 0 ? undefined : new RegExp(longestFirst.map(escaped).join("|"), flags);
}

/** A beginning of 8 characters and more before an ellipsis, or such an end behind one: a text was cut there. */
function cutOff(spellings: readonly string[]): RegExp | undefined {
  const long = spellings.filter((spelling) => spelling.length > pieceLength);
  if (long.length === 0) return undefined;
  // `abcdefgh(?:i(?:j)?)?` and `(?:(?:a)?b)?cdefghij`
  const beginnings = long.map((spelling) => {
    const characters = [...spelling].map(escaped);
    const rest = characters.slice(pieceLength).reduceRight((inner, character) => `(?:${character}${inner})?`, "");
    return characters.slice(0, pieceLength).join("") + rest;
  });
  const ends = long.map((spelling) => {
    const characters = [...spelling].map(escaped);
    const rest = characters.slice(0, -pieceLength).reduce((inner, character) => `(?:${inner}${character})?`, "");
    return rest + characters.slice(-pieceLength).join("");
  });
  return new RegExp(`(?:${beginnings.join("|")})(?=…|\\.{3})|(?<=…|\\.{3})(?:${ends.join("|")})`, "giu");
}

/** Such an index has so many bits; five of a sum are moved out for each character, so that it is about the last three. */
const indexBits = 17;
const shiftBits = 5;
const indexMask = 2 ** indexBits - 1;

/**
 * Takes many secrets of 8 characters and more out of texts, as `redacting` does. A text is looked through once, however many they
 * are, and only those are looked for of which it has the first or the last 8 characters in some spelling.
 */
export class SecretIndex {
  readonly #ends = new Uint8Array(2 ** (indexBits - 3));
  readonly #pieces = new Map<string, Set<string>>();
  #last: { readonly key: string; readonly redact: Redact } | undefined;

  add(secret: string): void {
    for (const spelling of [...writtenSpellings(secret), ...base64Spellings(secret)]) {
      const folded = spelling.toLowerCase();
      for (const piece of [folded.slice(0, pieceLength), folded.slice(-pieceLength)]) this.#addPiece(piece, secret);
    }
  }

  readonly redact: Redact = (text) => {
    const secrets = this.#secretsIn(text);
    if (secrets.length === 0) return text;
    const key = JSON.stringify(secrets);
    if (this.#last?.key !== key) this.#last = { key, redact: redacting(secrets) };
    return this.#last.redact(text);
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
    const found: string[] = [];
    if (text.length < pieceLength) return found;
    const folded = text.toLowerCase();
    let sum = 0;
    for (let at = 0; at < folded.length; at += 1) {
      sum = nextSum(sum, folded.charCodeAt(at));
      if (((this.#ends[sum >> 3] ?? 0) & (1 << (sum & 7))) === 0) continue;
      const piece = folded.slice(Math.max(0, at + 1 - pieceLength), at + 1);
      found.push(...(this.#pieces.get(piece) ?? []));
    }
    return found.length === 0 ? found : [...new Set(found)].sort();
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
