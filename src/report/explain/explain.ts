import { type CatalogueEntry, formatExitCode } from "../../codes/catalogue.ts";
import { formatCount } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import type { Located, Place, ReadName, Reason, Subject } from "../../model/fact.ts";
import { factValue, formatPlace, formatSubject, isSameReason, namesIn, reasonAt } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { isDeleted, type ObservedKey, shownTeam } from "../../model/key.ts";
import { type Action, type InSync, type Plan, peopleOf, prefixOf, teamOf } from "../../model/plan.ts";
import type { HeldKey, KeyInRoster, Roster, RosterIndex } from "../../model/roster.ts";
import { indexRoster, knownAddresses } from "../../model/roster.ts";
import type { ReadRecord, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { DesiredTeam, TeamIdentity } from "../../model/team.ts";
import { disambiguatedTeamKey, foldName, membershipReasons, teamKeyOf } from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import { formatRoles, type RoleSet, sameRoles, type TeamKey } from "../../model/values.ts";
import type { ExplainedAction } from "../document/actions.ts";
import { actionEntry, explainAction, readLines, reasonChainLines, whyEntry } from "../document/actions.ts";
import type { PlanNames } from "../document/names.ts";
import {
  capitalized,
  formatIntent,
  formatOwnership,
  formatSource,
  ownershipAside,
  planNames,
  present,
  teamsOfPlan,
} from "../document/names.ts";
import { findingEntry } from "../document/tasks.ts";
import type { Block, Content, Entry, Line, Section } from "../document/tree.ts";
import * as t from "../document/tree.ts";

export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };

/** A user by the folded address, a team by a name or an identifier, a key by its prefix, a finding by its fingerprint. */
export type ExplainTarget =
  | { readonly is: "user"; readonly name: EmailKey }
  | { readonly is: "team"; readonly name: string }
  | { readonly is: "role" | "key" | "action" | "finding"; readonly name: string };

export interface ExplainedTarget
  extends Readonly<Record<"roster" | "service" | "state" | "unasked", readonly Statement[]>> {
  readonly is: ExplainTarget["is"];
  readonly name: string;
  readonly from: "service" | "saved-plan";
  readonly actions: readonly ExplainedAction[];
  readonly findings: readonly Finding[];
  readonly inSync: readonly InSync[];
  readonly plan: Plan;
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

export interface ExplainContext extends Pick<ExplainedTarget, "plan" | "inSync" | "refused"> {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
}

export function explainTarget(target: ExplainTarget, known: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, state } = known;
  const index = indexRoster(roster, state);
  const service = serviceFacts(snapshot, state, index);
  const context = { ...known, index, facts: { roster: rosterFacts(roster), service, state: stateFacts(state) } };
  switch (target.is) {
    case "user":
      return explainUser(target.name, context);
    case "team":
      return findTeams(target.name, context).flatMap((team) => explainTeam(team, context));
    case "key":
      return explainKey(target.name, context);
    case "role":
      return explainRole(target.name, context);
    case "action":
    case "finding":
      return explained(target, noFacts, context);
  }
}

export function explainFromSavedPlan(target: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  const things: readonly Thing[] = target.is === "team" ? plannedTeams(plan, target.name) : [target];
  return things.flatMap((thing) => {
    const name = thing.is === "user" ? planNames(plan).email(thing.name) : thing.name;
    return explained(thing, noFacts, { plan }, { from: "saved-plan", name });
  });
}

/** `entry`: where the roster has it. `lacking`: who is to have the role, and nothing gives it. */
type Thing = ExplainTarget & {
  readonly team?: TeamKey;
  readonly entry?: Reason | undefined;
  readonly lacking?: readonly KnownFact[];
};

