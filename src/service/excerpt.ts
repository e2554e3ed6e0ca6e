import type { Redact } from "./redacting.ts";

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
