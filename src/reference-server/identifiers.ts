/** Where new identifiers, prefixes and secrets come from: the same server asked the same things gives the same ones. */
export interface Identifiers {
  user(): string;
  team(): string;
  /** 20 letters of either case and digits. */
  prefix(): string;
  /** 32 letters of either case and digits. */
  secret(): string;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Counts users and teams, and draws the rest from a generator that starts at the given number. */
export function countingIdentifiers(start: number): Identifiers {
  const draw = mulberry32(start);
  const word = (length: number): string =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(draw() * alphabet.length))).join("");
  let users = 0;
  let teams = 0;
  return {
    user() {
      users += 1;
      return `u-${users}`;
    },
    team() {
      teams += 1;
      return `t-${teams}`;
    },
    prefix: () => word(20),
    secret: () => word(32),
  };
}

function mulberry32(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
