import { hash } from "node:crypto";
import { string } from "./declare.ts";

/** In hexadecimal. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

export const checksum = string({
  pattern: "^[0-9a-f]{64}$",
  description:
    "The SHA-256 of all other fields, as JSON with sorted names and without spaces. It finds damage and accidental edits, not forgery.",
});
