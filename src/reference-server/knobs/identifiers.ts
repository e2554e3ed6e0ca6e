import type { Knobs } from "../knobs.ts";

/** An identifier as an answer shows it. */
export function renderIdentifier(how: Knobs["identifiers"], identifier: string): string | number {
  return how === "numbers" && /^\d{1,15}$/u.test(identifier) ? Number(identifier) : identifier;
}
