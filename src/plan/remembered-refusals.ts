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
import type { SnapshotSource } from "../model/snapshot-file.ts";
import type { Present } from "./person.ts";
import type { Question } from "./question.ts";
import { additionRequest, creationRequest, foundingRequest, rolesRequest } from "./requests.ts";
import type { KnownTeam } from "./team-identity.ts";

/** The refusal of this very creation, without a team: it was refused for the person's sake. */
export function refusedCreation(user: RosterUser, question: Question): RecordedRefusal | undefined {
  if (question.policy.recreate.includes(user.address)) return undefined;
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "creation", address, email, account });
  return stillRefused(key, question, () => creationRequest(user, question));
}

/** The refusal to found this very team with this very person: for whose sake, nobody can tell. */
export function refusedFounding(user: RosterUser, team: RosterTeam, question: Question): RecordedRefusal | undefined {
  if (question.policy.recreate.includes(user.address)) return undefined;
  const { address, email, account } = user;
  const key = refusalKeyOf({ of: "founding", address, email, account, team: team.key, name: team.name });
  return stillRefused(key, question, () => foundingRequest(user, team, question));
}

/** The refusal to let this person into this very team, under whichever of its names it was asked for. */
export function refusedAddition(
  person: Present,
  { team, identifier, recordKeys }: KnownTeam,
  question: Question,
): RecordedRefusal | undefined {
  const { address } = person.user;
  for (const key of recordKeys) {
    const part = { of: "addition", address, account: team.account, team: key, name: team.name, identifier } as const;
    const refusal = stillRefused(refusalKeyOf(part), question, () => additionRequest(person, question));
    if (refusal?.part.of === "addition" && refusal.part.identifier === identifier) return refusal;
  }
  return undefined;
}

/** The refusal to give these very roles to this key. */
export function refusedRoles(
  key: { readonly prefix: string; readonly owner: FoldedAddress | undefined },
  roles: RoleSet,
  question: Question,
): RecordedRefusal | undefined {
  const { prefix } = key;
  return stillRefused(refusalKeyOf({ of: "roles", prefix, roles }), question, () => rolesRequest(key, roles, question));
}

/** Undefined where nothing was refused, where something of it has changed, or where a person wants it sent again. */
function stillRefused(
  key: RefusalKey,
  { state, policy, kept }: Question,
  request: () => RequestDigest,
): RecordedRefusal | undefined {
  if (policy.retryRefused) return undefined;
  const refusal = state.refusals.get(key);
  if (refusal === undefined) return undefined;
  const now = kept === undefined ? request() : sealedRequest(request(), kept);
  return isSameRequest(refusal.request, now) ? refusal : undefined;
}

function sealedRequest({ asks, facts }: RequestDigest, { hashedDigest: sealed }: SnapshotSource): RequestDigest {
  return { asks: sealed(asks), ...(facts === undefined ? {} : { facts: sealed(facts) }) };
}
