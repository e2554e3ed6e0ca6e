import type { Profile } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Finding, FindingClass } from "../../model/finding.ts";
import { holdNames } from "../../model/policy.ts";
import type { Roster } from "../../model/roster.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { membershipKeyOf } from "../../model/team.ts";
import { rolesTampered } from "./roles-moved.ts";
import { type ParsedSubject, parseSubject } from "./subject-parts.ts";

export interface FindingClassInput {
  readonly roster: Roster;
  readonly state: State;
  /** Whom the service shows with an address. */
  readonly shown: ReadonlyMap<FoldedAddress, ObservedUser>;
  /** Every key that the service shows, by prefix. */
  readonly keys: ReadonlyMap<string, ObservedKey>;
}

/** The finding's own class, unless our records show that somebody else moved the service. */
export function classifyFinding(finding: Finding, input: FindingClassInput): FindingClass | "tampered" {
  if (isTampered(finding, input)) return "tampered";
  return isAcceptedForLater(finding, input) ? "pending" : finding.class;
}

function isTampered(finding: Finding, input: FindingClassInput): boolean {
  const { state } = input;
  const parts = parseSubject(finding.subject);
  switch (finding.code) {
    case "vanished":
    case "member-removed":
      // Both are told by records alone.
      return true;
    case "deleted-user":
      return parts.of === "user" && wasThere(parts.address, state);
    case "other-account":
      return parts.of === "user" && wasCreatedInAccount(parts.address, input);
    case "profile-differs":
      return parts.of === "user" && profileTampered(parts.address, input);
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
      return keyRolesTampered(parts, input);
    default:
      return false;
  }
}

/** Whether others moved the roles of the key, or of one of the person's keys, away from what we last asked for. */
function keyRolesTampered(parts: ParsedSubject, { state, shown, keys }: FindingClassInput): boolean {
  const held =
    parts.of === "key" ? [keys.get(parts.prefix)] : parts.of === "user" ? shown.get(parts.address)?.keys : [];
  return (held ?? []).some((key) => {
    const record = key === undefined ? undefined : state.keys.get(key.prefix);
    return record !== undefined && key?.roles !== undefined && rolesTampered(record, key.roles, record.put);
  });
}

function wasThere(address: FoldedAddress, { users }: State): boolean {
  const record = users.get(address);
  return record?.createdAt !== undefined || record?.seenAt !== undefined;
}

function wasCreatedInAccount(address: FoldedAddress, { roster, state }: FindingClassInput): boolean {
  const record = state.users.get(address);
  return record?.createdAt !== undefined && record.account === roster.users.get(address)?.account;
}

const profileFields = ["firstName", "lastName", "title", "externalIdentifier", "source"] as const;

/** A field that the roster still asks for as our creation sent it, and that shows otherwise than it was answered. */
function profileTampered(address: FoldedAddress, { roster, state, shown }: FindingClassInput): boolean {
  const profile = state.users.get(address)?.profile;
  const wanted: Profile | undefined = roster.users.get(address);
  const now: Profile | undefined = shown.get(address);
  if (profile === undefined || wanted === undefined || now === undefined) return false;
  return profileFields.some((field) => {
    const answered = profile.answered[field];
    const isAsked = wanted[field] !== undefined && wanted[field] === profile.sent[field];
    return isAsked && answered !== undefined && now[field] !== undefined && now[field] !== answered;
  });
}

/** The service took the call, and may do it later. */
function isAcceptedForLater({ code, subject }: Finding, { state }: FindingClassInput): boolean {
  if (code !== "unknown-outcome") return false;
  return state.open.some(({ accepted, intent }) => {
    if (accepted === undefined) return false;
    if (intent.kind === "create-user") return subject === `user ${intent.address}`;
    return intent.kind === "add-members" && subject === `additions to team ${intent.team}`;
  });
}

const holdCodes: readonly string[] = holdNames.filter((name) => name !== "unproven-team");
const privilegeCodes: readonly string[] = ["unmanaged-privilege", "unlisted-key-privilege"];

/** Whether a finding is about a privileged role, or a guard's. */
export function isGuarded({ code, blocking }: Finding): boolean {
  return holdCodes.includes(code) || privilegeCodes.includes(code) || (code === "roles-implied" && blocking);
}
