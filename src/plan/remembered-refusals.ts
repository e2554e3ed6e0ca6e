import type { FoldedAddress } from "../model/address.ts";
import {
  isSameRequest,
  type RecordedRefusal,
  type RefusalKey,
  type RequestDigest,
  refusalKeyOf,
} from "../model/refusal.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import type { SnapshotSource } from "../model/saved-files.ts";
import type { PresentUser } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { additionRequest, creationRequest, foundingRequest, rolesRequest } from "./requests.ts";
import type { KnownTeam } from "./team-identity.ts";

/** The refusal of this very creation, without a team: it was refused for the person's sake. */
export function refusedCreation(user: RosterUser, context: PlanContext): RecordedRefusal | undefined {
  if (context.policy.recreate.includes(user.address)) return undefined;
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "creation", address, email, account });
  return stillRefused(key, context, () => creationRequest(user, context));
}

/** The refusal to found this very team with this very person: for whose sake, nobody can tell. */
export function refusedFounding(user: RosterUser, team: RosterTeam, context: PlanContext): RecordedRefusal | undefined {
  if (context.policy.recreate.includes(user.address)) return undefined;
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "founding", address, email, account, team: team.key, name: team.name });
  return stillRefused(key, context, () => foundingRequest(user, team, context));
}

/** The refusal to let this person into this very team, under whichever of its names it was asked for. */
export function refusedAddition(
  person: PresentUser,
  { team, identifier, recordKeys }: KnownTeam,
  context: PlanContext,
): RecordedRefusal | undefined {
  const { address } = person.user;
  for (const key of recordKeys) {
    const part = { of: "addition", address, account: team.account, team: key, name: team.name, identifier } as const;
    const refusal = stillRefused(refusalKeyOf(part), context, () => additionRequest(person, context));
    if (refusal?.part.of === "addition" && refusal.part.identifier === identifier) return refusal;
  }
  return undefined;
}

/** The refusal to give these very roles to this key. */
export function refusedRoles(
  key: { readonly prefix: string; readonly owner: FoldedAddress | undefined },
  roles: RoleSet,
  context: PlanContext,
): RecordedRefusal | undefined {
  const { prefix } = key;
  return stillRefused(refusalKeyOf({ of: "roles", prefix, roles }), context, () => rolesRequest(key, roles, context));
}

/** Undefined where nothing was refused, where something of it has changed, or where a person wants it sent again. */
function stillRefused(
  key: RefusalKey,
  { state, policy, kept }: PlanContext,
  request: () => RequestDigest,
): RecordedRefusal | undefined {
  if (policy.retryRefused) return undefined;
  const refusal = state.refusals.get(key);
  if (refusal === undefined) return undefined;
  const now = kept === undefined ? request() : hashedRequest(request(), kept);
  return isSameRequest(refusal.request, now) ? refusal : undefined;
}

function hashedRequest({ asks, facts }: RequestDigest, { hashedDigest: sealed }: SnapshotSource): RequestDigest {
  return { asks: sealed(asks), ...(facts === undefined ? {} : { facts: sealed(facts) }) };
}
