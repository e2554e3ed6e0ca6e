import { say } from "../codes/message.ts";
import { type AddMembers, additionId, creationId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { Objection } from "../model/allowance.ts";
import { distinctReasons, type Fact, factValue, recorded } from "../model/fact.ts";
import { keyBelongsToTeam, type ShownTeamKey, shownTeamKey } from "../model/key.ts";
import {
  type DesiredMember,
  membershipKeyOf,
  membershipReasons,
  type RecordedMembership,
} from "../model/membership.ts";
import type { OpenIntent, RecordedRefusal } from "../model/recorded.ts";
import { callIdOf } from "../model/state.ts";
import {
  type Basis,
  createdByThisPlan,
  memberSubject,
  observedBasis,
  partOf,
  recordedBasis,
  type Subject,
  unknownBasis,
} from "../model/subject.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import {
  formatDecisionTime,
  formatResolveCommands,
  isWindowOver,
  isWithinConsistencyWindow,
  type PlanContext,
  shownFrom,
} from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import {
  type AbsentTeam,
  type AbsentUser,
  type KnownKey,
  keyWithPrefix,
  knownKey,
  type PresentUser,
  type TeamIdentities,
  type TeamIdentity,
  type UserIdentities,
} from "./identities.ts";
import { resolveDeclaredKey, teamKeyDeclaration } from "./keys.ts";
import type { FirstMembers } from "./new-teams.ts";
import { additionRequest, refusalOf, refusedFinding } from "./remembered-refusals.ts";
import type { SelectedCreations, Selection } from "./selection.ts";
import { acceptedReplacementBasis } from "./vanished-users.ts";

interface MembershipInput {
  readonly context: PlanContext;
  readonly people: UserIdentities;
  readonly firstMembers: FirstMembers;
  readonly chosen: SelectedCreations;
  readonly selection: Selection;
}

interface Place {
  readonly team: DesiredTeam;
  readonly member: DesiredMember;
}

/** What becomes of one member of one team: a slot, or why there is none. */
type Placement = Place &
  (
    | (CurrentMember & { readonly person: PresentUser; readonly isIdentified: boolean })
    /** The person's creation creates the team. */
    | { readonly is: "first-member"; readonly person: AbsentUser }
    /** Added by this plan. */
    | {
        readonly is: "joining";
        readonly person: PresentUser | AbsentUser;
        /** Of a team that this plan creates. */
        readonly firstMember: EmailKey | undefined;
        /** By which a refusal is remembered. */
        readonly request: string | undefined;
        readonly basis: Basis;
      }
    | (PlacementIssue & { readonly person: PresentUser })
    /** The service would not let the person in, and would not now. */
    | { readonly is: "refused"; readonly refusal: RecordedRefusal }
    /** Asked for, but what it needs first is not selected. */
    | { readonly is: "unselected"; readonly person: PresentUser | AbsentUser }
  );

type PlacedAs<Is> = Extract<Placement, { readonly is: Is }>;

/** One person's place in one team, as the plan finds it or makes it. */
export type MembershipSlot = PlacedAs<"member" | "first-member" | "joining">;

/** Everybody's place in every team, and one call for each team that somebody is to join. */
export function planMemberships(teams: TeamIdentities, input: MembershipInput) {
  const [slots, actions, findings]: [MembershipSlot[], AddMembers[], FindingDraft[]] = [[], [], []];
  for (const identity of teams.values()) {
    const { team } = identity;
    const placed = team.members.flatMap((member) => placeMember(identity, member, input) ?? []);
    const as = <Is extends Placement["is"]>(is: Is) => placed.filter((one): one is PlacedAs<Is> => one.is === is);
    slots.push(...placed.filter((one) => one.is === "member" || one.is === "first-member" || one.is === "joining"));
    actions.push(...addMembersActions(team, as("joining")));
    findings.push(
      ...placed.flatMap(placementFinding),
      ...additionInDoubtFindings(team, as("in-doubt"), input.context),
      ...as("member").flatMap((one) => recentMemberFinding(one, input.context)),
      ...as("refused").map(refusedMemberFinding),
      ...unselectedMembersFinding(team, as("unselected")),
    );
  }
  return { slots, actions, findings };
}

