import type { Knobs } from "../knobs.ts";
import { type Refusal, refuse } from "../reply.ts";

/** The texts that are looked for. */
export function limitSearch(
  how: Knobs["searchOverMax"],
  asked: readonly string[],
  most: number,
): readonly string[] | Refusal {
  if (most === 0 || asked.length <= most) return asked;
  return how === "drop" ? asked.slice(0, most) : refuse(400, `A search takes at most ${most} identifiers`);
}
