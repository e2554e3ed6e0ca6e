import { formatExitCode } from "../../codes/catalogue.ts";
import { formatCount } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import type { Located, ReadName, Reason } from "../../model/fact.ts";
import { factValue, formatPlace, formatSubject, isSameReason, namesIn, reasonAt } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { isDeleted, type ObservedKey, shownTeam } from "../../model/key.ts";
import { type Action, type InSync, type Plan, peopleOf, prefixOf, teamOf } from "../../model/plan.ts";
import type { HeldKey, KeyInRoster, Roster, RosterIndex } from "../../model/roster.ts";
import { indexRoster, knownAddresses, usersByAddress } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { type DesiredTeam, disambiguatedTeamKey, foldName, membershipReasons, teamKeyOf } from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import { formatRoles, type RoleSet, rolesWithout, sameRoles, type TeamKey } from "../../model/values.ts";
import { actionEntry, explainAction, readLines, reasonChainLines, whyEntry } from "../document/actions.ts";
import * as text from "../document/names.ts";
import { findingEntry } from "../document/tasks.ts";
import * as t from "../document/tree.ts";
import type { CatalogueEntry, ExplainedTarget, Explanation, Statement } from "../json/document-format.ts";

/** A user by the folded address, a team by a name or an identifier, a key by its prefix, a finding by its fingerprint. */
export type ExplainTarget =
  | { readonly is: "user"; readonly name: EmailKey }
  | { readonly is: "team" | "role" | "key" | "action" | "finding"; readonly name: string };

/** A statement with what it is about. */
interface KnownFact extends Statement {
  readonly users?: readonly EmailKey[];
  readonly team?: TeamKey | undefined;
  readonly prefix?: string | undefined;
  readonly roles?: RoleSet | undefined;
  /** What of the roster leads to a key. */
  readonly entry?: KeyInRoster["entries"][number];
  readonly held?: HeldKey;
}

type Facts = Readonly<Record<"roster" | "service" | "state", readonly KnownFact[]>>;

export interface ExplainContext extends Pick<ExplainedTarget, "plan" | "refused"> {
  readonly inSync: readonly InSync[];
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
}

/** By what such things are named: in the roster and the state, and in the rest that is known. */
export function knownNames(
  { is }: Pick<ExplainTarget, "is">,
  { roster, state, snapshot, plan }: Pick<ExplainContext, "roster" | "state"> & Partial<ExplainContext>,
): readonly string[] {
  const { users, leavers, teams, keys, roleSets } = roster;
  const members = teams.flatMap((team) => team.members);
  const shown = (snapshot?.users ?? []).flatMap((user) => user.keys ?? []);
  const recorded = [...state.access.values()];
  const outside = [...(state.openFindings?.values() ?? [])].flatMap((finding) => finding.outside ?? []);
  const names: Readonly<Record<ExplainTarget["is"], readonly (string | undefined)[]>> = {
    user: [...usersByAddress(roster).keys(), ...leavers.keys(), ...state.users.keys()],
    team: [
      ...teams.flatMap((team) => [team.name, team.identifier?.value, ...team.previously.map(({ value }) => value)]),
      ...[...state.teams.values(), ...shown.map(shownTeam)].flatMap((team) => [team?.name, team?.identifier]),
      ...[...recorded.map(({ team }) => team?.name), ...outside.map(({ team }) => team)],
    ],
    key: [
      ...keys.map(({ prefix }) => prefix),
      ...[...users.values(), ...members].map(({ key }) => key?.value),
      ...state.keys.keys(),
      ...[...state.users.values()].map(({ key }) => key),
      ...[...state.memberships.values()].map(({ prefix }) => prefix),
    ],
    role: [
      ...[...users.values()].flatMap(({ ownKeyRoles }) => ownKeyRoles?.value ?? []),
      ...[...members, ...keys, ...shown, ...(state.seenKeys?.values() ?? [])].flatMap(({ roles = [] }) => roles),
      ...[...roleSets.values()].flatMap(({ value }) => value),
      ...recorded.flatMap(({ roles = [] }) => roles.map(({ role }) => role)),
      ...[...state.keys.values()].flatMap(({ setRoles, observedRoles = [] }) => [...setRoles, ...observedRoles]),
      ...outside.flatMap(({ gained, lost }) => [...gained, ...lost]),
      ...((snapshot && factValue(snapshot.roles)) ?? []).map(({ identifier }) => identifier),
    ],
    action: plan?.actions.map(({ id }) => id) ?? [],
    finding: plan?.findings.flatMap(({ fingerprint, allow = [] }) => [fingerprint, ...allow]) ?? [],
  };
  return names[is].filter((name) => name !== undefined);
}

