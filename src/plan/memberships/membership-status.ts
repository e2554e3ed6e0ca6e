import { type Fact, recorded } from "../../model/fact.ts";
import type { RosterMember } from "../../model/roster.ts";
import type { OpenIntent, RecordedMembership } from "../../model/state.ts";
import { type Basis, memberSubject, observedBasis, recordedBasis, unknownBasis } from "../../model/subject.ts";
import { foldName, membershipKeyOf } from "../../model/team.ts";
import { isWindowOver, isWithinConsistencyWindow, type PlanContext } from "../context.ts";
import {
  type KnownKey,
  keyWithPrefix,
  knownKey,
  type PresentUser,
  showsTeam,
  type TeamIdentity,
} from "../identities.ts";
import { resolveDeclaredKey, teamKeyDeclaration } from "../keys/declared-keys.ts";

/** What a person's place in a team is found to be, before anything is planned about it. */
export type MembershipStatus =
  /** Without a key, its prefix is not known, and the rest is what the membership rests on. */
  | { readonly is: "member"; readonly key: KnownKey; readonly settling?: RecordedMembership }
  | { readonly is: "member"; readonly key?: undefined; readonly basis: Basis; readonly settling?: RecordedMembership }
  | { readonly is: "absent"; readonly basis: Basis }
  /** The state knows a membership that the service no longer shows. */
  | { readonly is: "removed"; readonly record: RecordedMembership }
  /** An addition was announced and its outcome never learned. */
  | { readonly is: "in-doubt"; readonly open: OpenIntent }
  | { readonly is: "unknown"; readonly why: string };

/** A person who is there, as a member of a team that is there. */
export function membershipStatus(
  person: PresentUser,
  member: RosterMember,
  identity: TeamIdentity,
  context: PlanContext,
): MembershipStatus {
  const record = recordedMembership(person, identity, context);
  const named = declaredTeamKey(person, member, identity, context);
  const learned = recordedPrefix(person, identity, record) ?? named?.prefix;
  const shown = observedMembership(person, identity, learned);
  if (shown.is === "member") return shown;
  const open = additionInDoubt(member, identity, context);
  if (shown.is === "unknown")
    return unobservedStatus({ person, member, identity, context, record, learned, named, open, shown });
  const isHidden = named?.prefix.known === "declared" && record === undefined;
  if (isHidden && !context.holders.shows("team")) return { is: "member", key: named };
  if (open !== undefined) {
    const isAllowed = isAllowedAddition({ member, identity, context, record, open });
    return isAllowed ? shown : { is: "in-doubt", open };
  }
  if (record === undefined) return shown;
  return isUnshownYet(record, context) ? recentMembership(person, identity, record) : { is: "removed", record };
}

/** Whether we made it a moment ago, and no read has ever shown it. */
function isUnshownYet({ how, at, seenAt }: RecordedMembership, context: PlanContext): boolean {
  return how !== "seen" && seenAt === undefined && isWithinConsistencyWindow(at, context);
}

/** A membership that we made a moment ago counts, although no read shows it yet. */
function recentMembership(
  { user, observed }: PresentUser,
  { team }: TeamIdentity,
  record: RecordedMembership,
): MembershipStatus {
  const { prefix, how, at } = record;
  if (prefix !== undefined)
    return { is: "member", key: keyWithPrefix(prefix, recorded(prefix, at), observed), settling: record };
  return { is: "member", basis: recordedBasis(memberSubject(user.address, team.key), how, at), settling: record };
}

