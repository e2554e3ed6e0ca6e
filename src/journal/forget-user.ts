import type { FoldedAddress } from "../model/address.ts";
import { forgetRefusalsOf } from "./record-refusal.ts";
import type { StateDraft } from "./state-draft.ts";

/** Forgets what is recorded of the user at an address, with their memberships and keys: somebody else has it now. */
export function forgetUser(draft: StateDraft, address: FoldedAddress): void {
  forgetRefusalsOf(draft, address);
  const user = draft.users.get(address);
  if (user === undefined) return;
  if (user.key !== undefined) draft.keys.delete(user.key);
  draft.users.delete(address);
  for (const [key, membership] of draft.memberships) {
    if (membership.address !== address) continue;
    draft.memberships.delete(key);
    if (membership.prefix !== undefined) draft.keys.delete(membership.prefix);
  }
}