/** What the roster, the service and the state say of a thing, and what the plan does about it. Empty where nothing knows it. */
export function explainTarget(target: ExplainTarget, known: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, state } = known;
  const index = indexRoster(roster, state);
  const service = [...serviceFacts(snapshot, state, index)];
  const context = { ...known, index, facts: { roster: [...rosterFacts(roster)], service, state: stateFacts(state) } };
  if (target.is === "user") return explainUser(target.name, context);
  if (target.is === "team") return findTeams(target.name, context).flatMap((team) => explainTeam(team, context));
  if (target.is === "key") return explainKey(target.name, context);
  return target.is === "role" ? explainRole(target.name, context) : explained(target, noFacts, context);
}

export function explainFromSavedPlan(target: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  const things: readonly Thing[] = target.is === "team" ? plannedTeams(plan, target.name) : [target];
  return things.flatMap((thing) => {
    const name = thing.is === "user" ? text.planNames(plan).email(thing.name) : thing.name;
    return explained(thing, noFacts, { plan }, { name });
  });
}

/** Teams that a plan names, by name or identifier. A finding names its team only in its reasons. */
function plannedTeams(plan: Plan, written: string): readonly Thing[] {
  const isMeant = (name = "") => foldName(name) === foldName(written);
  const teams = text.teamsOfPlan(plan).filter(({ name, identifier }) => identifier === written || isMeant(name));
  if (teams.length > 0) return teams.map(({ team, name }) => ({ is: "team", team, name }));
  const reasons = plan.findings.flatMap(({ because }) => because);
  const name = reasons.find((link) => link.as === "team" && isMeant(link.name))?.name;
  const keys = plan.findings.flatMap(({ subject }) => namesIn(subject).team ?? []);
  const team = name === undefined ? undefined : keys.find((key) => key.endsWith(`/${foldName(name)}`));
  return team === undefined || name === undefined ? [] : [{ is: "team", team, name }];
}

type LiveContext = ExplainContext & { readonly index: RosterIndex; readonly facts: Facts };

const noFacts: Facts = { roster: [], service: [], state: [] };

function factsAbout(isAbout: (fact: KnownFact) => boolean, { facts }: LiveContext): Facts {
  const { roster, service, state } = facts;
  return { roster: roster.filter(isAbout), service: service.filter(isAbout), state: state.filter(isAbout) };
}

/** `more`: what is said in place of the bare facts. */
function explained(
  meant: Thing,
  about: Facts,
  { plan, snapshot, refused, inSync = [] }: Pick<ExplainContext, "plan"> & Partial<ExplainContext>,
  more: Partial<ExplainedTarget> = {},
): readonly ExplainedTarget[] {
  const { is, name } = meant;
  const planned = plan.actions.filter((action) => isActionAbout(meant, action));
  const findings = plan.findings.filter((finding) => isFindingAbout(meant, finding));
  if ([planned, findings, ...Object.values(about)].every(({ length }) => length === 0)) return [];
  const actions = planned.map((action) => explainAction(action, plan, is === "user" ? meant.name : undefined));
  const from = snapshot === undefined ? "saved-plan" : "service";
  const unchanged = inSync.filter(({ address, team, prefix }) => {
    return isAbout(meant, { user: [address], team: [team], key: [prefix] });
  });
  const ofPlan = { plan, actions, findings, refused, inSync: unchanged, readings: snapshot?.readings ?? new Map() };
  return [{ is, name, from, ...ofPlan, ...about, unasked: [], ...more }];
}

