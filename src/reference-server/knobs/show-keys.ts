import type { Knobs } from "../knobs.ts";

export function keysField(how: Knobs["showKeys"], keys: readonly object[]): object {
  return how === "none" ? {} : { [how]: keys };
}