function observedMembership(
  { observed, user }: PresentUser,
  identity: TeamIdentity,
  learned: Fact<string> | undefined,
): Extract<MembershipStatus, { is: "member" | "absent" | "unknown" }> {
  const { keys } = observed;
  if (keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
  const own = keys.find((key) => showsTeam(key, identity) === "yes");
  if (own !== undefined) return { is: "member", key: knownKey(own, observed) };
  const unclear = keys.filter((key) => showsTeam(key, identity) === "unknown");
  const known = learned === undefined || learned.known === "unknown" ? undefined : learned;
  const learnedKey = unclear.find(({ prefix }) => prefix === known?.value);
  if (learnedKey !== undefined) return { is: "member", key: knownKey(learnedKey, observed) };
  if (unclear.length > 0 && known?.known !== "recorded") {
    return { is: "unknown", why: "the service shows keys without their teams" };
  }
  return {
    is: "absent",
    basis: observedBasis(memberSubject(user.address, identity.team.key), "no member", observed.by),
  };
}

interface UnobservedMembership {
  readonly person: PresentUser;
  readonly member: RosterMember;
  readonly identity: TeamIdentity;
  readonly context: PlanContext;
  readonly record: RecordedMembership | undefined;
  readonly learned: Fact<string> | undefined;
  readonly named: KnownKey | undefined;
  readonly open: OpenIntent | undefined;
  readonly shown: Extract<MembershipStatus, { is: "unknown" }>;
}

/** Where the service does not show it: a person's word about this very place, then records, then the roster, then a word about all. */
function unobservedStatus(unshown: UnobservedMembership): MembershipStatus {
  const { person, identity, context, record, named, open, shown } = unshown;
  const { grants } = context;
  const subject = memberSubject(person.user.address, identity.team.key);
  const saidAbsent: MembershipStatus = {
    is: "absent",
    basis: unknownBasis(subject, "you allowed roster to add them"),
  };
  if (isAllowedAddition(unshown)) return saidAbsent;
  const known = statusFromRecords(unshown);
  if (record !== undefined && known !== undefined) return known;
  if (open !== undefined) return named === undefined ? { is: "in-doubt", open } : { is: "member", key: named };
  return known ?? (grants.covers({ is: "absent-members" }) ? saidAbsent : shown);
}

type PossibleAddition = Pick<UnobservedMembership, "member" | "identity" | "context" | "record" | "open">;

/** Whether a person has allowed to add this member, and no call of ours may still show. */
function isAllowedAddition(possible: PossibleAddition): boolean {
  const { member, identity, context } = possible;
  const team = foldName(identity.team.name);
  const isSaid = context.grants.covers({ is: "absent-member", team, address: member.address });
  return isSaid && !isRecentlyAdded(possible);
}

/** What roster itself did, or may have done, within the consistency window outranks what a person can have seen. */
function isRecentlyAdded({ record, open, context }: PossibleAddition): boolean {
  if (open !== undefined && !isWindowOver([open], context)) return true;
  return record !== undefined && record.how !== "seen" && isWithinConsistencyWindow(record.at, context);
}

/** A person who writes the prefix of a team key into the roster says that its holder is in the team, unless that is mistaken. */
function declaredTeamKey(
  person: PresentUser,
  member: RosterMember,
  identity: TeamIdentity,
  context: PlanContext,
): KnownKey | undefined {
  const declaration = teamKeyDeclaration(member, identity, person);
  const judged = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  return judged?.is === "known" ? judged.key : undefined;
}

/** What records and the roster tell; undefined where nothing does. */
function statusFromRecords({ person, identity, record, learned }: UnobservedMembership): MembershipStatus | undefined {
  const subject = memberSubject(person.user.address, identity.team.key);
  const known = learned === undefined || learned.known === "unknown" ? undefined : learned;
  if (known !== undefined && (record !== undefined || person.observed.keys === undefined)) {
    return { is: "member", key: keyWithPrefix(known.value, known, person.observed) };
  }
  if (record !== undefined) return { is: "member", basis: recordedBasis(subject, record.how, record.at) };
  const createdAt = person.record?.createdAt;
  if (createdAt === undefined) return undefined;
  return { is: "absent", basis: recordedBasis(subject, "created and not added since", createdAt) };
}

/** The prefix of the team key as our records have it. */
function recordedPrefix(
  person: PresentUser,
  identity: TeamIdentity,
  record: RecordedMembership | undefined,
): Fact<string> | undefined {
  if (record?.prefix !== undefined) return recorded(record.prefix, record.at);
  const { createdTeam, key, createdAt } = person.record ?? {};
  if (
    createdTeam !== undefined &&
    identity.recordKeys.includes(createdTeam) &&
    key !== undefined &&
    createdAt !== undefined
  ) {
    return recorded(key, createdAt);
  }
  return undefined;
}

/** A person who created the team is a member of it, whatever else was recorded. */
function recordedMembership(
  person: PresentUser,
  { team, recordKeys }: TeamIdentity,
  { state }: PlanContext,
): RecordedMembership | undefined {
  const { address } = person.user;
  const isOfAnother = person.record === undefined && state.users.has(address);
  if (isOfAnother) return undefined;
  for (const key of recordKeys) {
    const record = state.memberships.get(membershipKeyOf(key, address));
    if (record !== undefined) return record;
  }
  const { createdTeam, createdAt } = person.record ?? {};
  if (createdTeam === undefined || createdAt === undefined || !recordKeys.includes(createdTeam)) return undefined;
  return { team: team.key, address, how: "created", at: createdAt };
}

/** A mail of which nobody knows whether it was sent. */
function additionInDoubt(
  { address }: RosterMember,
  identity: TeamIdentity,
  { state }: PlanContext,
): OpenIntent | undefined {
  return state.open.find(
    ({ intent }) =>
      intent.kind === "add-members" &&
      intent.addresses.includes(address) &&
      (identity.recordKeys.includes(intent.team) ||
        (identity.is === "known" && identity.identifier === intent.identifier)),
  );
}