/** `entry`: where the roster has it. `lacking`: who is to have the role, and nothing gives it. */
type Thing = ExplainTarget & {
  readonly team?: TeamKey;
  readonly entry?: Reason | undefined;
  readonly lacking?: readonly KnownFact[];
};

type Matter = Partial<Readonly<Record<ExplainTarget["is"], readonly (string | undefined)[]>>>;

function isAbout({ is, name, team }: Thing, matter: Matter): boolean {
  return matter[is]?.includes(is === "team" ? team : name) === true;
}

function isActionAbout(thing: Thing, action: Action): boolean {
  if (thing.is === "action") return text.printedId(action.id) === text.printedId(thing.name);
  const [before, after] = rolesAround(action);
  return isAbout(thing, {
    user: peopleOf(action),
    team: [teamOf(action)],
    key: action.kind === "replace-roles" ? [prefixOf(action)] : [],
    role: [...rolesWithout(before, after), ...rolesWithout(after, before)],
  });
}

/** Also what keeps somebody from a role that they are to have. */
function isFindingAbout(thing: Thing, finding: Finding): boolean {
  const { subject, because, restsOn, roles = [], fingerprint, allow = [], accept } = finding;
  const { entry, lacking = [] } = thing;
  if (entry !== undefined && because.some((link) => isSameReason(link, entry))) return true;
  const users = restsOn.map(({ about }) => (about.kind === "user" ? about.address : undefined));
  const { address, team, prefix } = namesIn(subject);
  const mayKeep = (fact: KnownFact) => {
    if (address !== undefined) return fact.users?.includes(address) === true;
    return team === undefined ? prefix !== undefined && fact.prefix === prefix : fact.team === team;
  };
  const isNamed = isAbout(thing, {
    user: [address, ...because.map(({ person }) => person), ...users],
    team: [team],
    key: [subject, ...restsOn.map(({ about }) => about)].map((about) => namesIn(about).prefix),
    role: [subject.kind === "role-on-key" ? subject.role : /^role (.*)$/su.exec(formatSubject(subject))?.[1], ...roles],
    finding: [fingerprint, ...allow, accept?.code],
  });
  return isNamed || lacking.some(mayKeep);
}

/** Roles before and after an action, also those that the creation of a team gives for a short time. */
function rolesAround(action: Action): readonly [before: RoleSet, after: RoleSet] {
  if (action.kind === "replace-roles") return [factValue(action.before) ?? [], action.roles];
  const { accessKeyRoles = [], temporaryRoles = [] } = (action.kind === "create-user" && action.createsTeam) || {};
  return [[], [...accessKeyRoles, ...temporaryRoles]];
}

function explainUser(written: EmailKey, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, facts } = context;
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
    unasked: [...unasked, ...unmanagedKeys(about, ["named", "unlisted"], context)],
  });
}

/** The address of the user who has it in the roster, else of the user who had it before, else the address itself. */
function personAt(address: EmailKey, { index }: LiveContext): EmailKey {
  return index.isLeaver(address) ? address : (index.userAt(address)?.address ?? address);
}

function notShown(address: EmailKey, snapshot: Snapshot): Statement {
  const absence = snapshot.absences.get(address);
  const by = completeList(snapshot);
  if (absence?.proven === true)
    return { says: `no user has the address ${address}, and the read proves it`, by: absence.by };
  if (absence !== undefined) return { says: `no user at ${address}, not proven: ${absence.why}` };
  return { says: by ? `no user at ${address} in the list of users` : `roster did not search for ${address}`, by };
}

function completeList({ everyone }: Snapshot): ReadName | undefined {
  return everyone.read === "complete" ? everyone.by : undefined;
}