/** Which actions and findings of a plan are about a thing. */
function aboutThing(meant: Thing): {
  readonly action: (action: Action) => boolean;
  readonly finding: (finding: Finding) => boolean;
} {
  const { name, team, entry, lacking = [] } = meant;
  const isAsked = ({ because }: Finding) => entry !== undefined && because.some((link) => isSameReason(link, entry));
  switch (meant.is) {
    case "user":
      return {
        action: (action) => peopleOf(action).includes(meant.name),
        finding: (finding) =>
          isAsked(finding) ||
          namesIn(finding.subject).address === name ||
          finding.because.some(({ person }) => person === name) ||
          finding.restsOn.some(({ about }) => about.kind === "user" && about.address === name),
      };
    case "team":
      return {
        action: (action) => teamOf(action) === team,
        finding: (finding) => isAsked(finding) || namesIn(finding.subject).team === team,
      };
    case "key":
      return {
        action: (action) => action.kind === "replace-roles" && prefixOf(action) === name,
        finding: ({ subject, restsOn }) =>
          [subject, ...restsOn.map(({ about }) => about)].some((about) => namesIn(about).prefix === name),
      };
    case "role":
      return {
        action: (action) => roleEffect(action, name) !== undefined,
        finding: ({ subject, roles = [] }) =>
          (subject.kind === "role-on-key" && subject.role === name) ||
          formatSubject(subject) === `role ${name}` ||
          roles.includes(name) ||
          lacking.some((fact) => isKeptBy(subject, fact)),
      };
    case "action":
      return { action: ({ id }) => id === name, finding: () => false };
    case "finding":
      return { action: () => false, finding: ({ fingerprint }) => fingerprint === name };
  }
}

/** Whether a finding of this subject may keep somebody from what they are to have. */
function isKeptBy(subject: Subject, { users = [], team, prefix }: KnownFact): boolean {
  const { address, team: ofTeam, prefix: ofKey } = namesIn(subject);
  if (address !== undefined) return users.includes(address);
  return ofTeam === undefined ? ofKey !== undefined && prefix === ofKey : team === ofTeam;
}

/** Whether an action gives a role, if only for a short time as the creation of a team may, or takes it. */
function roleEffect(action: Action, role: string): "gives" | "takes" | undefined {
  if (action.kind === "create-user") {
    const { accessKeyRoles = [], temporaryRoles = [] } = action.createsTeam ?? {};
    return [...accessKeyRoles, ...temporaryRoles].includes(role) ? "gives" : undefined;
  }
  if (action.kind === "add-members") return undefined;
  const had = factValue(action.before)?.includes(role) === true;
  if (had === action.roles.includes(role)) return undefined;
  return had ? "takes" : "gives";
}

/** Teams that a plan names, by name or identifier. A finding names its team only in its reasons. */
function plannedTeams(plan: Plan, written: string): readonly Thing[] {
  const isMeant = (name: string) => foldName(name) === foldName(written);
  const teams = teamsOfPlan(plan).filter(({ name, identifier }) => identifier === written || isMeant(name));
  if (teams.length > 0) return teams.map(({ team, name }) => ({ is: "team", team, name }));
  const reasons = plan.findings.flatMap(({ because }) => because);
  const name = reasons.find((link) => link.as === "team" && isMeant(link.name ?? ""))?.name;
  const keys = plan.findings.flatMap(({ subject }) => namesIn(subject).team ?? []);
  const team = name === undefined ? undefined : keys.find((key) => key.endsWith(`/${foldName(name)}`));
  return team === undefined || name === undefined ? [] : [{ is: "team", team, name }];
}

interface LiveContext extends ExplainContext {
  readonly index: RosterIndex;
  readonly facts: Facts;
}

type Facts = Readonly<Record<"roster" | "service" | "state", readonly KnownFact[]>>;

const noFacts: Facts = { roster: [], service: [], state: [] };

function factsAbout(isAbout: (fact: KnownFact) => boolean, { facts }: LiveContext): Facts {
  const { roster, service, state } = facts;
  return { roster: roster.filter(isAbout), service: service.filter(isAbout), state: state.filter(isAbout) };
}

