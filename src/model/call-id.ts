import type { OpenIntent } from "./state.ts";

/** A short name of an announced call, to be told and typed: the same for as long as the call is open. */
export function callIdOf(
  { run, action }: Pick<OpenIntent, "run" | "action">,
  digest: (text: string) => string,
): string {
  return digest(`${run}\n${action}`).slice(0, 8);
}
