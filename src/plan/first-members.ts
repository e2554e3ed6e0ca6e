import { type FindingTexts, say, sentence } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { relevantUnreadFields, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit, multimap } from "../model/collections.ts";
import { type Basis, distinctReasons, partOf, type Reason, reasonAt, teamSubject, userSubject } from "../model/fact.ts";
import type { RecordedRefusal } from "../model/failure.ts";
import { absentTeamCreationOf, retryOf } from "../model/policy.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { TeamKey } from "../model/values.ts";
import { formatRefusal, refusalOf, teamCreationRequest, unknownFirstMemberRoles } from "./actions.ts";
import { formatDecisionTime } from "./consistency-window.ts";
import { dateBases, type FindingDraft, type PlanContext, suggestedShapesYaml } from "./context.ts";
import { findOrphanedTeams, likelyRename, type OrphanedTeam } from "./guards/guards.ts";
import { absentTeam, type Identified, type TeamThatIs, teamFinding } from "./identify-teams.ts";
import type { UserIdentities } from "./identify-users.ts";
import { lazy, recordedBasis, unknownBasis } from "./snapshot-index.ts";

/** One team that the plan can create, and its first member. */
export interface TeamCreationPair {
  readonly team: DesiredTeam;
  readonly absence: Basis;
  readonly firstMember: EmailKey;
  /** The administrator, where that is somebody else. */
  readonly admin?: EmailKey | undefined;
}

export interface FirstMembers {
  /** In roster order. */
  readonly teamCreations: ReadonlyMap<TeamKey, TeamCreationPair>;
  /** New people who are not created yet, because a team that this plan does not create may need them. */
  readonly reserved: ReadonlySet<EmailKey>;
  /** The same people by the team that may need them, the first member first. */
  readonly reservedFor: ReadonlyMap<TeamKey, readonly EmailKey[]>;
  readonly all: FirstMemberCandidates;
  readonly pairs: FirstMemberMatching;
  /** Of each team that is not there and that this plan does not create, or creates with another first member than a refused one. */
  readonly findings: readonly FindingDraft[];
}

type MissingTeam = TeamThatIs<"absent" | "unknown" | "in-doubt">;

/** What is known of the new teams of a plan once first members are matched to them. */
interface NewTeams extends Identified {
  readonly refused: ReadonlyMap<TeamKey, readonly RefusedFirstMember[]>;
  readonly all: FirstMemberCandidates;
  readonly pairs: FirstMemberMatching;
  /** Cycles of administrator needs that stood in the way. */
  readonly cycles: readonly (readonly TeamKey[])[];
  /** Teams that the roster does not name: one of its teams may be one of them under a new name. */
  readonly orphaned: () => readonly OrphanedTeam[];
}

/** A first member with whom the service would not create a team. */
interface RefusedFirstMember {
  readonly firstMember: EmailKey;
  readonly refusal: RecordedRefusal;
}

/** A team that is not there and that this plan does not create. */
interface Uncreatable {
  /** Undefined where a guard holds the team, and says so itself. */
  readonly finding?: FindingDraft;
  /** Where it is about to be created, or its first member is to come, nobody else is kept from being created for it. */
  readonly reserves: "first-member" | "members";
  /** A person of whom the finding says already that they are not created. */
  readonly named?: EmailKey;
}

/**
 * Chooses the first member of each new team of the roster. Nobody that a guard holds is created, nor creates anything. Creating the
 * new members of a team that is not created would spend what it is created with: they are reserved for it.
 */