/** Those of whose roles the roster says nothing, whatever part of it the plan is of. */
function unmanagedKeys({ service }: Facts, which: readonly KeyInRoster["is"][], { index }: LiveContext) {
  const unmanaged = service.filter(({ held }) => held !== undefined && which.includes(index.keyOf(held).is));
  return unmanaged.map(({ says, by }) => ({ says: `the roster does not manage these roles: ${says}`, by }));
}

function explainTeam({ team, name }: NamedTeam, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, index } = context;
  const entry = index.teamWithKey(team);
  const about = factsAbout((fact) => fact.team === team, context);
  const members = new Set(entry?.members.map(({ address }) => address));
  const strangers = about.service.flatMap(({ users: [address] = [], says, by }): readonly Statement[] => {
    if (address === undefined || members.has(personAt(address, context))) return [];
    const why = roster.leavers.has(address) ? "a leaver is in the team" : "not a member in the roster";
    return [{ says: `${why}: ${says}`, by }];
  });
  const isHidden = snapshot.capabilities.teamsOnKeys !== "shown";
  const noKey = isHidden
    ? { says: "the service does not show which team a key belongs to" }
    : { says: "no user that was read has a key of this team", by: completeList(snapshot) };
  const isShown = about.service.length > 0;
  return explained({ is: "team", name, team, entry: entry?.because[0] }, about, context, {
    // Of a member, the line is enough: there may be hundreds of them.
    roster: about.roster.map(({ because = [], ...fact }) => {
      const place = because[0]?.as === "group" ? because[1] : because[0];
      return fact.entry === undefined || place === undefined ? { ...fact, because } : { ...fact, place };
    }),
    service: isShown ? about.service : [noKey],
    unasked: entry === undefined && isShown ? [{ says: "the roster does not name this team" }] : strangers,
  });
}

type NamedTeam = Pick<DesiredTeam, "name"> & { readonly team: TeamKey };

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
function findTeams(written: string, { roster, state, facts }: LiveContext): readonly NamedTeam[] {
  const isMeant = ({ name = "", identifier }: ReturnType<typeof shownTeam> & {}) =>
    identifier === written || foldName(name) === foldName(written);
  const ofRoster = roster.teams.map(({ key: team, name, identifier, previously }) => {
    return { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier, previously };
  });
  const own = new Map(ofRoster.map((one) => [one.team, one]));
  const others = [...state.teams.values()].filter(({ team }) => !own.has(team));
  const named = [...ofRoster, ...others].filter(isMeant);
  const former = ofRoster.filter(({ previously }) => previously.some(({ value: name }) => isMeant({ name })));
  const shown = facts.service.flatMap(({ team, held }): readonly NamedTeam[] => {
    const known = held && shownTeam(held.key);
    if (team === undefined || known === undefined || !isMeant(known)) return [];
    return [{ team, name: own.get(team)?.name ?? known.name ?? written }];
  });
  return [named, former, shown.slice(0, 1)].find(({ length }) => length > 0) ?? [];
}

function explainKey(prefix: string, context: LiveContext): readonly ExplainedTarget[] {
  const { snapshot, index, facts } = context;
  const { service, state } = factsAbout((fact) => fact.prefix === prefix, context);
  const owners = state.flatMap(({ users = [] }) => users);
  const recorded = owners.map((address) => ({ key: { prefix }, holder: { address } }));
  const held = service.length > 0 ? service.flatMap((fact) => fact.held ?? []) : recorded;
  const entries = new Set<unknown>(held.flatMap((one) => index.keyOf(one).entries));
  const roster = facts.roster.filter((fact) => fact.prefix === prefix || entries.has(fact.entry));
  const about = { roster, service, state };
  const isHidden = snapshot.capabilities.keysOnUsers === "hidden";
  const nobody = isHidden ? "the service does not show the keys of users" : "no user that was read has this key";
  return explained({ is: "key", name: prefix }, about, context, {
    service: service.length > 0 ? service : [{ says: nobody }],
    unasked: unmanagedKeys(about, ["named", "unlisted"], context),
  });
}

