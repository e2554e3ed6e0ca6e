import { type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const searchOverMax = choice("What becomes of a search for more texts than are looked at.", "drop", {
  drop: "the others are left out without a word",
  reject: "it is refused with 400",
});

/** The texts that are looked for. */
export function boundedSearch(
  how: ValueOf<typeof searchOverMax>,
  asked: readonly string[],
  most: number,
): readonly string[] | Refusal {
  if (most === 0 || asked.length <= most) return asked;
  return how === "drop" ? asked.slice(0, most) : refuse(400, `A search takes at most ${most} identifiers`);
}