export function chooseFirstMembers(identified: Identified): FirstMembers {
  const { roster, teams, people, held } = identified;
  const missing = [...teams.values()].filter((one) => one.is === "absent" || one.is === "unknown");
  const inDoubt = [...teams.values()].filter((one) => one.is === "in-doubt");
  // What may be there already takes nobody from another team.
  const wanted = [...missing, ...inDoubt];
  const refused = refusedTeamCreations(wanted, identified);
  const all = { candidates: candidatesOf(wanted, refused, identified), last: held.people };
  const adminOf = (team: TeamKey) =>
    teams.get(team)?.is === "in-doubt" ? undefined : teams.get(team)?.team.admin?.value;
  const { pairs, cycles } = orderFirstMembers(all, adminOf);
  const orphaned = lazy(() => findOrphanedTeams(identified, teams));
  const uncreatable = findUncreatable(wanted, { ...identified, refused, all, pairs, cycles, orphaned });
  const creations = wanted.flatMap((identity): readonly TeamCreationPair[] => {
    const { team } = identity;
    const firstMember = pairs.firstMemberOf.get(team.key);
    if (uncreatable.has(team.key) || identity.is !== "absent" || firstMember === undefined) return [];
    const admin = team.admin?.value === firstMember ? undefined : team.admin?.value;
    return [{ team, absence: identity.absence, firstMember, admin }];
  });
  const busy = new Set(creations.flatMap(({ team, firstMember }) => [firstMember, team.admin?.value]));
  const reservedFor = new Map<TeamKey, readonly EmailKey[]>();
  const places = lazy(() =>
    multimap(roster.teams.flatMap(({ key, members }) => members.map((one) => [one.address, key] as const))),
  );
  const findings: FindingDraft[] = [];
  for (const { team } of wanted) {
    const why = uncreatable.get(team.key);
    if (why === undefined) continue;
    const firstMember = pairs.firstMemberOf.get(team.key);
    const others = team.members
      .map(({ address }) => address)
      .filter((one) => one !== firstMember && !busy.has(one) && canCreate(team, one, people));
    const reserved = [...[firstMember ?? []].flat(), ...(why.reserves === "members" ? others : [])];
    reservedFor.set(team.key, reserved);
    if (why.finding === undefined) continue;
    const waiting = reserved.filter((one) => one !== why.named);
    const more = waiting.length === 0 ? "" : ` ${sentence("reserved", { emails: userEmails(waiting, people) })}`;
    // A person is kept back in each place that the selection asks for.
    const concerns = reserved.flatMap((address) => [
      { address },
      ...(places().get(address) ?? []).map((place) => ({ address, team: place })),
    ]);
    const message = `${why.finding.message}${more}`;
    findings.push({ ...why.finding, message, concerns: [...why.finding.concerns, ...concerns] });
  }
  for (const { team, firstMember } of creations) {
    const refusals = (refused.get(team.key) ?? []).map(({ refusal }) => refusal);
    if (refusals.length === 0) continue;
    const parts = {
      refusals: refusals.map(formatRefusal).join(" "),
      team: team.name,
      email: emailOf(firstMember, people),
    };
    const about = partOf("creation", teamSubject(team.key));
    findings.push({
      ...teamFinding(team, say("refused/other-first-member", parts)),
      kind: "notice",
      restsOn: refusals.map(({ at }) => recordedBasis(about, "refused", at)),
      concerns: [{ team: team.key, address: firstMember }],
    });
  }
  return {
    teamCreations: new Map(creations.map((pair) => [pair.team.key, pair])),
    reserved: new Set([...[...reservedFor.values()].flat(), ...held.people]),
    reservedFor,
    all,
    pairs,
    findings,
  };
}

/** Whether a creation can carry this team: a new user of its account, whose own key the roster does not ask for. */
function canCreate(team: DesiredTeam, address: EmailKey, people: UserIdentities): boolean {
  const person = people.get(address);
  return person?.is === "absent" && person.user.account === team.account && person.user.ownKeyRoles === undefined;
}

/** The `firstMember` of a team, where that is a member who can create it. */
function namedFirstMember(team: DesiredTeam, people: UserIdentities): readonly EmailKey[] {
  const named = team.firstMember?.value;
  const isAble = named !== undefined && canCreate(team, named, people);
  return isAble && team.members.some(({ address }) => address === named) ? [named] : [];
}

/**
 * The members of each team who can create it and were not refused as its first members: those whose key can be asked for, where there are any.
 * A person that any team names as its first member creates no other. A team whose administrator cannot be had is left out first.
 */
