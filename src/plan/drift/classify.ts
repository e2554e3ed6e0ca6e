import type { Action, KeyRef, Profile, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding, FindingClass } from "../../model/finding.ts";
import { holdNames } from "../../model/policy.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import type { RecordedKey, State } from "../../model/state.ts";
import { formatSubject, keySubject, memberSubject, partOf, type Subject, userSubject } from "../../model/subject.ts";
import { membershipKeyOf } from "../../model/team.ts";

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: FoldedAddress;
  readonly subject: Subject;
  /** What tells it apart from other matters of its kind and subject: other roles on a key are another matter. */
  readonly essence: unknown;
}

export function splitAction(action: Action): readonly ActionPart[] {
  switch (action.kind) {
    case "create-user":
      return [{ action, subject: userSubject(action.address), essence: null }];
    case "add-members":
      return action.members.map(({ address: person }) => {
        return { action, person, subject: memberSubject(person, action.team.team), essence: null };
      });
    case "replace-roles":
      return [{ action, subject: subjectOfKey(action.key), essence: differenceOf(action) }];
  }
}

/** Whatever order things were read in, the same matter has the same fingerprint. */
export function partFingerprint({ action, subject, essence }: ActionPart, digest: (text: string) => string): string {
  return digest(JSON.stringify([action.kind, formatSubject(subject), essence])).slice(0, 16);
}

function subjectOfKey(key: KeyRef): Subject {
  switch (key.of) {
    case "prefix":
      return keySubject(factValue(key.prefix) ?? "");
    case "own-key":
      return partOf("own key", userSubject(key.address));
    case "team-key":
      return partOf("key", memberSubject(key.address, key.team.team));
  }
}

/** The roles too many and those that are missing, as far as it is known what the key carries. */
function differenceOf({ before, roles }: ReplaceRoles): unknown {
  const carried = factValue(before);
  return carried === undefined ? null : [rolesWithout(carried, roles), rolesWithout(roles, carried)];
}

type ActionClass = "tampered" | "unapplied";

/** Whether an action undoes what somebody else did to what our runs had made, or brings what they have not made yet. */
export function classifyAction({ action, person }: ActionPart, state: State): ActionClass {
  switch (action.kind) {
    case "create-user": {
      const record = state.users.get(action.address);
      return record?.createdAt === undefined && record?.seenAt === undefined ? "unapplied" : "tampered";
    }
    case "add-members": {
      const place = person === undefined ? undefined : membershipKeyOf(action.team.team, person);
      return place !== undefined && state.memberships.has(place) ? "tampered" : "unapplied";
    }
    case "replace-roles":
      return classifyRoles(action, state);
  }
}

/** Only what was observed can have been moved by others. */
function classifyRoles({ key, before, roles }: ReplaceRoles, state: State): ActionClass {
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const record = prefix === undefined ? undefined : state.keys.get(prefix);
  if (record === undefined || before.known !== "observed") return "unapplied";
  if (!rolesTampered(record, before.value, roles)) return "unapplied";
  return "tampered";
}

/** A privileged role that the key has too many or too few, or that a creation gives. */
export function changesPrivilege(action: Action, privileged: RoleSet): boolean {
  switch (action.kind) {
    case "create-user":
      return (action.founds?.accessKeyRoles ?? []).some((role) => privileged.includes(role));
    case "add-members":
      return false;
    case "replace-roles": {
      const carried = factValue(action.before) ?? [];
      const moved = [...rolesWithout(carried, action.roles), ...rolesWithout(action.roles, carried)];
      return moved.some((role) => privileged.includes(role));
    }
  }
}

export interface FindingClassInput {
  readonly roster: Roster;
  readonly state: State;
  /** The user that the service shows with an address. */
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
  const { subject } = finding;
  switch (finding.code) {
    case "user-missing":
    case "member-removed":
      // Both are known from records alone.
      return true;
    case "deleted-user":
      return subject.kind === "user" && wasThere(subject.address, state);
    case "user-in-other-account":
      return subject.kind === "user" && wasCreatedInAccount(subject.address, input);
    case "profile-differs":
      return subject.kind === "user" && profileTampered(subject.address, input);
    case "extra-member": {
      if (subject.kind !== "member" || state.teams.get(subject.team)?.founder === undefined) return false;
      // A person who is in a team that a run founded was added by a run, or by somebody else.
      return !state.memberships.has(membershipKeyOf(subject.team, subject.address));
    }
    case "unknown-key":
      return subject.kind === "key" && state.keys.has(subject.prefix);
    case "own-key":
    case "protected":
    case "privileged-roles":
    case "refused":
      // What would undo it is held or refused: that is no reason not to say who did it.
      return keyRolesTampered(subject, input);
    default:
      return false;
  }
}

/** Whether others moved the roles of the key, or of one of the person's keys, away from what we last asked for. */
function keyRolesTampered(subject: Subject, { state, shown, keys }: FindingClassInput): boolean {
  const held =
    subject.kind === "key"
      ? [keys.get(subject.prefix)]
      : subject.kind === "user"
        ? shown.get(subject.address)?.keys
        : [];
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
    if (intent.kind === "create-user") return subject.kind === "user" && subject.address === intent.address;
    return intent.kind === "add-members" && subject.kind === "additions" && subject.team === intent.team;
  });
}

const holdCodes: readonly string[] = holdNames.filter((name) => name !== "unproven-team");
const privilegeCodes: readonly string[] = ["unmanaged-privilege", "unmanaged-key-privilege"];

/** Whether a finding is about a privileged role, or a guard's. */
export function isGuarded({ code, blocking }: Finding): boolean {
  return holdCodes.includes(code) || privilegeCodes.includes(code) || (code === "roles-kept-by-service" && blocking);
}

/**
 * Whether others moved the roles of a key, role by role: one that came since our last look, and that we never asked for nor do
 * now, was given by others; one that went, although we asked for it and still do, was taken by others. Any other
 * difference comes from the roster. @internal
 */
export function rolesTampered({ put, readAs = put }: RecordedKey, carried: RoleSet, wanted: RoleSet): boolean {
  const given = rolesWithout(carried, readAs).filter((role) => !put.includes(role) && !wanted.includes(role));
  const taken = rolesWithout(readAs, carried).filter((role) => put.includes(role) && wanted.includes(role));
  return given.length + taken.length > 0;
}
