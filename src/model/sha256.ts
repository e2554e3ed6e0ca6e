import { hash } from "node:crypto";

/** In hexadecimal. */
export function sha256(text: string): string {
  return hash("sha256", text);
}