function candidatesOf(
  wanted: readonly MissingTeam[],
  refused: NewTeams["refused"],
  identified: Identified,
): FirstMemberCandidates["candidates"] {
  const { people } = identified;
  const named = new Set(wanted.flatMap(({ team }) => namedFirstMember(team, people)));
  const admins = new Set(wanted.flatMap(({ is, team }) => (is === "in-doubt" ? [] : (team.admin?.value ?? []))));
  const unnamed = (team: DesiredTeam) =>
    team.members.map(({ address }) => address).filter((one) => canCreate(team, one, people) && !named.has(one));
  return new Map(
    wanted
      .filter(({ is, team }) => is === "in-doubt" || canHaveAdmin(team, people))
      .map(({ is, team }) => {
        const possible = team.firstMember === undefined ? unnamed(team) : namedFirstMember(team, people);
        const isFree = (one: EmailKey) => is !== "in-doubt" || !admins.has(one);
        const able = possible.filter((one) => isFree(one) && mayAskAgain(one, refused.get(team.key) ?? []));
        const clear = able.filter((one) => unknownFirstMemberRoles(team, one, identified).length === 0);
        return [team.key, clear.length > 0 ? clear : able];
      }),
  );
}

/**
 * The team creations that the service refused and that would be the same again, by team. One request creates a person and a
 * team, and no answer tells reliably which of both was at fault. So what is remembered is the pair: the next plan tries
 * another new member, and does not create the refused one without the team meanwhile, who would then be spent for it.
 * Somebody who is at fault themselves is refused once more alone, when another has created the team.
 */
function refusedTeamCreations(wanted: readonly MissingTeam[], context: PlanContext): NewTeams["refused"] {
  if (context.state.refusals.size === 0) return new Map();
  const refused = wanted.flatMap(({ team }) =>
    team.members.flatMap(({ address: firstMember }) => {
      const user = context.roster.users.get(firstMember);
      const refusal = user && refusalOf(teamCreationRequest(user, team, context), context);
      return refusal === undefined ? [] : [[team.key, { firstMember, refusal }] as const];
    }),
  );
  return multimap(refused);
}

/** A team that was refused in the same words with two first members is at fault itself: nobody else is tried. */
function mayAskAgain(person: EmailKey, refused: readonly RefusedFirstMember[]): boolean {
  const words = refused.map(({ refusal: { failure } }) =>
    JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]),
  );
  return !refused.some(({ firstMember }) => firstMember === person) && new Set(words).size === words.length;
}

/** Why teams are not created. A team whose administrator is reserved for another team has to wait as well. */
function findUncreatable(wanted: readonly MissingTeam[], input: NewTeams): ReadonlyMap<TeamKey, Uncreatable> {
  const { teams, people, pairs } = input;
  const found = new Map<TeamKey, Uncreatable>();
  for (const identity of wanted) {
    const why = whyUncreatable(identity, input);
    if (why !== undefined) found.set(identity.team.key, why);
  }
  for (;;) {
    const waiting = wanted.flatMap((identity) => {
      const { key, name, admin } = identity.team;
      if (admin === undefined || found.has(key) || people.get(admin.value)?.is !== "absent") return [];
      const reservedFor = pairs.teamOf.get(admin.value);
      if (reservedFor === undefined || !found.has(reservedFor)) return [];
      const other = teams.get(reservedFor)?.team.name ?? reservedFor;
      const parts = { team: name, email: emailOf(admin.value, people), other };
      return [[key, cannotCreate(identity, "members", say("cannot-create-team/admin-reserved", parts))] as const];
    });
    if (waiting.length === 0) return found;
    for (const [team, why] of waiting) found.set(team, why);
  }
}

function canHaveAdmin({ admin }: DesiredTeam, people: UserIdentities): boolean {
  return admin === undefined || (people.get(admin.value)?.is ?? "blocked") !== "blocked";
}

