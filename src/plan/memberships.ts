import { say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import {
  type Basis,
  createdByThisPlan,
  distinctReasons,
  type Known,
  memberSubject,
  partOf,
  recorded,
  type Subject,
} from "../model/fact.ts";
import { keyBelongsToTeam, type ShownTeamKey, shownTeamKey } from "../model/key.ts";
import { type AddMembers, creationId } from "../model/plan.ts";
import type { Objection } from "../model/policy.ts";
import { callIdOf } from "../model/state.ts";
import {
  type DesiredMember,
  type DesiredTeam,
  membershipKeyOf,
  membershipReasons,
  type RecordedMembership,
} from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import { additionId, additionRequest, refusalOf, refusedFinding } from "./actions.ts";
import {
  formatDecisionTime,
  formatResolveCommands,
  isWindowOver,
  isWithinConsistencyWindow,
  shownFrom,
} from "./consistency-window.ts";
import type { FindingDraft, PlanContext } from "./context.ts";
import type { SelectedCreations } from "./creations.ts";
import type { FirstMembers } from "./first-members.ts";
import type { Identified, TeamIdentity } from "./identify-teams.ts";
import { type AbsentUser, acceptedReplacementBasis, type PresentUser } from "./identify-users.ts";
import { type KnownKey, keyWithPrefix, knownKey, resolveDeclaredKey, teamKeyDeclaration } from "./keys.ts";
import { observedBasis, recordedBasis, unknownBasis } from "./snapshot-index.ts";

interface MembershipInput extends Identified {
  readonly firstMembers: FirstMembers;
  readonly chosen: SelectedCreations;
}

interface Place {
  readonly team: DesiredTeam;
  readonly member: DesiredMember;
  readonly person: PresentUser | AbsentUser;
}

/** What becomes of one member of one team. */
type Placement = Place &
  (
    | (CurrentMember & { readonly person: PresentUser; readonly isIdentified: boolean })
    /** The person's creation creates the team. */
    | { readonly is: "first-member" }
    /** Added by this plan. `firstMember`: of a team that it creates. `request`: by which a refusal is remembered. */
    | {
        readonly is: "joining";
        readonly firstMember: EmailKey | undefined;
        readonly request: string | undefined;
        readonly basis: Basis;
      }
    | InDoubt
    | NotAdded
    /** Asked for, but what it needs first is not selected. */
    | { readonly is: "unselected" }
  );

interface CurrentMember {
  readonly is: "member";
  /** Absent where its prefix is not known. */
  readonly key?: KnownKey | undefined;
  readonly basis: Basis;
  /** By our record alone, since reads do not show it yet. */
  readonly pending?: RecordedMembership | undefined;
}

/** An addition was announced and its outcome never learned. */
interface InDoubt {
  readonly is: "in-doubt";
  readonly open: OpenIntent;
}

/** Nobody is mailed twice, and a refusal would repeat. */
interface NotAdded {
  readonly is: "not-added";
  readonly finding: FindingDraft;
}

type PlacedAs<Is> = Extract<Placement, { readonly is: Is }>;

/** One person's place in one team, as the plan finds it or makes it. */
export type MembershipSlot = PlacedAs<"member" | "first-member" | "joining">;

/** Everybody's place in every team, and one call for each team that somebody is to join. */
export function planMemberships(input: MembershipInput) {
  const [slots, actions, findings]: [MembershipSlot[], AddMembers[], FindingDraft[]] = [[], [], []];
  for (const identity of input.teams.values()) {
    const { team } = identity;
    const placed = team.members.flatMap((member) => placeMember(identity, member, input) ?? []);
    const as = <Is extends Placement["is"]>(is: Is) => placed.filter((one): one is PlacedAs<Is> => one.is === is);
    slots.push(...placed.filter((one) => one.is === "member" || one.is === "first-member" || one.is === "joining"));
    actions.push(...addMembersActions(team, as("joining")));
    findings.push(
      ...as("not-added").map(({ finding }) => finding),
      ...additionInDoubtFindings(team, as("in-doubt"), input),
      ...as("member").flatMap((one) => recentMemberFinding(one, input)),
    );
    const unselected = as("unselected");
    if (unselected.length === 0) continue;
    const isTeamMissing = identity.is === "absent" && !input.chosen.teamCreations.has(team.key);
    const missing = isTeamMissing ? "the team" : unselected.length === 1 ? "this user" : "these users";
    const texts = say("not-selected/members", { emails: emailsOf(unselected), team: team.name, missing });
    findings.push({ ...additionsFinding(team, unselected), ...texts });
  }
  return { slots, actions, findings };
}

/** Undefined where a finding about the person or the team says why, and where the addition is not selected. */
function placeMember(identity: TeamIdentity, member: DesiredMember, input: MembershipInput): Placement | undefined {
  const person = input.people.get(member.address);
  if (person === undefined || person.is === "blocked") return undefined;
  const { team } = identity;
  const place = { team, member, person };
  if (identity.is === "absent") return placeInNewTeam(place, input);
  if (identity.is !== "known" && identity.is !== "unidentified") return undefined;
  const identifier = identity.is === "known" ? identity.identifier : undefined;
  const join = (basis?: Basis) =>
    identifier === undefined ? undefined : addToTeam(place, { identifier, basis }, input);
  if (person.is === "absent") return join();
  const status = membershipStatus({ team, member, person }, identity, input);
  if (status.is === "absent") return join(status.basis);
  if (status.is !== "member") return { ...status, team, member, person };
  const { is, key, basis, pending } = status;
  return { is, key, basis, pending, team, member, person, isIdentified: identifier !== undefined };
}

function placeInNewTeam(place: Place, input: MembershipInput): Placement | undefined {
  const { team, member, person } = place;
  const pair = input.chosen.teamCreations.get(team.key);
  if (pair === undefined) {
    const isWanted = input.selection.keeps({ address: member.address, team: team.key });
    return isWanted && input.firstMembers.teamCreations.has(team.key) ? { is: "unselected", ...place } : undefined;
  }
  const firstMember = input.people.get(pair.firstMember);
  if (firstMember?.is !== "absent") return undefined;
  if (firstMember === person) return { is: "first-member", ...place };
  return addToTeam(place, { firstMember: pair.firstMember }, input);
}

/** `to`: a team that is there, or with whom this plan creates it. */
function addToTeam(
  place: Place,
  to: { readonly identifier?: string; readonly firstMember?: EmailKey; readonly basis?: Basis | undefined },
  input: MembershipInput,
): Placement | undefined {
  const { team, member, person } = place;
  const { address } = member;
  if (!input.selection.keeps({ address, team: team.key })) return undefined;
  if (person.is === "present" && !person.invitable) return undefined;
  if (person.is === "absent" && !input.chosen.creations.has(address))
    return input.firstMembers.reserved.has(address) ? undefined : { is: "unselected", ...place };
  const about = memberFinding(place);
  const { identifier } = to;
  const isThere = person.is === "present" && identifier !== undefined;
  const request = isThere ? additionRequest(person.user.email, person.observed, identifier) : undefined;
  const refusal = refusalOf(request, input);
  if (refusal !== undefined) {
    const remedy = "correct the member or the team in the roster";
    const finding = { ...refusedFinding(partOf("addition", about.subject), refusal, remedy), ...about };
    return { is: "not-added", finding, ...place };
  }
  const basis = to.basis ?? unknownBasis(about.subject, createdByThisPlan);
  return { is: "joining", ...place, firstMember: to.firstMember, request, basis };
}

function addMembersActions(team: DesiredTeam, joining: readonly PlacedAs<"joining">[]): readonly AddMembers[] {
  const [first] = joining;
  if (first === undefined) return [];
  const { firstMember } = first;
  const created = joining.flatMap(({ person }) => (person.is === "absent" ? person.user.address : []));
  const entries = joining.flatMap(({ member }) => membershipReasons(member));
  return [
    {
      kind: "add-members",
      rule: firstMember === undefined ? "missing-member" : "joins-new-team",
      id: additionId(team.key),
      team: team.key,
      firstMember,
      members: joining.map(({ member: { address }, request }) => ({ address, request })),
      because: distinctReasons([...team.because.slice(0, 1), ...entries, ...team.because]),
      dependsOn: [...[firstMember ?? []].flat(), ...created].map(creationId),
      restsOn: joining.flatMap(({ basis, person, member }) => [
        basis,
        ...(person.is === "absent" ? [] : acceptedReplacementBasis(person, memberSubject(member.address, team.key))),
      ]),
    },
  ];
}

type MembershipStatus = CurrentMember | InDoubt | NotAdded | { readonly is: "absent"; readonly basis: Basis };

/** A person who is there, as a member of a team that is there: by what reads show, then by what is recorded and declared. */
function membershipStatus(
  place: Place & { readonly person: PresentUser },
  identity: TeamIdentity,
  context: PlanContext,
): MembershipStatus {
  const { team, member, person } = place;
  const { observed } = person;
  const { email, address } = person.user;
  const subject = memberSubject(address, team.key);
  const { record, ...known } = recordedMembership(person, identity, context);
  const declaration = teamKeyDeclaration(member, identity, person);
  const resolved = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  // Who writes the prefix says that its holder is in the team, unless that is mistaken.
  const named = resolved?.is === "known" ? resolved.key : undefined;
  const prefix = known.prefix ?? named?.prefix;
  const shown = shownMembership(observed, identity, prefix);
  if (shown.is === "present") return memberByKey(knownKey(shown.key, observed), subject);
  const open = openAddition(member.address, identity, context);
  return shown.is === "absent" ? whereUnshown() : whereHidden(shown.why);

  /** A membership that we made a moment ago counts, although no read has ever shown it. */
  function whereUnshown(): MembershipStatus {
    const absent = { is: "absent", basis: observedBasis(subject, "absent", observed.by) } as const;
    const isHidden = named?.prefix.known === "declared" && record === undefined;
    if (isHidden && !context.facts.shows("team")) return memberByKey(named, subject);
    if (open !== undefined) return isAllowed() ? absent : { is: "in-doubt", open };
    if (record === undefined) return absent;
    const { how, at, seenAt } = record;
    if (how !== "seen" && seenAt === undefined && isWithinConsistencyWindow(at, context))
      return { ...memberByRecord(record, observed, subject), pending: record };
    const name = team.name;
    const given = how === "added" ? `roster added ${email} to ${name}` : `roster created ${name} with ${email}`;
    const past = how === "seen" ? `${email} was seen in ${name}` : given;
    const texts = say("member-removed", { email, past, team: name, at });
    const finding = { ...memberFinding(place), ...texts, restsOn: [recordedBasis(subject, how, at)] };
    return { is: "not-added", finding };
  }

  /** Records, then the roster, then what a person allows. */
  function whereHidden(why: string): MembershipStatus {
    const isLearned = record !== undefined || (open === undefined && observed.keys === undefined);
    if (prefix !== undefined && isLearned) return memberByKey(keyWithPrefix(prefix, observed), subject);
    if (record !== undefined) return memberByRecord(record, observed, subject);
    if (open !== undefined && named !== undefined) return memberByKey(named, subject);
    const createdAt = person.record?.createdAt;
    if (open === undefined && createdAt !== undefined)
      return { is: "absent", basis: recordedBasis(subject, "created and not added since", createdAt) };
    if (isAllowed()) return { is: "absent", basis: unknownBasis(subject, "you allowed roster to add this user") };
    if (open !== undefined) return { is: "in-doubt", open };
    const basis = unknownBasis(subject, why);
    // Somebody whom the service has disabled is never added.
    if (!person.invitable) return { is: "absent", basis };
    const texts = say("unproven-absence/member", { email, team: team.name, why, key: "PREFIX" });
    const finding = { ...memberFinding(place), ...texts, restsOn: [basis], allow: [absentMember(team, address)] };
    return { is: "not-added", finding };
  }

  /** Whether a person has allowed to add this member. What roster did, or may have done, a moment ago outranks what they can have seen. */
  function isAllowed(): boolean {
    if (open !== undefined && !isWindowOver([open], context)) return false;
    if (record !== undefined && record.how !== "seen" && isWithinConsistencyWindow(record.at, context)) return false;
    return context.allowances.ask(absentMember(team, address, open)).isAllowed;
  }
}

/** By what the service shows, and by a key that it shows without its team and that we know. */
function shownMembership(
  user: ObservedUser,
  identity: TeamIdentity,
  learned: Known<string> | undefined,
): Exclude<ShownTeamKey, { readonly is: "unknown" }> | { readonly is: "unknown"; readonly why: string } {
  if (user.keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
  const shown = shownTeamKey(user, identity);
  if (shown.is !== "unknown") return shown;
  const key = user.keys.find((one) => one.prefix === learned?.value && keyBelongsToTeam(one, identity) === "unknown");
  if (key !== undefined) return { is: "present", key };
  if (learned?.known === "recorded") return { is: "absent" };
  return { is: "unknown", why: "keys do not show their team" };
}

function memberByKey(key: KnownKey, about: Subject): CurrentMember {
  return { is: "member", key, basis: { about, ...key.prefix, value: `by key ${key.prefix.value}` } };
}

function memberByRecord({ prefix, how, at }: RecordedMembership, holder: ObservedUser, about: Subject): CurrentMember {
  if (prefix === undefined) return { is: "member", basis: recordedBasis(about, how, at) };
  return memberByKey(keyWithPrefix(recorded(prefix, at), holder), about);
}

/** That somebody whom no read shows in a team is not in it. `open`: a call that may have added them. */
function absentMember({ key }: DesiredTeam, address: EmailKey, open?: OpenIntent): Objection {
  const subject = memberSubject(address, key);
  if (open === undefined)
    return { of: "unproven-absence", subject, facts: ["no read and no record shows the membership"] };
  return { of: "unknown-outcome", subject, facts: [`call ${callIdOf(open)}, sent at ${open.at}`] };
}

/** A person who created the team is a member of it, whatever else was recorded. */
function recordedMembership(
  { user: { address }, record: user }: PresentUser,
  { team, recordKeys }: TeamIdentity,
  { state }: PlanContext,
): { readonly record?: RecordedMembership | undefined; readonly prefix?: Known<string> } {
  const isOfAnother = user === undefined && state.users.has(address);
  if (isOfAnother) return {};
  const [record] = recordKeys.flatMap((key) => state.memberships.get(membershipKeyOf(key, address)) ?? []);
  if (record?.prefix !== undefined) return { record, prefix: recorded(record.prefix, record.at) };
  const { createdTeam, createdAt: at, key } = user ?? {};
  if (createdTeam === undefined || at === undefined || !recordKeys.includes(createdTeam)) return { record };
  const made = record ?? { team: team.key, address, how: "created", at };
  return key === undefined ? { record: made } : { record: made, prefix: recorded(key, at) };
}

function openAddition(address: EmailKey, identity: TeamIdentity, { state }: PlanContext): OpenIntent | undefined {
  return state.open.find(({ intent, former = false }) => {
    if (intent.kind !== "add-members" || !intent.addresses.includes(address)) return false;
    const isSameTeam = !former && identity.is === "known" && identity.identifier === intent.identifier;
    return isSameTeam || identity.recordKeys.includes(intent.team);
  });
}

type AboutMembers = Pick<FindingDraft, "subject" | "because" | "concerns">;

/** What a finding about one place says of it. */
export function memberFinding({ team, member }: Pick<Place, "team" | "member">): AboutMembers {
  const about = { address: member.address, team: team.key };
  return { subject: memberSubject(about.address, about.team), because: member.because, concerns: [about] };
}

function additionInDoubtFindings(
  team: DesiredTeam,
  inDoubt: readonly PlacedAs<"in-doubt">[],
  context: PlanContext,
): readonly FindingDraft[] {
  const opens = inDoubt.map(({ open }) => open);
  const [open] = opens;
  if (open === undefined) return [];
  const about = additionsFinding(team, inDoubt);
  const isOver = isWindowOver(opens, context);
  const resolve = formatResolveCommands(opens, context);
  const parts = { emails: emailsOf(inDoubt), team: team.name, at: open.at, resolve };
  const texts = isOver
    ? say("unknown-outcome/members-unshown", parts)
    : say("unknown-outcome/members", { ...parts, when: formatDecisionTime(opens, context) });
  const restsOn = [recordedBasis(about.subject, `announced by run ${open.run}`, open.at)];
  const allow = isOver ? { allow: inDoubt.map((one) => absentMember(team, one.member.address, one.open)) } : {};
  return [{ ...about, ...texts, restsOn, ...allow }];
}

function emailsOf(placed: readonly Place[]): readonly string[] {
  return placed.map(({ person }) => person.user.email);
}

/** What a finding about several additions to a team says of them. */
function additionsFinding(team: DesiredTeam, placed: readonly Place[]): AboutMembers {
  const concerns = placed.map(({ member }) => ({ address: member.address, team: team.key }));
  return { subject: { kind: "additions", team: team.key }, because: team.because.slice(0, 1), concerns };
}

/** A member that we added a moment ago, and that no read shows in the team yet. */
function recentMemberFinding(slot: PlacedAs<"member">, context: PlanContext): readonly FindingDraft[] {
  const { team, member, person, key, pending } = slot;
  if (pending === undefined) return [];
  const { how, at } = pending;
  const { email } = person.user;
  const about = memberFinding(slot);
  const parts = { email, team: team.name, at, until: shownFrom(at, context) };
  const texts = say(how === "created" ? "write-pending/team" : "write-pending/member", parts);
  const kind = member.roles !== undefined && key === undefined ? "task" : undefined;
  return [{ ...about, ...texts, kind, restsOn: [recordedBasis(about.subject, how, at)] }];
}
