import { generator } from "./generator.ts";

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
export function countingIdentifiers(start: number, kind: "words" | "numbers" = "words"): Identifiers {
  const draw = generator(start);
  const word = (length: number): string =>
    Array.from({ length }, () => alphabet.charAt(Math.floor(draw() * alphabet.length))).join("");
  let users = 0;
  let teams = 0;
  return {
    user() {
      users += 1;
      return kind === "words" ? `u-${users}` : String(10_000 + users);
    },
    team() {
      teams += 1;
      return kind === "words" ? `t-${teams}` : String(500 + teams);
    },
    prefix: () => word(20),
    secret: () => word(32),
  };
}