/** Why this plan does not create the team; undefined where it does. */
function whyUncreatable(identity: MissingTeam, input: NewTeams): Uncreatable | undefined {
  const { team } = identity;
  const { people, pairs, held } = input;
  if (identity.is === "in-doubt") return createdInDoubt(identity, input);
  const later = notStarted(identity, input);
  if (later !== undefined) return later;
  if (identity.is === "unknown") return unproven(identity, input);
  const admin = team.admin?.value;
  if (admin !== undefined && !canHaveAdmin(team, people)) {
    const texts = say("cannot-create-team/no-admin", { team: team.name, email: emailOf(admin, people) });
    return cannotCreate(identity, "members", texts);
  }
  const firstMember = pairs.firstMemberOf.get(team.key);
  if (firstMember === undefined) return withoutFirstMember(identity, input);
  const roles = unknownFirstMemberRoles(team, firstMember, input);
  if (roles.length > 0) {
    // The finding about an unknown role has the nearest name.
    const parts = { team: team.name, roles, email: emailOf(firstMember, people) };
    const because = team.members.find(({ address }) => address === firstMember)?.because;
    return cannotCreate(identity, "first-member", say("cannot-create-team/unknown-roles", parts), { because });
  }
  if (held.teams.has(team.key)) return { reserves: "first-member" };
  const named = [firstMember, admin].find((one) => one !== undefined && held.people.has(one));
  if (named === undefined) return undefined;
  const as = named === firstMember ? "first member" : "administrator";
  const texts = say("cannot-create-team/held", { team: team.name, email: emailOf(named, people), as });
  const because = people.get(named)?.user.because.slice(0, 1);
  return { ...cannotCreate(identity, "first-member", texts, { because }), named };
}

/** `more`: what comes after the reasons and the facts of the team, and what else the finding says. */
function cannotCreate(
  identity: MissingTeam,
  reserves: Uncreatable["reserves"],
  texts: FindingTexts,
  more: Partial<Pick<FindingDraft, "restsOn" | "allow" | "aspect" | "suggestedYaml">> & {
    readonly because?: readonly Reason[] | undefined;
  } = {},
): Uncreatable {
  const { because = [], restsOn = [], ...rest } = more;
  const absence = identity.is === "absent" ? [identity.absence] : [];
  const finding = teamFinding(identity.team, { ...texts, ...rest, restsOn: [...absence, ...restsOn] });
  return { reserves, finding: { ...finding, because: distinctReasons([...finding.because, ...because]) } };
}

/** A team of which nobody has started waits; one that has members needs somebody else. */
function notStarted(identity: MissingTeam, { people, policy }: NewTeams): Uncreatable | undefined {
  const { name, members, admin, firstMember, upcoming } = identity.team;
  const [next] = [...(upcoming ?? [])].sort(([, a], [, b]) => byCodeUnit(a.value, b.value));
  const isEmpty = members.length === 0 && next !== undefined;
  const asked = [
    { as: "admin", field: "admin", person: admin?.value },
    { as: "first member", field: "firstMember", person: firstMember?.value },
  ] as const;
  const startOf = (person: EmailKey | undefined) => (person === undefined ? undefined : people.get(person)?.user.from);
  const needed = asked.find(({ person }) => startOf(person) !== undefined);
  const [person, from] = isEmpty ? next : [needed?.person, startOf(needed?.person)];
  if (person === undefined || from === undefined) return undefined;
  const parts = { team: name, email: emailOf(person, people), from: from.value };
  const because = [reasonAt(from.place, "from", { name: from.value })];
  const restsOn = dateBases(partOf("from", userSubject(person)), [from], policy.today);
  if (isEmpty || needed === undefined)
    return cannotCreate(identity, "members", say("date-ahead/team-starts", parts), {
      aspect: "from",
      because,
      restsOn,
    });
  const { as, field } = needed;
  const texts = say("cannot-create-team/starts", { ...parts, as, field });
  return cannotCreate(identity, field === "firstMember" ? "first-member" : "members", texts, { because, restsOn });
}

function createdInDoubt(identity: TeamThatIs<"in-doubt">, context: PlanContext): Uncreatable {
  const { team, open } = identity;
  const email = open.intent.kind === "create-user" ? open.intent.email : "";
  const when = formatDecisionTime([open], context);
  const texts = say("unknown-outcome/team", { at: open.at, email, team: team.name, when });
  return cannotCreate(identity, "first-member", texts, {
    restsOn: [recordedBasis(teamSubject(team.key), `call announced by run ${open.run}`, open.at)],
    allow: [absentTeamCreationOf(open) ?? []].flat(),
  });
}