function explainRole(role: string, context: LiveContext): readonly ExplainedTarget[] {
  const { roster, snapshot, plan } = context;
  // A deleted key opens nothing any more.
  const isOpen = ({ held }: KnownFact) => held === undefined || !isDeleted(held.key);
  const about = factsAbout((fact) => fact.roles?.includes(role) === true && isOpen(fact), context);
  const sets = new Map([...roster.roleSets].filter(([, { value }]) => value.includes(role)));
  const has = [...sets].map(
    ([name, { place }]): Statement => ({ says: `the role set "${name}" has this role`, place }),
  );
  const giving = plan.actions.filter((action) => {
    const [before, after] = rolesAround(action);
    return after.includes(role) && !before.includes(role);
  });
  const holding = about.service.flatMap(({ users = [] }) => users.map((one) => personAt(one, context)));
  const holders = new Set([...giving.flatMap(peopleOf), ...holding]);
  const lacking = about.roster.filter(({ users = [] }) => !users.some((one) => holders.has(one)));
  // Role sets that stand in the same list and give other roles.
  const needs = about.roster.map(({ because = [], ...fact }) => {
    return { ...fact, because: because.filter(({ as, name = "" }) => as !== "role-set" || sets.has(name)) };
  });
  const nobody = { says: "no key has this role", by: completeList(snapshot) };
  const offered = offeredRole(role, snapshot);
  const isOffered = factValue(snapshot.roles)?.some(({ identifier }) => identifier === role) === true;
  const found = { ...about, roster: [...has, ...needs], service: [...(isOffered ? [offered] : []), ...about.service] };
  return explained({ is: "role", name: role, lacking }, found, context, {
    roster: [...has, ...(needs.length === 0 ? [{ says: "the roster gives this role to no key" }] : needs)],
    service: [offered, ...(about.service.length === 0 ? [nobody] : about.service), ...unseenKeys(snapshot)],
    unasked: unmanagedKeys(about, ["unlisted"], context),
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
  const texts = text.present(
    hidden > 0 && `the service does not show the keys of ${formatCount(hidden, "user")}`,
    bare > 0 && `the service does not show the roles of ${formatCount(bare, "key")}`,
    everyone.read !== "complete" && `not all users were read${why}`,
  );
  return texts.map((says) => ({ says }));
}

function* rosterFacts({ users, leavers, teams, keys }: Roster): Generator<KnownFact> {
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  for (const user of users.values()) for (const fact of userFacts(user)) yield { ...fact, users: [user.address] };
  for (const leaver of leavers.values()) {
    const { address, email, since, ownership, because } = leaver;
    const notes = text.present(since && `since ${since}`, ownership && text.formatOwnership(ownership)).join(", ");
    const says = `${joinAside(`${email} is a leaver`, notes)} and must have no roles`;
    yield { says, because, users: [address], entry: leaver };
  }
  for (const team of teams) for (const fact of teamFacts(team, emailOf)) yield { ...fact, team: team.key };
  for (const entry of keys) {
    const { prefix, owner, ownership, roles, because } = entry;
    const of = owner === undefined ? "" : ` of ${emailOf(owner.value)}`;
    const says = `the key ${prefix}${of} under \`keys\`${text.ownershipAside(ownership)}: ${formatRoles(roles)}`;
    const chain = owner ? [...because, reasonAt(owner.place, "key-owner", { name: owner.value })] : because;
    yield { says, because: chain, users: owner ? [owner.value] : [], prefix, roles, entry };
  }
}

function* userFacts(user: DesiredUser): Generator<KnownFact> {
  const { email, account, firstName, lastName, ownKeyRoles, key, from, until, ownership, because } = user;
  const { title, externalIdentifier: identifier, source } = user;
  const others = text.present(title, identifier && `identifier ${identifier}`, source && `source ${source}`);
  const profile = [`${firstName} ${lastName}`, ...others].join(", ");
  yield { says: `${email} is a user of ${account}: ${profile}${text.ownershipAside(ownership)}`, because };
  if (from !== undefined) yield placed(from, (day) => `${email} starts on ${day}`);
  if (until !== undefined) yield placed(until, (day) => `${email} leaves on ${day}`);
  for (const one of user.previously) yield placed(one, (former) => `${email} was known before as ${former}`);
  for (const one of user.distinctFrom) yield placed(one, (other) => `${email} is not the same person as ${other}`);
  if (ownKeyRoles === undefined && key === undefined) return;
  const roles = ownKeyRoles?.value;
  const chain = [...keyReasons(key), ...(ownKeyRoles?.because ?? [])];
  const says = `the own key of ${email}: ${formatAsked(roles)}`;
  yield { says, because: chain, prefix: key?.value, roles, entry: user };
}

function* teamFacts(team: DesiredTeam, emailOf: (address: EmailKey) => string): Generator<KnownFact> {
  const { name, account, identifier, previously, admin, firstMember, open, onRemoval, onRemovalAt, because } = team;
  const says = `${name} is a team of ${account}${open ? ", open to others" : ""}${text.ownershipAside(team.ownership)}`;
  yield { says, because };
  if (identifier !== undefined) yield placed(identifier, (one) => `the identifier of ${name} is ${one}`);
  for (const one of previously) yield placed(one, (former) => `${name} was known before as ${former}`);
  for (const [as, one] of Object.entries({ admin, "first member": firstMember })) {
    if (one === undefined) continue;
    const fact = placed(one, (user) => `${emailOf(user)} becomes the ${as} of ${name} if roster creates the team`);
    yield { ...fact, users: [one.value] };
  }
  if (onRemovalAt !== undefined) yield { says: `extra members of ${name}: ${onRemoval}`, place: onRemovalAt };
  for (const member of team.members) {
    const { address, roles, key, alsoBy = [] } = member;
    const groups = membershipReasons(member).flatMap((link) => (link.as === "group" ? (link.name ?? []) : []));
    const also = member.because[0]?.as === "member" ? ", also" : "";
    const all = `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
    const through = groups.length === 0 ? "" : `${also} through the ${all}`;
    const is = `${emailOf(address)} is a member of ${name}${through}${text.ownershipAside(member.ownership)}`;
    const asks = { roles, entry: member, because: [...member.because, ...alsoBy, ...keyReasons(key)] };
    yield { says: `${is}: ${formatAsked(roles)}`, users: [address], prefix: key?.value, ...asks };
  }
  for (const [address, from] of team.upcoming ?? [])
    yield { ...placed(from, (day) => `${emailOf(address)} is a member of ${name} from ${day} on`), users: [address] };
}

function placed<T>({ value, place }: Located<T>, says: (value: T) => string): KnownFact {
  return { says: says(value), place };
}

function keyReasons(key: Located<string> | undefined): readonly Reason[] {
  return key === undefined ? [] : [reasonAt(key.place, "known-prefix")];
}

function formatAsked(roles: RoleSet | undefined): string {
  return roles === undefined ? "roles not managed" : formatRoles(roles);
}

function* serviceFacts(snapshot: Snapshot, { teams }: State, index: RosterIndex): Generator<KnownFact> {
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
  for (const holder of snapshot.users) {
    const { address, identifier, email, account, status = "status not shown", keys, by } = holder;
    const shown = `${joinAside(`user ${email}`, identifier)}${account === undefined ? "" : ` in ${account}`}, ${status}`;
    const users = [address];
    yield { says: keys === undefined ? `${shown}, keys not shown` : shown, by, users };
    for (const key of keys ?? []) {
      const team = index.teamOf(key)?.key ?? unnamedTeam(key, account);
      const { prefix, roles } = key;
      yield { says: `${email}'s ${formatObservedKey(key)}`, by, users, team, prefix, roles, held: { key, holder } };
    }
  }
}

function formatObservedKey(key: ObservedKey): string {
  const { prefix, kind, status, roles } = key;
  const team = shownTeam(key);
  const { name, identifier } = team ?? {};
  const named = name === undefined ? `the team ${identifier ?? "without a name"}` : joinAside(name, identifier);
  const where = team === undefined ? "" : ` in ${named}`;
  const what = kind === "user" ? "own key" : text.present(kind, "key").join(" ");
  const has = roles === undefined ? "roles that are not shown" : formatRoles(roles);
  return `${what} ${prefix}${where}${status === undefined ? "" : `, ${status},`} has ${has}`;
}

function joinAside(said: string, aside = ""): string {
  return aside === "" ? said : `${said} (${aside})`;
}

function stateFacts({ users, teams, memberships, keys, open, refusals, applied }: State): readonly KnownFact[] {
  const nameOf = (address: EmailKey) => users.get(address)?.email ?? address;
  return [
    ...[...users.values()].map(({ address, email, createdAt, seenAt, identifier, key, createdTeam }) => {
      const team = createdTeam && `with the new team ${createdTeam}`;
      const known = text.present(identifier && `as ${identifier}`, key && `with the key ${key}`, team).join(", ");
      const says = `roster ${createdAt === undefined ? "saw" : "created"} ${email} ${known}`.trim();
      return { says, users: [address], prefix: key, at: createdAt ?? seenAt };
    }),
    ...[...teams.values()].map(({ team, name, identifier, firstMember, at }) => {
      const how = firstMember === undefined ? `saw ${name}` : `created ${name} with ${firstMember}`;
      const says = `roster ${how}${identifier === undefined ? ", identifier unknown" : ` as ${identifier}`}`;
      return { says, at, team };
    }),
    ...[...memberships.values()].map(({ address, team, how, at, prefix }) => {
      const key = prefix === undefined ? "" : `, with the key ${prefix}`;
      const says = `roster ${how === "seen" ? "saw" : how} ${nameOf(address)} in ${teams.get(team)?.name ?? team}${key}`;
      return { says, at, users: [address], team, prefix };
    }),
    ...[...keys.values()].map(({ prefix, setRoles, at, observedRoles = setRoles }) => {
      const read = sameRoles(observedRoles, setRoles) ? "" : `, then read as ${formatRoles(observedRoles)}`;
      const says = `roster set the roles of the key ${prefix}: ${formatRoles(setRoles)}${read}`;
      return { says, at, prefix, roles: [...setRoles, ...observedRoles] };
    }),
    ...open.flatMap(({ intent, at, run }) => {
      if (intent.kind === "replace-roles") return [];
      const says = `the run ${run} sent a call to ${text.formatIntent(intent)}; the outcome is unknown`;
      return [{ says, at, users: intent.kind === "create-user" ? [intent.address] : intent.addresses }];
    }),
    ...[...refusals.values()].map(({ address, asked, at, failure: { serviceSays, message } }) => {
      const says = `the service refused to ${asked}: ${serviceSays ?? message}`;
      return { says, at, users: address === undefined ? [] : [address] };
    }),
    ...[...(applied?.people.keys() ?? [])].map((address) => {
      return { says: `${nameOf(address)} is in the last applied roster`, at: applied?.at, users: [address] };
    }),
  ];
}

export function explanationContent(explanation: Explanation): t.Content {
  if (explanation.of === "things") return { sections: explanation.things.flatMap(thingSections) };
  if (explanation.as === "whole") return { sections: explanation.codes.map(codeSection) };
  return {
    sections: [...groupBy(explanation.codes, ({ about }) => about)].map(([about, codes]) => {
      const widest = Math.max(...codes.map(({ code: { length } }) => length));
      const all = codes.map(({ code: name, title }): t.Line => {
        return { indent: 0, spans: [`${name.padEnd(widest + 2)}${title}`], fixed: true };
      });
      return t.part(t.words(`${text.capitalized(about)} (${codes.length})`), t.lines(all));
    }),
    next: [t.sentence("`roster explain CODE` shows what a code means and what to do.", "dim")],
  };
}

function codeSection({ code: name, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): t.Section {
  const exits = kind === "exit-code" ? [] : exitCodes;
  const blocks: readonly t.Block[] = [
    ...means.split("\n").map((one) => t.sentence(one)),
    t.sentence(`What to do: ${next}`),
    ...(example === undefined ? [] : [t.sentence("Example:"), t.code("yaml", example)]),
    ...exits.map((one) => t.sentence(`Exit code ${one}: ${formatExitCode(one)}.`, "dim")),
  ];
  return t.part([t.inked("strong", name), ...t.words(`  ${about}: ${title}`)], blocks);
}

function thingSections(thing: ExplainedTarget): readonly t.Section[] {
  const { is, name, from, findings, actions, plan, inSync, readings, refused, service } = thing;
  const names = text.planNames(plan);
  const isLive = from === "service";
  // Where one source could say something and does not, that is said.
  const otherwise = isLive && is !== "action" && is !== "finding" ? [t.line(0, [t.inked("dim", "nothing")])] : [];
  const known = (title: string, those: readonly Statement[], reads: readonly t.Line[] = []) =>
    t.part(t.words(title), t.lines([...reads, ...(those.length === 0 ? otherwise : statementLines(those, names))]));
  const found = findings.map((finding): t.Entry => {
    const { details, ...entry } = findingEntry(finding, thing);
    return { ...entry, notes: [...entry.notes, ...(details?.() ?? [])] };
  });
  const reads = service.flatMap(({ by }) => by ?? []);
  const unchanged = inSync.flatMap(({ says, restsOn: [basis], because }) => [
    t.line(0, [joinAside(says, basis && text.formatSource(basis))]),
    // For a key also the chain: its roles are asked for through a membership or an entry of its owner.
    ...(is === "key" ? reasonChainLines(because, names, 2) : []),
  ]);
  const isEmpty = isLive && actions.length + findings.length + inSync.length === 0;
  const title = t.sentence(`${is} ${name}`, "strong");
  return [
    t.part(undefined, isLive ? [title] : [title, t.sentence(`From the saved plan ${plan.id} only.`, "dim")]),
    known("In the roster", thing.roster),
    known("In the service", service, readLines(reads, readings)),
    known("In the log", thing.state),
    t.part(t.words("Planned changes"), t.entriesOf(actions.map((one) => actionOf(one, thing)))),
    t.part(undefined, refused === undefined || actions.length === 0 ? [] : [t.sentence(`${refused}.`, "alarm")]),
    t.part(t.words("Tasks and notices"), t.entriesOf(found)),
    t.part(t.words("Unchanged"), t.lines(unchanged)),
    t.part(t.words("Not in the roster"), t.lines(statementLines(thing.unasked, names))),
    t.part(undefined, isEmpty ? [t.sentence("The plan has no changes, tasks or notices here.")] : []),
  ];
}

function statementLines(those: readonly Statement[], names: text.PlanNames): readonly t.Line[] {
  return those.flatMap(({ says, place, by, at, because = [] }) => {
    const how = text.present(by && `read "${by}"`, at && `recorded at ${at}`).join(", ");
    const line = place === undefined ? t.line(0, [joinAside(says, how)]) : t.line(0, [says], formatPlace(place));
    return [line, ...reasonChainLines(because, names, 2)];
  });
}

/** Where a role is explained, the section of the roster already has every chain. */
function actionOf(explained: ExplainedTarget["actions"][number], thing: ExplainedTarget): t.Entry {
  const { is, name, from, plan } = thing;
  const { action } = explained;
  const isCovered = is === "role" && from === "service";
  if (!isCovered || action.kind !== "replace-roles" || !action.roles.includes(name)) return whyEntry(explained, thing);
  const entry = actionEntry(action, text.planNames(plan));
  return { ...entry, notes: [...entry.notes, t.sentence(`action: ${text.printedId(action.id)}`, "dim")] };
}