/** Undefined where a finding about the person or the team says why, and where the addition is not selected. */
function placeMember(identity: TeamIdentity, member: DesiredMember, input: MembershipInput): Placement | undefined {
  const person = input.people.get(member.address);
  if (person === undefined || person.is === "blocked") return undefined;
  if (identity.is === "absent") return placeInNewTeam(identity, member, person, input);
  if (identity.is !== "known" && identity.is !== "unidentified") return undefined;
  const { team } = identity;
  const identifier = identity.is === "known" ? identity.identifier : undefined;
  const join = (basis?: Basis) =>
    identifier === undefined ? undefined : addToTeam({ team, member, person }, { identifier }, input, basis);
  if (person.is === "absent") return join();
  const status = membershipStatus(person, member, identity, input.context);
  switch (status.is) {
    case "member":
      return { ...status, team, member, person, isIdentified: identifier !== undefined };
    case "absent":
      return join(status.basis);
    case "unknown":
      return person.invitable ? { ...status, team, member, person } : undefined;
    case "removed":
    case "in-doubt":
      return { ...status, team, member, person };
  }
}

function placeInNewTeam(
  { team }: AbsentTeam,
  member: DesiredMember,
  person: PresentUser | AbsentUser,
  input: MembershipInput,
): Placement | undefined {
  const pair = input.chosen.teamCreations.get(team.key);
  if (pair === undefined) {
    const isWanted = input.selection.keeps({ address: member.address, team: team.key });
    const isPossible = input.firstMembers.teamCreations.has(team.key);
    return isWanted && isPossible ? { is: "unselected", team, member, person } : undefined;
  }
  const firstMember = input.people.get(pair.firstMember);
  if (firstMember?.is !== "absent") return undefined;
  if (firstMember === person) return { is: "first-member", team, member, person: firstMember };
  return addToTeam({ team, member, person }, { firstMember: pair.firstMember }, input);
}