function unproven(identity: TeamThatIs<"unknown">, { snapshot }: PlanContext): Uncreatable {
  const { team, code, why } = identity;
  const names = { team: team.name, why };
  const restsOn = [unknownBasis(teamSubject(team.key), why)];
  switch (code) {
    case "team-identifier-unknown":
      return cannotCreate(identity, "members", say("team-identifier-unknown/former-name", names), { restsOn });
    case "incomplete-read":
      return cannotCreate(identity, "members", say("incomplete-read/team", names), { restsOn });
    case "unproven-absence": {
      const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
      const unread = missed.filter(({ like }) => like !== "roles");
      const texts = say("unproven-absence/team", { ...names, fields: unreadFieldNames(unread) });
      const suggestedYaml = unread.length === 0 ? undefined : suggestedShapesYaml(unread);
      return cannotCreate(identity, "members", texts, { restsOn, allow: [absentTeam(team)], suggestedYaml });
    }
  }
}

/** The service refused everybody, there are too few for all teams, or they wait for each other. */
function withoutFirstMember(identity: MissingTeam, input: NewTeams): Uncreatable {
  const { team } = identity;
  const { people, refused, all, pairs, cycles } = input;
  const refusedHere = refused.get(team.key) ?? [];
  if (refusedHere.length > 0) {
    const about = partOf("creation", teamSubject(team.key));
    const refusals = refusedHere.map(({ refusal }) => formatRefusal(refusal)).join(" ");
    const asked = refusedHere[0]?.refusal.asked ?? "";
    return cannotCreate(identity, "members", say("refused/team", { refusals, asked }), {
      restsOn: refusedHere.map(({ refusal }) => recordedBasis(about, "refused", refusal.at)),
      because: refusedHere.flatMap(({ firstMember }) => people.get(firstMember)?.user.because.slice(0, 1) ?? []),
      allow: refusedHere.slice(0, 1).map(({ refusal }) => retryOf(refusal)),
    });
  }
  const names = { team: team.name, account: team.account };
  const rivals = competitors(all, pairs, team.key);
  const { firstMember } = team;
  if (rivals.people.length >= rivals.teams.length) {
    const own = cycles.filter((cycle) => cycle.includes(team.key));
    const cycle = [...new Set((own.length > 0 ? own : cycles).flat())];
    const texts = say("cannot-create-team/cycle", { ...names, teams: teamNames(cycle, input) });
    return needsNewMember(identity, texts, { teams: cycle, people: [] }, input);
  }
  const texts =
    rivals.people.length > 0
      ? say("cannot-create-team/too-few", {
          ...names,
          teams: teamNames(rivals.teams, input),
          people: rivals.people.length,
          emails: userEmails(rivals.people, people),
        })
      : firstMember === undefined
        ? say("cannot-create-team/none-left", names)
        : say("cannot-create-team/wrong-first-member", { ...names, email: emailOf(firstMember.value, people) });
  return needsNewMember(identity, texts, rivals, input);
}

