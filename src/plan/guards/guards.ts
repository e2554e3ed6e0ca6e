import type { HoldGuard, StopGuard } from "./guard.ts";
import { maxInvitations } from "./max-invitations.ts";
import { maxNewUsers } from "./max-new-users.ts";
import { ownKey } from "./own-key.ts";

/** Guards that withhold, in the order in which their findings are told. `unproven-team` is no part of a plan to begin with. */
export const holds: readonly HoldGuard[] = [ownKey];

/** Guards that refuse. */
export const stops: readonly StopGuard[] = [maxNewUsers, maxInvitations];