function explained(
  meant: Thing,
  about: Facts,
  { plan, snapshot, refused }: Pick<ExplainContext, "plan"> & Partial<ExplainContext>,
  more: Partial<ExplainedTarget> = {},
): readonly ExplainedTarget[] {
  const person = meant.is === "user" ? meant.name : undefined;
  const isAbout = aboutThing(meant);
  const [actions, findings] = [plan.actions.filter(isAbout.action), plan.findings.filter(isAbout.finding)];
  if ([actions, findings, about.roster, about.service, about.state].every(({ length }) => length === 0)) return [];
  const thing = { is: meant.is, name: meant.name, from: "service", plan, findings, refused, ...about } as const;
  const told = actions.map((action) => explainAction(action, plan, person));
  const readings = snapshot?.readings ?? new Map<ReadName, ReadRecord>();
  return [{ ...thing, actions: told, inSync: [], unasked: [], readings, ...more }];
}

function explainUser(written: EmailKey, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, facts, inSync } = context;
  const address = personAt(written, context);
  const entry = roster.users.get(address) ?? roster.leavers.get(address);
  const addresses = knownAddresses(address, roster);
  const about = factsAbout(({ users = [] }) => users.some((one) => addresses.includes(one)), context);
  const prefixes = new Set([...about.service, ...about.state].flatMap(({ prefix }) => prefix ?? []));
  const ofTheirKeys = facts.state.filter(({ users, prefix = "" }) => users === undefined && prefixes.has(prefix));
  const shown = snapshot.users.filter((user) => user.address === address);
  const unseen = addresses.filter((one) => !snapshot.users.some((user) => user.address === one));
  const unnamed = entry === undefined ? shown : [];
  const unasked = unnamed.map(({ email, by }): Statement => ({ says: `the roster does not name ${email}`, by }));
  return explained({ is: "user", name: address, entry: entry?.because[0] }, about, context, {
    name: entry?.email ?? shown[0]?.email ?? address,
    service: [...about.service, ...unseen.map((one) => notShown(one, snapshot))],
    state: [...about.state, ...ofTheirKeys],
    inSync: inSync.filter((one) => one.address === address),
    unasked: [...unasked, ...unmanagedKeys(about.service, ["named", "unlisted"], context)],
  });
}

/** The address of the user who has it in the roster, else of the user who had it before, else the address itself. */
function personAt(address: EmailKey, { index }: LiveContext): EmailKey {
  return index.isLeaver(address) ? address : (index.userAt(address)?.address ?? address);
}

function notShown(address: EmailKey, snapshot: Snapshot): Statement {
  const absence = snapshot.absences.get(address);
  const by = completeList(snapshot);
  if (absence?.proven === true) return { says: `no user at ${address} (proven)`, by: absence.by };
  if (absence !== undefined) return { says: `no user at ${address}, not proven: ${absence.why}` };
  return { says: by ? `no user at ${address} in the list of users` : `roster did not search for ${address}`, by };
}

function completeList({ everyone }: Snapshot): ReadName | undefined {
  return everyone.read === "complete" ? everyone.by : undefined;
}

/** Those of whose roles the roster says nothing, whatever part of it the plan is of. */
function unmanagedKeys(
  shown: readonly KnownFact[],
  which: readonly KeyInRoster["is"][],
  { index }: LiveContext,
): readonly Statement[] {
  const unmanaged = shown.filter(({ held }) => held !== undefined && which.includes(index.keyOf(held).is));
  return unmanaged.map(({ says, by }) => ({ says: `the roster gives no roles for the key of ${says}`, by }));
}

function explainTeam({ team, name }: NamedTeam, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, index, inSync } = context;
  const { capabilities } = snapshot;
  const entry = index.teamWithKey(team);
  const about = factsAbout((fact) => fact.team === team, context);
  const members = new Set(entry?.members.map(({ address }) => address));
  const strangers = about.service.flatMap(({ users: [address] = [], says, by }): readonly Statement[] => {
    if (address === undefined || members.has(personAt(address, context))) return [];
    const why = roster.leavers.has(address) ? "a leaver is in it" : "in it, and no member in the roster";
    return [{ says: `${why}: ${says}`, by }];
  });
  const unread = { says: "no key of this team was read", by: completeList(snapshot) };
  const isHidden = capabilities.teamsOnKeys !== "shown";
  const noKey = isHidden ? { says: "the service does not show which team a key belongs to" } : unread;
  const isUnnamed = entry === undefined && about.service.length > 0;
  return explained({ is: "team", name, team, entry: entry?.because[0] }, about, context, {
    // Of a member, the line is enough: there may be hundreds of them.
    roster: about.roster.map(({ because = [], ...fact }) => {
      const [first, second] = because;
      const place = first?.as === "group" ? second : first;
      return fact.entry === undefined || place === undefined ? { ...fact, because } : { ...fact, place };
    }),
    service: about.service.length > 0 ? about.service : [noKey],
    inSync: inSync.filter((one) => one.team === team),
    unasked: isUnnamed ? [{ says: "the roster does not name this team" }] : strangers,
  });
}

