import type { Profile } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Finding, FindingClass } from "../../model/finding.ts";
import { holdNames } from "../../model/guard.ts";
import { membershipKeyOf } from "../../model/names.ts";
import type { Roster } from "../../model/roster.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { rolesMoved } from "./roles-moved.ts";
import { type SubjectParts, subjectParts } from "./subject-parts.ts";

export interface FindingGround {
  readonly roster: Roster;
  readonly state: State;
  /** Whom the service shows with an address. */
  readonly shown: ReadonlyMap<FoldedAddress, ObservedUser>;
  /** Every key that the service shows, by prefix. */
  readonly keys: ReadonlyMap<string, ObservedKey>;
}

/** The finding's own class, unless our records show that somebody else moved the service. */
export function classOfFinding(finding: Finding, ground: FindingGround): FindingClass | "tampered" {
  if (isMovedByOthers(finding, ground)) return "tampered";
  return isTakenForLater(finding, ground) ? "pending" : finding.class;
}

function isMovedByOthers(finding: Finding, ground: FindingGround): boolean {
  const { state } = ground;
  const parts = subjectParts(finding.subject);
  switch (finding.code) {
    case "vanished":
    case "member-removed":
      // Both are told by records alone.
      return true;
    case "deleted-user":
      return parts.of === "user" && wasThere(parts.address, state);
    case "other-account":
      return parts.of === "user" && wasMadeInItsAccount(parts.address, ground);
    case "profile-differs":
      return parts.of === "user" && profileMoved(parts.address, ground);
    case "extra-member": {
      if (parts.of !== "member" || state.teams.get(parts.team)?.founder === undefined) return false;
      // Whoever is in a team that a run founded was added by a run, or by somebody else.
      return !state.memberships.has(membershipKeyOf(parts.team, parts.address));
    }
    case "unknown-key":
      return parts.of === "key" && state.keys.has(parts.prefix);
    case "own-key":
    case "protected":
    case "privileged-roles":
    case "refused":
      // What would undo it is held or refused: that is no reason not to say who did it.
      return keysMoved(parts, ground);
    default:
      return false;
  }
}

/** Whether others moved the roles of the key, or of one of the person's keys, away from what we last asked for. */
function keysMoved(parts: SubjectParts, { state, shown, keys }: FindingGround): boolean {
  const held =
    parts.of === "key" ? [keys.get(parts.prefix)] : parts.of === "user" ? shown.get(parts.address)?.keys : [];
  return (held ?? []).some((key) => {
    const record = key === undefined ? undefined : state.keys.get(key.prefix);
    return record !== undefined && key?.roles !== undefined && rolesMoved(record, key.roles, record.put);
  });
}

function wasThere(address: FoldedAddress, { users }: State): boolean {
  const record = users.get(address);
  return record?.createdAt !== undefined || record?.seenAt !== undefined;
}

function wasMadeInItsAccount(address: FoldedAddress, { roster, state }: FindingGround): boolean {
  const record = state.users.get(address);
  return record?.createdAt !== undefined && record.account === roster.users.get(address)?.account;
}

const fields = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;

/** A field that the roster still asks for as our creation sent it, and that shows otherwise than it was answered. */
function profileMoved(address: FoldedAddress, { roster, state, shown }: FindingGround): boolean {
  const profile = state.users.get(address)?.profile;
  const wanted: Profile | undefined = roster.users.get(address);
  const now: Profile | undefined = shown.get(address);
  if (profile === undefined || wanted === undefined || now === undefined) return false;
  return fields.some((field) => {
    const answered = profile.answered[field];
    const isAsked = wanted[field] !== undefined && wanted[field] === profile.sent[field];
    return isAsked && answered !== undefined && now[field] !== undefined && now[field] !== answered;
  });
}

/** The service took the call, and may do it later. */
function isTakenForLater({ code, subject }: Finding, { state }: FindingGround): boolean {
  if (code !== "unknown-outcome") return false;
  return state.open.some(({ accepted, intent }) => {
    if (accepted === undefined) return false;
    if (intent.kind === "create-user") return subject === `user ${intent.address}`;
    return intent.kind === "add-members" && subject === `additions to team ${intent.team}`;
  });
}

const holds: readonly string[] = holdNames.filter((name) => name !== "unproven-team");
const aboutPrivileges: readonly string[] = ["unmanaged-privilege", "unlisted-key-privilege"];

/** Whether a finding is about a privileged role, or a guard's. */
export function isGuarded({ code, blocking }: Finding): boolean {
  return holds.includes(code) || aboutPrivileges.includes(code) || (code === "roles-implied" && blocking);
}
