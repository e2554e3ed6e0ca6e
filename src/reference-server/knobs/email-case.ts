import type { Knobs } from "../knobs.ts";

export function storedEmail(how: Knobs["emailCase"], sent: string): string {
  return how === "lower" ? sent.toLowerCase() : sent;
}