type NamedTeam = Pick<TeamIdentity, "team" | "name">;

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
function findTeams(written: string, { roster, state, facts }: LiveContext): readonly NamedTeam[] {
  const isName = (name: string | undefined) => name !== undefined && foldName(name) === foldName(written);
  const ofRoster = roster.teams.map(({ key: team, name, identifier, previously }) => {
    return { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier, previously };
  });
  const own = new Set(ofRoster.map(({ team }) => team));
  const others = [...state.teams.values()].filter(({ team }) => !own.has(team));
  const named: readonly TeamIdentity[] = [...ofRoster, ...others];
  const meant = named.filter(({ name, identifier }) => identifier === written || isName(name));
  if (meant.length > 0) return meant;
  const former = ofRoster.filter(({ previously }) => previously.some(({ value }) => isName(value)));
  if (former.length > 0) return former;
  for (const { team, held } of facts.service) {
    const { name, identifier } = (held && shownTeam(held.key)) ?? {};
    if (team !== undefined && (identifier === written || isName(name)))
      return [{ team, name: ofRoster.find((one) => one.team === team)?.name ?? name ?? written }];
  }
  return [];
}

function explainKey(prefix: string, context: LiveContext): readonly ExplainedTarget[] {
  const { snapshot, index, facts, inSync } = context;
  const { service, state } = factsAbout((fact) => fact.prefix === prefix, context);
  const owners = state.flatMap(({ users = [] }) => users);
  const recorded = owners.map((address) => ({ key: { prefix }, holder: { address } }));
  const held = service.length > 0 ? service.flatMap((fact) => fact.held ?? []) : recorded;
  const entries = new Set<unknown>(held.flatMap((one) => index.keyOf(one).entries));
  const roster = facts.roster.filter((fact) => fact.prefix === prefix || entries.has(fact.entry));
  const isHidden = snapshot.capabilities.keysOnUsers === "hidden";
  const nobody = isHidden ? "the service does not show the keys of users" : "no user that was read has this key";
  return explained({ is: "key", name: prefix }, { roster, service, state }, context, {
    service: service.length > 0 ? service : [{ says: nobody }],
    inSync: inSync.filter((one) => one.prefix === prefix),
    unasked: unmanagedKeys(service, ["named", "unlisted"], context),
  });
}

function explainRole(role: string, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, plan } = context;
  // A deleted key opens nothing any more.
  const isOpen = ({ held }: KnownFact) => held === undefined || !isDeleted(held.key);
  const about = factsAbout((fact) => fact.roles?.includes(role) === true && isOpen(fact), context);
  const sets = new Map([...roster.roleSets].filter(([, { value }]) => value.includes(role)));
  const has = [...sets].map(([name, { place }]): Statement => ({ says: `the role set ${name} has it`, place }));
  const giving = plan.actions.filter((action) => roleEffect(action, role) === "gives").flatMap(peopleOf);
  const holding = about.service.flatMap(({ users = [] }) => users.map((one) => personAt(one, context)));
  const holders = new Set([...giving, ...holding]);
  const lacking = about.roster.filter(({ users = [] }) => !users.some((one) => holders.has(one)));
  // Role sets that stand in the same list and give other roles.
  const needs = about.roster.map(({ because = [], ...fact }) => {
    return { ...fact, because: because.filter(({ as, name = "" }) => as !== "role-set" || sets.has(name)) };
  });
  const nobody = { says: "no key has it", by: completeList(snapshot) };
  const offered = offeredRole(role, snapshot);
  const isOffered = factValue(snapshot.roles)?.some(({ identifier }) => identifier === role) === true;
  const found = { ...about, roster: [...has, ...needs], service: [...(isOffered ? [offered] : []), ...about.service] };
  return explained({ is: "role", name: role, lacking }, found, context, {
    roster: [...has, ...(needs.length === 0 ? [{ says: "no key needs it" }] : needs)],
    service: [offered, ...(about.service.length === 0 ? [nobody] : about.service), ...unseenKeys(snapshot)],
    unasked: unmanagedKeys(about.service, ["unlisted"], context),
  });
}

