import { encodeState } from "../../codec/state.ts";
import { isUnusedState, type State } from "../../model/state.ts";

/** What moving a state to a place would do there. `no` is a sentence without a trailing stop. */
export type MoveCheck =
  | { readonly may: "copy" }
  | { readonly may: "only-mark" }
  | { readonly may: "no"; readonly why: string };

/** Judges the place by what it holds: nothing is lost that is not a copy, or an older version, of the same state. */
export function checkMove(state: State, there: State): MoveCheck {
  if (isUnusedState(there)) return { may: "copy" };
  if (there.lineage !== state.lineage) {
    return { may: "no", why: `it holds another state (lineage ${there.lineage}, serial ${there.serial})` };
  }
  if (there.moved !== undefined) return { may: "copy" };
  // A move that was broken off after the copy.
  if (recordSame(state, there)) return { may: "only-mark" };
  if (there.serial <= state.serial) return { may: "copy" };
  return {
    may: "no",
    why: `it holds a newer version of the same state (serial ${there.serial}, and serial ${state.serial} was to be moved)`,
  };
}

/** Whether two states record the same, whatever their versions. */
export function recordSame(one: State, other: State): boolean {
  return encodeState({ ...one, serial: 1 }) === encodeState({ ...other, serial: 1 });
}