function addToTeam(
  { team, member, person }: Place & { readonly person: PresentUser | AbsentUser },
  { identifier, firstMember }: { readonly identifier?: string; readonly firstMember?: EmailKey },
  input: MembershipInput,
  basis = unknownBasis(memberSubject(member.address, team.key), createdByThisPlan),
): Placement | undefined {
  const { address } = member;
  if (!input.selection.keeps({ address, team: team.key })) return undefined;
  if (person.is === "present" && !person.invitable) return undefined;
  if (person.is === "absent" && !input.chosen.creations.has(address))
    return input.firstMembers.reserved.has(address) ? undefined : { is: "unselected", team, member, person };
  const request = additionRequest(person, identifier);
  const refusal = refusalOf(request, input.context);
  if (refusal !== undefined) return { is: "refused", team, member, refusal };
  return { is: "joining", team, member, person, firstMember, basis, request };
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

/** What a person's place in a team is found to be, before anything is planned about it. */
type MembershipStatus = CurrentMember | PlacementIssue | { readonly is: "absent"; readonly basis: Basis };

interface CurrentMember {
  readonly is: "member";
  /** Absent where its prefix is not known. */
  readonly key?: KnownKey;
  readonly basis: Basis;
  /** By our record alone, since reads do not show it yet. */
  readonly settling?: RecordedMembership;
}

type PlacementIssue =
  /** The state knows a membership that the service no longer shows. */
  | { readonly is: "removed"; readonly record: RecordedMembership }
  /** An addition was announced and its outcome never learned. */
  | { readonly is: "in-doubt"; readonly open: OpenIntent }
  | { readonly is: "unknown"; readonly why: string };

/** What reads, records and the roster have to say about one place. */
interface KnownMembership {
  readonly record: RecordedMembership | undefined;
  /** Of their team key. */
  readonly prefix: Fact<string> | undefined;
  readonly person: PresentUser;
  readonly team: DesiredTeam;
  readonly about: Subject;
  /** The key that the roster names: who writes its prefix says that its holder is in the team, unless that is mistaken. */
  readonly named: KnownKey | undefined;
  /** An addition of which nobody knows whether its mail was sent. */
  readonly open: OpenIntent | undefined;
}

/** A person who is there, as a member of a team that is there: by what reads show, then by what is recorded and declared. */
export function membershipStatus(
  person: PresentUser,
  member: DesiredMember,
  identity: TeamIdentity,
  context: PlanContext,
): MembershipStatus {
  const { observed } = person;
  const { team } = identity;
  const about = memberSubject(member.address, team.key);
  const recordedPlace = recordedMembership(person, identity, context);
  const declaration = teamKeyDeclaration(member, identity, person);
  const resolved = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  const named = resolved?.is === "known" ? resolved.key : undefined;
  const prefix = recordedPlace.prefix ?? named?.prefix;
  const shown = shownMembership(observed, identity, prefix);
  if (shown.is === "present") return memberByKey(knownKey(shown.key, observed), about);
  const open = openAddition(member.address, identity, context);
  const known = { ...recordedPlace, person, team, about, named, prefix, open };
  return shown.is === "absent" ? unshownStatus(known, context) : (hiddenStatus(known, context) ?? shown);
}

/** By what the service shows, and by a key that it shows without its team and that we know. */
function shownMembership(
  user: ObservedUser,
  identity: TeamIdentity,
  learned: Fact<string> | undefined,
): Extract<PlacementIssue, { readonly is: "unknown" }> | Exclude<ShownTeamKey, { readonly is: "unknown" }> {
  if (user.keys === undefined) return { is: "unknown", why: "the service does not show the keys of users" };
  const shown = shownTeamKey(user, identity);
  if (shown.is !== "unknown") return shown;
  const prefix = learned === undefined ? undefined : factValue(learned);
  const key = user.keys.find((one) => one.prefix === prefix && keyBelongsToTeam(one, identity) === "unknown");
  if (key !== undefined) return { is: "present", key };
  const isGone = learned?.known === "recorded";
  return isGone ? { is: "absent" } : { is: "unknown", why: "the service shows keys without their teams" };
}

/** Where the service shows that they are no member. A membership that we made a moment ago counts, although no read has ever shown it. */
function unshownStatus(known: KnownMembership, context: PlanContext): MembershipStatus {
  const { about, person, record, named, open } = known;
  const { observed } = person;
  const absent = { is: "absent", basis: observedBasis(about, "no member", observed.by) } as const;
  const isHidden = named?.prefix.known === "declared" && record === undefined;
  if (isHidden && !context.facts.shows("team")) return memberByKey(named, about);
  if (open !== undefined) return isAllowedAddition(known, context) ? absent : { is: "in-doubt", open };
  if (record === undefined) return absent;
  const { prefix, how, at, seenAt } = record;
  if (how === "seen" || seenAt !== undefined || !isWithinConsistencyWindow(at, context))
    return { is: "removed", record };
  if (prefix === undefined) return { ...memberByRecord(record, about), settling: record };
  return { ...memberByKey(keyWithPrefix(prefix, recorded(prefix, at), observed), about), settling: record };
}

/** Where the service does not show it: records, then the roster, then what a person allows. */
function hiddenStatus(known: KnownMembership, context: PlanContext): MembershipStatus | undefined {
  const { about, person, record, named, prefix, open } = known;
  const saidAbsent = { is: "absent", basis: unknownBasis(about, "you allowed roster to add them") } as const;
  const isLearned = record !== undefined || (open === undefined && person.observed.keys === undefined);
  if (prefix !== undefined && prefix.known !== "unknown" && isLearned)
    return memberByKey(keyWithPrefix(prefix.value, prefix, person.observed), about);
  if (record !== undefined) return memberByRecord(record, about);
  if (open !== undefined && named !== undefined) return memberByKey(named, about);
  if (open !== undefined) return isAllowedAddition(known, context) ? saidAbsent : { is: "in-doubt", open };
  const createdAt = person.record?.createdAt;
  if (createdAt !== undefined)
    return { is: "absent", basis: recordedBasis(about, "created and not added since", createdAt) };
  return isAllowedAddition(known, context) ? saidAbsent : undefined;
}

function memberByKey(key: KnownKey, about: Subject): CurrentMember {
  const { prefix } = key;
  const fact = prefix.known === "unknown" ? prefix : { ...prefix, value: `by key ${prefix.value}` };
  return { is: "member", key, basis: { about, fact } };
}

function memberByRecord({ how, at }: RecordedMembership, about: Subject): CurrentMember {
  return { is: "member", basis: recordedBasis(about, how, at) };
}

/** Whether a person has allowed to add this member. What roster did, or may have done, a moment ago outranks what they can have seen. */
function isAllowedAddition({ person, team, record, open }: KnownMembership, context: PlanContext): boolean {
  if (open !== undefined && !isWindowOver([open], context)) return false;
  if (record !== undefined && record.how !== "seen" && isWithinConsistencyWindow(record.at, context)) return false;
  return context.allowances.ask(absentMember(team, person.user.address, open)).isAllowed;
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
): Pick<KnownMembership, "record" | "prefix"> {
  const isOfAnother = user === undefined && state.users.has(address);
  if (isOfAnother) return { record: undefined, prefix: undefined };
  const record = recordKeys
    .map((key) => state.memberships.get(membershipKeyOf(key, address)))
    .find((one) => one !== undefined);
  if (record?.prefix !== undefined) return { record, prefix: recorded(record.prefix, record.at) };
  const { createdTeam, createdAt: at, key } = user ?? {};
  if (createdTeam === undefined || at === undefined || !recordKeys.includes(createdTeam))
    return { record, prefix: undefined };
  const prefix = key === undefined ? undefined : recorded(key, at);
  return { record: record ?? { team: team.key, address, how: "created", at }, prefix };
}

function openAddition(address: EmailKey, identity: TeamIdentity, { state }: PlanContext): OpenIntent | undefined {
  return state.open.find(({ intent }) => {
    if (intent.kind !== "add-members" || !intent.addresses.includes(address)) return false;
    const isSameTeam = identity.is === "known" && identity.identifier === intent.identifier;
    return isSameTeam || identity.recordKeys.includes(intent.team);
  });
}

type AboutMembers = Pick<FindingDraft, "subject" | "because" | "concerns">;

/** What a finding about one place says of it. */
export function memberFinding({ team, member }: Place): AboutMembers {
  const about = { address: member.address, team: team.key };
  return { subject: memberSubject(about.address, about.team), because: member.because, concerns: [about] };
}

/** A member who may not be added, because nobody is mailed twice. */
function placementFinding(placed: Placement): readonly FindingDraft[] {
  if (placed.is !== "removed" && placed.is !== "unknown") return [];
  const { team, person } = placed;
  const { email, address } = person.user;
  const about = memberFinding(placed);
  if (placed.is === "removed") {
    const { how, at } = placed.record;
    const past = how === "added" ? "was added to" : how === "created" ? "was the first member of" : "was seen in";
    const texts = say("member-removed", { email, past, team: team.name, at });
    return [{ ...about, ...texts, restsOn: [recordedBasis(about.subject, how, at)] }];
  }
  const texts = say("unproven-absence/member", { email, team: team.name, why: placed.why, key: "PREFIX" });
  const restsOn = [unknownBasis(about.subject, placed.why)];
  const allow = [absentMember(team, address)];
  return [{ ...about, ...texts, restsOn, allow }];
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
  const parts = { emails: emailsOf(inDoubt), team: team.name, at: open.at, resolve: formatResolveCommands(opens) };
  const texts = isOver
    ? say("unknown-outcome/members-unshown", parts)
    : say("unknown-outcome/members", { ...parts, when: formatDecisionTime(opens, context) });
  const restsOn = [recordedBasis(about.subject, `announced by run ${open.run}`, open.at)];
  const allow = isOver ? { allow: inDoubt.map((one) => absentMember(team, one.member.address, one.open)) } : {};
  return [{ ...about, ...texts, restsOn, ...allow }];
}

/** A notice about members whose addition needs something first that is not selected. */
function unselectedMembersFinding(
  team: DesiredTeam,
  unselected: readonly PlacedAs<"unselected">[],
): readonly FindingDraft[] {
  if (unselected.length === 0) return [];
  const texts = say("not-selected/members", { emails: emailsOf(unselected), team: team.name });
  return [{ ...additionsFinding(team, unselected), ...texts }];
}

function emailsOf(placed: readonly Pick<PlacedAs<"unselected">, "person">[]): readonly string[] {
  return placed.map(({ person }) => person.user.email);
}

/** What a finding about several additions to a team says of them. */
function additionsFinding(team: DesiredTeam, placed: readonly Place[]): AboutMembers {
  const concerns = placed.map(({ member }) => ({ address: member.address, team: team.key }));
  return { subject: { kind: "additions", team: team.key }, because: team.because.slice(0, 1), concerns };
}

/** A member that we added a moment ago, and that no read shows in the team yet. */
function recentMemberFinding(slot: PlacedAs<"member">, context: PlanContext): readonly FindingDraft[] {
  const { team, member, person, key, settling } = slot;
  if (settling === undefined) return [];
  const { how, at } = settling;
  const { email } = person.user;
  const about = memberFinding(slot);
  const parts = { email, team: team.name, at, until: shownFrom(at, context) };
  const texts = say(how === "created" ? "write-pending/team" : "write-pending/member", parts);
  const kind = member.roles !== undefined && key === undefined ? "task" : undefined;
  return [{ ...about, ...texts, kind, restsOn: [recordedBasis(about.subject, how, at)] }];
}

/** Somebody that the service would not let into a team. */
function refusedMemberFinding(refused: PlacedAs<"refused">): FindingDraft {
  const about = memberFinding(refused);
  const remedy = "correct the member or the team in the roster";
  return { ...refusedFinding(partOf("addition", about.subject), refused.refusal, remedy), ...about };
}