function offeredRole(role: string, { roles }: Snapshot): Statement {
  if (roles.known !== "observed") return { says: "the roles of the service are unknown" };
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return { says: "the service does not offer this role", by: roles.by };
  const name = found.name === undefined || found.name === role ? "" : `: ${found.name}`;
  const type = found.type === undefined ? "" : `, of type ${found.type}`;
  return { says: `the service offers this role${name}${type}`, by: roles.by };
}

function unseenKeys({ users, everyone }: Snapshot): readonly Statement[] {
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  const why = everyone.read === "incomplete" ? `: ${everyone.why}` : "";
  const texts = present(
    hidden > 0 && `the service does not show the keys of ${formatCount(hidden, "user")}`,
    bare > 0 && `the service does not show the roles of ${formatCount(bare, "key")}`,
    everyone.read !== "complete" && `not all users were read${why}`,
  );
  return texts.map((says) => ({ says }));
}

export interface Statement {
  readonly says: string;
  readonly place?: Place;
  readonly because?: readonly Reason[];
  readonly by?: ReadName | undefined;
  /** ISO 8601, when it was recorded. */
  readonly at?: string | undefined;
}

interface KnownFact extends Statement {
  readonly users?: readonly EmailKey[];
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
  readonly roles?: RoleSet | undefined;
  /** What of the roster leads to a key. */
  readonly entry?: KeyInRoster["entries"][number];
  readonly held?: HeldKey;
}

function located<T>(one: Located<T> | undefined, says: (value: T) => string): readonly KnownFact[] {
  return one === undefined ? [] : [{ says: says(one.value), place: one.place }];
}

function rosterFacts(roster: Roster): readonly KnownFact[] {
  const { users, leavers, teams, keys } = roster;
  return [
    ...[...users.values()].flatMap(userFacts),
    ...[...leavers.values()].map((leaver): KnownFact => {
      const { address, email, since, ownership, because } = leaver;
      const notes = present(since && `since ${since}`, ownership && formatOwnership(ownership)).join(", ");
      const says = `${joinAside(`${email} is a leaver`, notes)} without roles`;
      return { says, because, users: [address], entry: leaver };
    }),
    ...teams.flatMap((team) => teamFacts(team, roster)),
    ...keys.map((key): KnownFact => {
      const { prefix, owner, ownership, roles, because } = key;
      const of = owner === undefined ? "" : ` of ${users.get(owner.value)?.email ?? owner.value}`;
      const says = `the listed key ${prefix}${of}${ownershipAside(ownership)}: ${formatRoles(roles)}`;
      const chain = owner ? [...because, reasonAt(owner.place, "key-owner", { name: owner.value })] : because;
      return { says, because: chain, users: owner ? [owner.value] : [], prefix, roles, entry: key };
    }),
  ];
}

function userFacts(user: DesiredUser): readonly KnownFact[] {
  const { address, email, account, firstName, lastName, ownKeyRoles, key, from, until, ownership, because } = user;
  const more = [user.title, user.externalIdentifier, user.source].filter((field) => field !== undefined);
  const profile = [`${firstName} ${lastName}`, ...more].join(", ");
  const chain = [...(key ? [reasonAt(key.place, "known-prefix")] : []), ...(ownKeyRoles?.because ?? [])];
  const roles = ownKeyRoles?.value;
  const says = `the own key of ${email}: ${formatAsked(roles)}`;
  const granted = { says, because: chain, prefix: key?.value, roles, entry: user };
  const facts: readonly KnownFact[] = [
    { says: `${email} is a user of ${account}: ${profile}${ownershipAside(ownership)}`, because },
    ...located(from, (day) => `${email} starts on ${day}`),
    ...located(until, (day) => `${email} leaves on ${day}`),
    ...user.previously.flatMap((one) => located(one, (former) => `${email} was known before as ${former}`)),
    ...user.distinctFrom.flatMap((one) => located(one, (other) => `${email} is not the same person as ${other}`)),
    ...(ownKeyRoles === undefined && key === undefined ? [] : [granted]),
  ];
  return facts.map((fact) => ({ ...fact, users: [address] }));
}

