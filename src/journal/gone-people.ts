import type { FoldedAddress } from "../model/address.ts";
import type { PeopleGone } from "../model/event.ts";
import type { State } from "../model/state.ts";
import type { StateDraft } from "./state-draft.ts";

/** Remembers since when people are gone. The first proof counts, for as long as they do not come back. */
export function recordGone(draft: StateDraft, { gone, back, at }: PeopleGone): void {
  const known = new Map(draft.gone);
  for (const address of gone) if (!known.has(address)) known.set(address, { since: at });
  draft.gone = known;
  recordReturned(draft, back);
}

/** A person who is shown or named again is not gone. */
export function recordReturned(draft: StateDraft, addresses: Iterable<FoldedAddress>): void {
  if (draft.gone === undefined) return;
  const left = new Map(draft.gone);
  for (const address of addresses) left.delete(address);
  if (left.size > 0) draft.gone = left;
  else delete draft.gone;
}

/** People who are gone, and who have been gone for so many milliseconds. */
export function goneFor(
  people: readonly FoldedAddress[],
  { gone }: Pick<State, "gone">,
  { now, milliseconds }: { readonly now: number; readonly milliseconds: number },
): readonly FoldedAddress[] {
  return people.filter((address) => now - Date.parse(gone?.get(address)?.since ?? "") > milliseconds);
}
