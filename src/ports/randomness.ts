/** Randomness, as an argument. */
export interface Randomness {
  /** Uniform in [0, 1). */
  fraction(): number;
  /** A new identifier, unique in practice. */
  identifier(): string;
}

/** A stable digest of a text, in lower-case hexadecimal: SHA-256 in production. */
export type Digest = (text: string) => string;