function teamFacts(team: DesiredTeam, { users }: Roster): readonly KnownFact[] {
  const { key, name, account, identifier, previously, admin, firstMember, open, onRemoval, onRemovalAt } = team;
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  const locatedUser = (one: Located<EmailKey> | undefined, says: string) =>
    located(one, (address) => `${emailOf(address)} is the ${says} of ${name}, if the team is new`).map((fact) => {
      return { ...fact, users: one === undefined ? [] : [one.value] };
    });
  const says = `${name} is a team of ${account}${open ? ", open to others" : ""}${ownershipAside(team.ownership)}`;
  const facts: readonly KnownFact[] = [
    { says, because: team.because },
    ...located(identifier, (one) => `the identifier of ${name} is ${one}`),
    ...previously.flatMap((one) => located(one, (former) => `${name} was known before as ${former}`)),
    ...locatedUser(admin, "admin"),
    ...locatedUser(firstMember, "first member"),
    ...(onRemovalAt === undefined ? [] : [{ says: `extra members of ${name}: ${onRemoval}`, place: onRemovalAt }]),
    ...team.members.map((member): KnownFact => {
      const { address, roles, key: prefix, because, alsoBy = [] } = member;
      const email = emailOf(address);
      const groups = membershipReasons(member).flatMap((link) => (link.as === "group" ? (link.name ?? []) : []));
      const also = because[0]?.as === "member" ? ", also" : "";
      const all = `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
      const through = groups.length === 0 ? "" : `${also} through the ${all}`;
      const says = `${email} is a member of ${name}${through}${ownershipAside(member.ownership)}: ${formatAsked(roles)}`;
      const chain = [...because, ...alsoBy, ...(prefix ? [reasonAt(prefix.place, "known-prefix")] : [])];
      return { says, because: chain, users: [address], prefix: prefix?.value, roles, entry: member };
    }),
    ...[...(team.upcoming ?? [])].map(([address, { value: day, place }]): KnownFact => {
      return { says: `${emailOf(address)} is a member of ${name} from ${day} on`, place, users: [address] };
    }),
  ];
  return facts.map((fact) => ({ ...fact, team: key }));
}

function formatAsked(roles: RoleSet | undefined): string {
  return roles === undefined ? "roles not managed" : formatRoles(roles);
}

function serviceFacts({ users: all }: Snapshot, { teams }: State, index: RosterIndex): readonly KnownFact[] {
  const identified = new Map([...teams.values()].map(({ team, identifier }) => [identifier, team]));
  /** A team that the roster does not have, by the record or by what its keys show. */
  const unnamedTeam = (key: ObservedKey, account = ""): TeamKey | undefined => {
    const shown = shownTeam(key);
    if (shown === undefined || isDeleted(key)) return undefined;
    const { identifier, name = identifier ?? "" } = shown;
    const recorded = identifier === undefined ? undefined : identified.get(identifier);
    const team = recorded ?? teamKeyOf(account, name);
    if (index.teamWithKey(team) === undefined) return team;
    return identifier === undefined ? undefined : disambiguatedTeamKey(account, name, identifier);
  };
  return all.flatMap((holder): readonly KnownFact[] => {
    const { address, identifier, email, account, status, keys, by } = holder;
    const name = identifier === undefined ? `a user at ${email}` : `the user ${identifier} at ${email}`;
    const where = account === undefined ? "" : ` in ${account}`;
    const shown = `${name}${where}, ${status ?? "status not shown"}`;
    const users = [address];
    return [
      { says: keys === undefined ? `${shown}, keys not shown` : shown, by, users },
      ...(keys ?? []).map((key) => {
        const team = index.teamOf(key)?.key ?? unnamedTeam(key, account);
        const { prefix, roles } = key;
        return { says: `${email}: ${formatObservedKey(key)}`, by, users, team, prefix, roles, held: { key, holder } };
      }),
    ];
  });
}

function formatObservedKey(key: ObservedKey): string {
  const { prefix, kind, status, roles } = key;
  const { name, identifier } = shownTeam(key) ?? {};
  const about = [kind, status].filter((word) => word !== undefined).join(", ");
  const named = name === undefined ? `the team ${identifier ?? "without a name"}` : joinAside(name, identifier);
  const where = shownTeam(key) === undefined ? "" : ` in ${named}`;
  return `${joinAside(`key ${prefix}${where}`, about)}: ${roles === undefined ? "roles not shown" : formatRoles(roles)}`;
}

function joinAside(text: string, aside = ""): string {
  return aside === "" ? text : `${text} (${aside})`;
}

function stateFacts(state: State): readonly KnownFact[] {
  const { users, teams, memberships, keys, open, refusals, applied } = state;
  const nameOf = (address: EmailKey) => users.get(address)?.email ?? address;
  return [
    ...[...users.values()].map(({ address, email, createdAt, seenAt, identifier, key, createdTeam }): KnownFact => {
      const team = createdTeam && `with the new team ${createdTeam}`;
      const known = present(identifier && `as ${identifier}`, key && `with the key ${key}`, team).join(", ");
      const says = `${email}: ${createdAt === undefined ? "seen" : "created by roster"} ${known}`.trim();
      return { says, users: [address], prefix: key, at: createdAt ?? seenAt };
    }),
    ...[...teams.values()].map(({ team, name, identifier, firstMember, at }): KnownFact => {
      const how = firstMember === undefined ? "seen" : `created with ${firstMember}`;
      const known = identifier === undefined ? "identifier unknown" : `as ${identifier}`;
      return { says: `${name}: ${how}, ${known}`, at, team };
    }),
    ...[...memberships.values()].map(({ address, team, how, at, prefix }): KnownFact => {
      const key = prefix === undefined ? "" : `, with the key ${prefix}`;
      const says = `${nameOf(address)} in ${teams.get(team)?.name ?? team}: ${how}${key}`;
      return { says, at, users: [address], team, prefix };
    }),
    ...[...keys.values()].map(({ prefix, setRoles, at, observedRoles }): KnownFact => {
      const isSame = observedRoles === undefined || sameRoles(observedRoles, setRoles);
      const read = isSame ? "" : `, then read as ${formatRoles(observedRoles)}`;
      const says = `roster set the roles of the key ${prefix} to ${formatRoles(setRoles)}${read}`;
      return { says, at, prefix, roles: [...setRoles, ...(observedRoles ?? [])] };
    }),
    ...open.flatMap(({ intent, at, run }): readonly KnownFact[] => {
      if (intent.kind === "replace-roles") return [];
      const users = intent.kind === "create-user" ? [intent.address] : intent.addresses;
      return [{ says: `the run ${run} sent a call to ${formatIntent(intent)}; the outcome is unknown`, at, users }];
    }),
    ...[...refusals.values()].map(({ address, asked, at, failure: { serviceSays, message } }): KnownFact => {
      const says = `the service refused to ${asked}: ${serviceSays ?? message}`;
      return { says, at, users: address === undefined ? [] : [address] };
    }),
    ...[...(applied?.people.keys() ?? [])].map((address): KnownFact => {
      return { says: `${nameOf(address)} is in the last applied roster`, at: applied?.at, users: [address] };
    }),
  ];
}

export function explanationContent(explanation: Explanation): Content {
  if (explanation.of === "things") return { sections: explanation.things.flatMap(thingSections) };
  if (explanation.as === "whole") return { sections: explanation.codes.map(codeSection) };
  return {
    sections: [...groupBy(explanation.codes, ({ about }) => about)].map(([about, codes]) => {
      const widest = Math.max(...codes.map(({ code: { length } }) => length));
      const all = codes.map(({ code: name, title }): Line => {
        return { indent: 0, spans: [`${name.padEnd(widest + 2)}${title}`], fixed: true };
      });
      return t.part(t.words(`${capitalized(about)} (${codes.length})`), t.lines(all));
    }),
    next: [t.sentence("`roster explain CODE` shows what a code means and what to do.", "dim")],
  };
}

function codeSection({ code: name, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): Section {
  const exits = kind === "exit-code" ? [] : exitCodes;
  const blocks: readonly Block[] = [
    ...means.split("\n").map((one) => t.sentence(one)),
    t.sentence(`What to do: ${next}`),
    ...(example === undefined ? [] : [t.sentence("Example:"), t.code("yaml", example)]),
    ...exits.map((one) => t.sentence(`Exit code ${one}: ${formatExitCode(one)}.`, "dim")),
  ];
  return t.part(t.phrase`${t.strong(t.phrase`${name}`)}  ${t.words(`${about}: ${title}`)}`, blocks);
}

function thingSections(thing: ExplainedTarget): readonly Section[] {
  const { is, name, from, findings, actions, plan, inSync, readings, refused } = thing;
  const names = planNames(plan);
  const isLive = from === "service";
  // Where one source could say something and does not, that is said.
  const otherwise = isLive && is !== "action" && is !== "finding" ? [t.line(0, [t.inked("dim", "nothing")])] : [];
  const known = (title: string, those: readonly Statement[], reads: readonly Line[] = []) =>
    t.part(t.words(title), t.lines([...(those.length === 0 ? otherwise : statementLines(those, names)), ...reads]));
  const found = findings.map((finding): Entry => {
    const { details, ...entry } = findingEntry(finding, { names, readings, actions: plan.actions });
    return { ...entry, notes: [...entry.notes, ...(details?.() ?? [])] };
  });
  const serviceReads = thing.service.flatMap(({ by }) => by ?? []);
  const unchanged = inSync.flatMap(({ says, basis, because }) => [
    t.line(0, [joinAside(says, basis && formatSource(basis.fact))]),
    // For a key also the chain: its roles are asked for through a membership or an entry of its owner.
    ...(is === "key" ? reasonChainLines(because, names, 2) : []),
  ]);
  const isEmpty = isLive && actions.length + findings.length + inSync.length === 0;
  const title = t.paragraph([t.strong(t.phrase`${t.words(is)} ${name}`)]);
  return [
    t.part(undefined, isLive ? [title] : [title, t.sentence(`From the saved plan ${plan.id} only.`, "dim")]),
    known("In the roster", thing.roster),
    known("In the service", thing.service, readLines(serviceReads, readings)),
    known("In the state", thing.state),
    t.part(t.words("Planned changes"), t.entriesOf(actions.map((one) => actionOf(one, thing)))),
    t.part(undefined, refused === undefined || actions.length === 0 ? [] : [t.sentence(`${refused}.`, "alarm")]),
    t.part(t.words("Tasks and notices"), t.entriesOf(found)),
    t.part(t.words("Unchanged"), t.lines(unchanged)),
    t.part(t.words("Not in the roster"), t.lines(statementLines(thing.unasked, names))),
    t.part(undefined, isEmpty ? [t.sentence("The plan has no changes and no findings here.")] : []),
  ];
}

function statementLines(those: readonly Statement[], names: PlanNames): readonly Line[] {
  return those.flatMap(({ says, place, by, at, because = [] }) => {
    const how = present(by !== undefined && `read by ${by}`, at !== undefined && `recorded at ${at}`).join(", ");
    const text = place === undefined ? joinAside(says, how) : says;
    return [t.line(0, [text], place && formatPlace(place)), ...reasonChainLines(because, names, 2)];
  });
}

/** Where a role is explained, the section of the roster already has every chain. */
function actionOf(explained: ExplainedAction, { is, name, from, plan, readings }: ExplainedTarget): Entry {
  const { action, person } = explained;
  const isCovered = is === "role" && from === "service" && person === undefined;
  if (!isCovered || action.kind !== "replace-roles" || !action.roles.includes(name))
    return whyEntry(explained, { plan, readings });
  const entry = actionEntry(action, planNames(plan));
  return { ...entry, notes: [...entry.notes, t.sentence(`action ${action.id}`, "dim")] };
}