/** A team that is perhaps there under another name is first of all to be called by it: made by hand it would be there twice. */
function needsNewMember(
  identity: MissingTeam,
  texts: FindingTexts,
  about: { readonly teams: readonly TeamKey[]; readonly people: readonly EmailKey[] },
  { teams, people, roster, orphaned }: NewTeams,
): Uncreatable {
  const because = [
    ...about.teams.flatMap((key) => teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...about.people.flatMap((address) => people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
  const rename = likelyRename(identity.team, orphaned(), roster);
  if (rename === undefined) return cannotCreate(identity, "members", texts, { because });
  const { names, restsOn } = rename;
  const advice = say("cannot-create-team/renamed", { ...names, otherwise: texts.message });
  return cannotCreate(identity, "members", advice, { because, restsOn });
}

function teamNames(keys: readonly TeamKey[], { teams }: NewTeams): readonly string[] {
  return keys.map((key) => teams.get(key)?.team.name ?? key);
}

function userEmails(addresses: readonly EmailKey[], people: UserIdentities): readonly string[] {
  return addresses.map((address) => emailOf(address, people));
}

function emailOf(address: EmailKey, people: UserIdentities): string {
  return people.get(address)?.user.email ?? address;
}

/** Who may create which team. Teams in roster order, people in the order of their preference. */
export interface FirstMemberCandidates {
  readonly candidates: ReadonlyMap<TeamKey, readonly EmailKey[]>;
  /** People who are taken only where nobody else is left. */
  readonly last?: ReadonlySet<EmailKey>;
}

/** Teams and first members, paired: each person creates at most one team. */
interface FirstMemberMatching {
  readonly firstMemberOf: ReadonlyMap<TeamKey, EmailKey>;
  readonly teamOf: ReadonlyMap<EmailKey, TeamKey>;
}

type AdminOf = (team: TeamKey) => EmailKey | undefined;

type Cycle = readonly TeamKey[];

interface OrderedFirstMembers {
  readonly pairs: FirstMemberMatching;
  /** Cycles of administrator needs that stood in the way of other pairs. */
  readonly cycles: readonly Cycle[];
}

/** Cycles are rare and short: more tries than this only where somebody makes them on purpose. */
const maxTries = 200;

/**
 * Matches first members so that no two wait for each other's creation. Preferring administrators has already rotated every
 * cycle away that can be; what is left goes through a named first member. Of each such cycle one pair has to be given up:
 * the one is sought with which the most teams, and of these the first in the roster, can still be created.
 */
function orderFirstMembers(all: FirstMemberCandidates, adminOf: AdminOf): OrderedFirstMembers {
  const order = [...all.candidates.keys()];
  let tries = maxTries;
  return breakCycles(all, []);

  function breakCycles(from: FirstMemberCandidates, cycles: readonly Cycle[]): OrderedFirstMembers {
    const pairs = matchFirstMembers(from, adminOf);
    const cycle = firstCycle(order, pairs, adminOf);
    if (cycle === undefined) return { pairs, cycles };
    let best: OrderedFirstMembers | undefined;
    // What is given up without a search is rather of the last team in the roster.
    for (const team of order.filter((one) => cycle.includes(one)).reverse()) {
      const firstMember = pairs.firstMemberOf.get(team);
      if (firstMember === undefined || (best !== undefined && tries <= 0)) continue;
      tries -= 1;
      const others = (from.candidates.get(team) ?? []).filter((one) => one !== firstMember);
      const rest = { ...from, candidates: new Map(from.candidates).set(team, others) };
      if (best !== undefined && !isBetter(matchFirstMembers(rest, adminOf), best.pairs, order)) continue;
      const found = breakCycles(rest, [...cycles, cycle]);
      if (best === undefined || isBetter(found.pairs, best.pairs, order)) best = found;
    }
    return best ?? { pairs, cycles };
  }
}

function isBetter(one: FirstMemberMatching, other: FirstMemberMatching, order: readonly TeamKey[]): boolean {
  const [mine, others] = [one.firstMemberOf, other.firstMemberOf];
  if (mine.size !== others.size) return mine.size > others.size;
  const differing = order.find((team) => mine.has(team) !== others.has(team));
  return differing !== undefined && mine.has(differing);
}

/** From each team on to the one whose first member is its administrator, and so must be created before. */
function firstCycle(order: readonly TeamKey[], pairs: FirstMemberMatching, adminOf: AdminOf): Cycle | undefined {
  const neededFirst = (team: TeamKey) => {
    const [firstMember, admin] = [pairs.firstMemberOf.get(team), adminOf(team)];
    return firstMember === undefined || admin === undefined || admin === firstMember
      ? undefined
      : pairs.teamOf.get(admin);
  };
  const visited = new Set<TeamKey>();
  for (const start of order) {
    const path: TeamKey[] = [];
    let team: TeamKey | undefined = start;
    while (team !== undefined && !visited.has(team)) {
      visited.add(team);
      path.push(team);
      team = neededFirst(team);
    }
    if (team !== undefined && path.includes(team)) return path.slice(path.indexOf(team));
  }
  return undefined;
}

/**
 * A largest matching. Teams are served in roster order and none loses its first member to a later one, so that the
 * teams served are the first possible ones. Then each team in turn gets its administrator as its first member, where
 * all others can still be served: no two teams are left that need each other's administrator first, unless a
 * team has no choice.
 */
export function matchFirstMembers(all: FirstMemberCandidates, adminOf: AdminOf): FirstMemberMatching {
  const { candidates, last = new Set() } = all;
  const preferred =
    last.size === 0
      ? candidates
      : new Map([...candidates].map(([team, people]) => [team, people.filter((one) => !last.has(one))] as const));
  const matching: MutableMatching = { firstMemberOf: new Map(), teamOf: new Map() };
  // Nobody who was taken is released again, so that those who come last are as few as they can be.
  for (const choices of [preferred, candidates]) {
    for (const team of candidates.keys()) {
      if (!matching.firstMemberOf.has(team)) serve(team, choices, matching, new Set());
    }
  }
  preferAdmins(preferred, matching, adminOf);
  return matching;
}

interface MutableMatching {
  readonly firstMemberOf: Map<TeamKey, EmailKey>;
  readonly teamOf: Map<EmailKey, TeamKey>;
}

function assign({ firstMemberOf, teamOf }: MutableMatching, team: TeamKey, person: EmailKey): void {
  firstMemberOf.set(team, person);
  teamOf.set(person, team);
}

/** Finds a first member for one more team by a shortest alternating path that leaves the fixed teams alone. */
function serve(
  start: TeamKey,
  candidates: FirstMemberCandidates["candidates"],
  matching: MutableMatching,
  fixed: ReadonlySet<TeamKey>,
): boolean {
  const reachedFrom = new Map<EmailKey, TeamKey>();
  const queue = [start];
  for (const team of queue) {
    for (const person of candidates.get(team) ?? []) {
      if (reachedFrom.has(person)) continue;
      reachedFrom.set(person, team);
      const holder = matching.teamOf.get(person);
      if (holder === undefined) {
        flipPath(person, reachedFrom, matching);
        return true;
      }
      if (!fixed.has(holder)) queue.push(holder);
    }
  }
  return false;
}

function flipPath(free: EmailKey, reachedFrom: ReadonlyMap<EmailKey, TeamKey>, matching: MutableMatching): void {
  let person: EmailKey | undefined = free;
  while (person !== undefined) {
    const team = reachedFrom.get(person);
    if (team === undefined) return;
    const released = matching.firstMemberOf.get(team);
    assign(matching, team, person);
    person = released;
  }
}

function preferAdmins(candidates: FirstMemberCandidates["candidates"], matching: MutableMatching, adminOf: AdminOf) {
  const { firstMemberOf, teamOf } = matching;
  const fixed = new Set<TeamKey>();
  for (const [team, people] of candidates) {
    const [admin, firstMember] = [adminOf(team), firstMemberOf.get(team)];
    if (admin === undefined || firstMember === undefined || !people.includes(admin)) continue;
    const holder = teamOf.get(admin);
    if (holder !== undefined && holder !== team && fixed.has(holder)) continue;
    fixed.add(team);
    if (holder === team) continue;
    assign(matching, team, admin);
    teamOf.delete(firstMember);
    if (holder === undefined) continue;
    firstMemberOf.delete(holder);
    if (serve(holder, candidates, matching, fixed)) continue;
    fixed.delete(team);
    assign(matching, holder, admin);
    assign(matching, team, firstMember);
  }
}

/**
 * The smallest set of teams that are too many for their candidates, and these candidates: all that alternating
 * paths from an unserved team reach. It is minimal because every other team in it is served by one of them.
 */
export function competitors({ candidates }: FirstMemberCandidates, { teamOf }: FirstMemberMatching, unserved: TeamKey) {
  const teams = new Set([unserved]);
  const people = new Set<EmailKey>();
  for (const team of teams) {
    for (const person of candidates.get(team) ?? []) {
      people.add(person);
      const rival = teamOf.get(person);
      if (rival !== undefined) teams.add(rival);
    }
  }
  return { teams: [...teams], people: [...people] };
}
