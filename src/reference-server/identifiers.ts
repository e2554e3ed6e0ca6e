/** Where new identifiers, prefixes and secrets come from: the same server asked the same things gives the same ones. */
export interface Identifiers {
  readonly user: () => string;
  readonly team: () => string;
  /** 20 letters of either case and digits. */
  readonly prefix: () => string;
  /** 32 letters of either case and digits. */
  readonly secret: () => string;
  /** How many users and teams were given one, and how many letters of prefixes and secrets were drawn. */
  readonly counters: Readonly<typeof nothingCounted>;
}

const nothingCounted = { users: 0, teams: 0, letters: 0 };

/** `words`: u-1, t-1; `numbers`: 10001, 501. */
export type IdentifierKind = "words" | "numbers";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Counts users and teams, and draws the rest from a generator that starts at the given number. Goes on after what was given before. */
export function countingIdentifiers(
  start: number,
  kind: IdentifierKind = "words",
  before: Identifiers["counters"] = nothingCounted,
): Identifiers {
  const draw = seededRandom(start, before.letters);
  const letters = Buffer.alloc(32);
  const counters = { ...before };
  const word = (length: 20 | 32): string => {
    counters.letters += length;
    for (let index = 0; index < length; index += 1) {
      letters[index] = alphabet.charCodeAt(Math.floor(draw() * alphabet.length));
    }
    return letters.toString("latin1", 0, length);
  };
  return {
    counters,
    user() {
      counters.users += 1;
      return kind === "words" ? `u-${counters.users}` : String(10_000 + counters.users);
    },
    team() {
      counters.teams += 1;
      return kind === "words" ? `t-${counters.teams}` : String(500 + counters.teams);
    },
    prefix: () => word(20),
    secret: () => word(32),
  };
}

/** Draws numbers from 0 up to but not including 1; the same start gives the same ones. */
export type RandomSource = () => number;

/** `drawn`: how many it has drawn before. */
export function seededRandom(start: number, drawn = 0): RandomSource {
  const step = 0x6d2b79f5;
  let state = (start + Math.imul(drawn, step)) >>> 0;
  return () => {
    state = (state + step) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function shuffled<T>(items: readonly T[], draw: RandomSource): readonly T[] {
  const keyed = items.map((item) => ({ item, key: draw() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
