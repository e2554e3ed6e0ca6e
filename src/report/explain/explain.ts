import { type CatalogueEntry, formatExitCode } from "../../codes/catalogue.ts";
import { formatCount } from "../../codes/message.ts";
import { type Action, peopleOf, prefixOf, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy, multimap } from "../../model/collections.ts";
import {
  factValue,
  formatPlace,
  isSameReason,
  type Located,
  type Place,
  type ReadName,
  type Reason,
  reasonAt,
} from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { accountStatus, keyBelongsToTeam, type ObservedKey, shownOwnKey } from "../../model/key.ts";
import { membershipReasons } from "../../model/membership.ts";
import type { InSync, Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { formatRoles, type RoleSet, sameRoles } from "../../model/role-set.ts";
import { knownAddresses, type Roster } from "../../model/roster.ts";
import type { ReadRecord, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "../../model/subject.ts";
import {
  type DesiredTeam,
  foldName,
  isDisambiguatedTeamKey,
  type ObservedTeam,
  ownTeamKeys,
  type TeamIdentity,
  teamAliases,
  teamKeyOf,
} from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import {
  actionEntry,
  type ExplainedAction,
  explainAction,
  formatSource,
  type PlanNames,
  planNames,
  readLines,
  reasonChainLines,
  teamsOfPlan,
  whyEntry,
} from "../document/actions.ts";
import { findingEntry } from "../document/tasks.ts";
import {
  type Block,
  type Content,
  code,
  type Entry,
  entriesOf,
  inked,
  type Line,
  line,
  lines,
  paragraph,
  part,
  phrase,
  type Section,
  sentence,
  strong,
  words,
} from "../document/tree.ts";
import { capitalized, formatOwnership, ownershipAside } from "../phrases.ts";

export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };

export type ExplainTarget =
  | { readonly is: "user"; readonly address: EmailKey }
  | { readonly is: "team"; readonly written: string }
  | { readonly is: "key"; readonly prefix: string }
  | { readonly is: "role"; readonly role: string }
  | { readonly is: "action"; readonly id: string }
  | { readonly is: "finding"; readonly fingerprint: string };

export interface ExplainedTarget {
  readonly is: ExplainTarget["is"];
  readonly name: string;
  readonly from: "the service" | "a saved plan";
  readonly roster: readonly Statement[];
  readonly service: readonly Statement[];
  readonly state: readonly Statement[];
  readonly actions: readonly ExplainedAction[];
  readonly findings: readonly Finding[];
  readonly inSync: readonly InSync[];
  readonly unasked: readonly Statement[];
  readonly plan: Plan;
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

export interface ExplainContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly plan: Plan;
  readonly inSync: readonly InSync[];
  readonly refused?: string | undefined;
}

/** A thing as the roster, the service, the state and the plan have it; nothing where none of them knows it. */
export function explainTarget(target: ExplainTarget, context: ExplainContext): readonly ExplainedTarget[] {
  const { snapshot, refused, roster } = context;
  const source = { from: "the service", readings: snapshot.readings, refused } as const;
  switch (target.is) {
    case "user":
      return explainUser(resolvePerson(target.address, roster), context).map((thing) => ({ ...thing, ...source }));
    case "team":
      return findTeams(target.written, context).map((team) => ({ ...explainTeam(team, context), ...source }));
    case "key":
      return explainKey(target.prefix, context).map((thing) => ({ ...thing, ...source }));
    case "role":
      return explainRole(target.role, context).map((thing) => ({ ...thing, ...source }));
    case "action":
    case "finding":
      return explainPlanned(target, context.plan).map((thing) => ({ ...thing, ...source }));
  }
}

export function explainFromSavedPlan(target: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  return explainPlanned(target, plan).map((thing) => ({ ...thing, from: "a saved plan", readings: new Map() }));
}

type Explained = Omit<ExplainedTarget, "from" | "readings" | "refused">;

function explainPlanned(target: ExplainTarget, plan: Plan): readonly Explained[] {
  const explain = (name: string, parts: PlanParts): readonly Explained[] =>
    known({ is: target.is, name, roster: [], service: [], state: [], inSync: [], unasked: [], ...parts });
  switch (target.is) {
    case "user":
      return explain(planNames(plan).email(target.address), partsAboutPerson(plan, target.address));
    case "team":
      return plannedTeams(plan, target.written).flatMap(({ team, name }) => explain(name, partsAboutTeam(plan, team)));
    case "key":
      return explain(target.prefix, partsAboutKey(plan, target.prefix));
    case "role":
      return explain(target.role, partsAboutRole(plan, target.role));
    case "action": {
      const { id } = target;
      return explain(id, partsOf(plan, { action: (action) => action.id === id, finding: () => false }));
    }
    case "finding": {
      const { fingerprint } = target;
      const isMeant = (finding: Finding) => finding.fingerprint === fingerprint;
      return explain(fingerprint, partsOf(plan, { action: () => false, finding: isMeant }));
    }
  }
}

/** Nothing, where neither the plan nor `facts` say anything of it. */
function known(thing: Explained, facts = 0): readonly Explained[] {
  return thing.actions.length + thing.findings.length + facts === 0 ? [] : [thing];
}

type PlanParts = Pick<ExplainedTarget, "plan" | "actions" | "findings">;

interface PlanFilter {
  action(action: Action): boolean;
  finding(finding: Finding): boolean;
}

function partsOf(plan: Plan, isAbout: PlanFilter, person?: EmailKey): PlanParts {
  const actions = plan.actions.filter(isAbout.action).map((action) => explainAction(action, plan, person));
  return { plan, actions, findings: plan.findings.filter(isAbout.finding) };
}

/** What creates a person, adds them or gives them roles, or is needed for it. `entry`: where the roster has them. */
function partsAboutPerson(plan: Plan, address: EmailKey, entry?: Reason): PlanParts {
  const action = (one: Action) => peopleOf(one).includes(address);
  const finding = ({ subject, because, restsOn }: Finding) =>
    subjectAddress(subject) === address ||
    because.some((link) => link.person === address || isEntry(link, entry)) ||
    restsOn.some(({ about }) => about.kind === "user" && about.address === address);
  return partsOf(plan, { action, finding }, address);
}

function partsAboutTeam(plan: Plan, team: TeamKey, entry?: Reason): PlanParts {
  return partsOf(plan, {
    action: (action) => teamOf(action) === team,
    finding: ({ subject, because }) => subjectTeam(subject) === team || because.some((link) => isEntry(link, entry)),
  });
}

function isEntry(link: Reason, entry: Reason | undefined): boolean {
  return entry !== undefined && isSameReason(link, entry);
}

function partsAboutKey(plan: Plan, prefix: string): PlanParts {
  return partsOf(plan, {
    action: (action) => action.kind === "replace-roles" && prefixOf(action) === prefix,
    finding: ({ subject, restsOn }) =>
      subjectPrefix(subject) === prefix || restsOn.some(({ about }) => subjectPrefix(about) === prefix),
  });
}

/** What gives or takes a role, or names it; and what keeps those from it who are to have it. */
function partsAboutRole(plan: Plan, role: string, lacking: readonly KnownFact[] = []): PlanParts {
  const keeps = (subject: Subject) => {
    const [address, team, prefix] = [subjectAddress(subject), subjectTeam(subject), subjectPrefix(subject)];
    return lacking.some((fact) => {
      if (address !== undefined) return fact.users?.includes(address) === true;
      return team === undefined ? prefix !== undefined && fact.prefix === prefix : fact.team === team;
    });
  };
  return partsOf(plan, {
    action: (action) => roleEffect(action, role) !== undefined,
    finding: ({ subject, roles = [] }) =>
      (subject.kind === "role-on-key" && subject.role === role) ||
      formatSubject(subject) === `role ${role}` ||
      roles.includes(role) ||
      keeps(subject),
  });
}

/** Whether an action gives a role, if only for a short time as the creation of a team may, or takes it. */
function roleEffect(action: Action, role: string): "gives" | "takes" | undefined {
  switch (action.kind) {
    case "create-user": {
      const { accessKeyRoles = [], temporaryRoles = [] } = action.createsTeam ?? {};
      return accessKeyRoles.includes(role) || temporaryRoles.includes(role) ? "gives" : undefined;
    }
    case "add-members":
      return undefined;
    case "replace-roles": {
      const had = factValue(action.before)?.includes(role) === true;
      if (had === action.roles.includes(role)) return undefined;
      return had ? "takes" : "gives";
    }
  }
}

/** Teams that a plan names, by name or identifier. A finding names its team only in its reasons. */
function plannedTeams(plan: Plan, written: string): readonly TeamIdentity[] {
  const isMeant = (name: string) => foldName(name) === foldName(written);
  const teams = teamsOfPlan(plan).filter(({ name, identifier }) => identifier === written || isMeant(name));
  if (teams.length > 0) return teams;
  const reasons = plan.findings.flatMap(({ because }) => because);
  const name = reasons.find((link) => link.as === "team" && isMeant(link.name ?? ""))?.name;
  const keys = plan.findings.flatMap(({ subject }) => subjectTeam(subject) ?? []);
  const team = name === undefined ? undefined : keys.find((key) => key.endsWith(`/${foldName(name)}`));
  return team === undefined || name === undefined ? [] : [{ team, name }];
}

function sources(isAbout: (fact: KnownFact) => boolean, { roster, snapshot, state }: ExplainContext) {
  return {
    roster: rosterFacts(roster).filter(isAbout),
    service: serviceFacts(snapshot).filter(isAbout),
    state: stateFacts(state).filter(isAbout),
  };
}

function explainUser(address: EmailKey, context: ExplainContext): readonly Explained[] {
  const { roster, snapshot, state, plan, inSync } = context;
  const entry = roster.users.get(address) ?? roster.leavers.get(address);
  const addresses = knownAddresses(address, roster);
  const found = sources(({ users = [] }) => users.some((one) => addresses.includes(one)), context);
  const prefixes = new Set([...found.service, ...found.state].map(({ prefix }) => prefix));
  const roles = stateFacts(state).filter(
    (fact) => fact.users === undefined && fact.roles !== undefined && prefixes.has(fact.prefix),
  );
  const shown = snapshot.users.filter((user) => user.address === address);
  const unseen = addresses.filter((one) => !snapshot.users.some((user) => user.address === one));
  const unnamed = entry === undefined ? shown : [];
  // What is shown under a former address may be of keys that the roster names by the new one.
  const present = found.service.filter(({ users = [] }) => users.includes(address));
  const thing: Explained = {
    ...partsAboutPerson(plan, address, entry?.because[0]),
    is: "user",
    name: entry?.email ?? shown[0]?.email ?? address,
    roster: found.roster,
    service: [...found.service, ...unseen.map((one) => notShown(one, snapshot))],
    state: [...found.state, ...roles],
    inSync: inSync.filter((one) => one.address === address),
    unasked: [
      ...unnamed.map(({ email, by }) => ({ says: `the roster does not name ${email}`, by })),
      ...unmanagedKeys(present, context),
    ],
  };
  return known(thing, found.roster.length + found.service.length + found.state.length);
}

/** The address of the user who has it in the roster, else of the user who had it before, else the address itself. */
function resolvePerson(address: EmailKey, { users, leavers }: Roster): EmailKey {
  if (users.has(address) || leavers.has(address)) return address;
  const former = [...users.values()].find(({ previously }) => previously.some(({ value }) => value === address));
  return former?.address ?? address;
}

function notShown(address: EmailKey, { absences, everyone }: Snapshot): Statement {
  const absence = absences.get(address);
  if (absence?.proven === true) return { says: `no user at ${address} (proven)`, by: absence.by };
  if (absence !== undefined) return { says: `no user at ${address}, not proven: ${absence.why}` };
  if (everyone.read === "complete") return { says: `no user at ${address} in the list of users`, by: everyone.by };
  return { says: `roster did not search for ${address}` };
}

/** Keys that are shown and of whose roles the roster says nothing, whatever part of it the plan is of. */
function unmanagedKeys(shown: readonly KnownFact[], { roster, snapshot, state }: ExplainContext): readonly Statement[] {
  const own = ownTeamKeys(roster.teams);
  const teams = new Map(roster.teams.map((team) => [team.key, shownTeamOf(team, own, state)]));
  const ownKeys = new Set(snapshot.users.map((user) => shownOwnKey(user)?.prefix));
  const grants = multimap(
    rosterFacts(roster).flatMap((fact) => (fact.roles === undefined ? [] : [[fact.users?.[0], fact] as const])),
  );
  const listed = new Set(roster.keys.map(({ prefix }) => prefix));
  const isManaged = (key: ObservedKey, address: EmailKey) =>
    listed.has(key.prefix) ||
    roster.leavers.has(address) ||
    grants.get(address)?.some((fact) => {
      if (fact.prefix === key.prefix) return true;
      if (ownKeys.has(key.prefix)) return fact.grants?.of === "own-key";
      const team = fact.team && teams.get(fact.team);
      return team !== undefined && keyBelongsToTeam(key, team) !== "no";
    }) === true;
  return shown.flatMap(({ key, users: [address] = [], says, by }) =>
    key === undefined || address === undefined || isManaged(key, resolvePerson(address, roster))
      ? []
      : [{ says: `the roster gives no roles for the key of ${says}`, by }],
  );
}

/** How the service may show a team of the roster. */
function shownTeamOf(team: DesiredTeam, own: ReadonlySet<TeamKey>, { teams }: State) {
  const { names } = teamAliases(team, own);
  const identifier = team.identifier?.value ?? teams.get(team.key)?.identifier;
  return { names, identifier, isTwin: isDisambiguatedTeamKey(team.key) };
}

function explainTeam({ team, name, identifier }: TeamIdentity, context: ExplainContext): Explained {
  const { roster, plan, snapshot, inSync } = context;
  const { everyone, capabilities } = snapshot;
  const inRoster = roster.teams.find(({ key }) => key === team);
  const names =
    inRoster === undefined ? new Set([foldName(name)]) : teamAliases(inRoster, ownTeamKeys(roster.teams)).names;
  const wanted = { names, identifier, isTwin: isDisambiguatedTeamKey(team) };
  const isIn = (fact: KnownFact) =>
    fact.team === team || (fact.key !== undefined && keyBelongsToTeam(fact.key, wanted) === "yes");
  const found = sources(isIn, context);
  const members = new Set(inRoster?.members.map(({ address }) => address));
  const strangers = found.service.flatMap(({ users: [address] = [], says, by }): readonly Statement[] => {
    if (address === undefined || members.has(resolvePerson(address, roster))) return [];
    const why = roster.leavers.has(address) ? "a leaver is in it" : "in it, and no member in the roster";
    return [{ says: `${why}: ${says}`, by }];
  });
  const noKey =
    capabilities.teamsOnKeys === "shown"
      ? { says: "no key of this team was read", by: everyone.read === "complete" ? everyone.by : undefined }
      : { says: "the service does not show the teams of keys" };
  const isUnnamed = inRoster === undefined && found.service.length > 0;
  return {
    ...partsAboutTeam(plan, team, inRoster?.because[0]),
    is: "team",
    name,
    // Of a member, the line is enough: there may be hundreds of them.
    roster: found.roster.map(({ because = [], ...fact }) => {
      const [entry, line] = because;
      const place = entry?.as === "group" ? line : entry;
      return fact.grants === undefined || place === undefined ? { ...fact, because } : { ...fact, place };
    }),
    service: found.service.length > 0 ? found.service : [noKey],
    state: found.state,
    inSync: inSync.filter((one) => one.team === team),
    unasked: isUnnamed ? [{ says: "the roster does not name this team" }] : strangers,
  };
}

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
function findTeams(written: string, { roster, state, snapshot }: ExplainContext): readonly TeamIdentity[] {
  const ofRoster = ({ key: team, name, identifier }: DesiredTeam): TeamIdentity => {
    return { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier };
  };
  const isMeant = ({ name, identifier }: ObservedTeam) =>
    identifier === written || (name !== undefined && foldName(name) === foldName(written));
  const hadName = ({ previously }: DesiredTeam, name: string) =>
    previously.some(({ value }) => foldName(value) === foldName(name));
  const inRoster = new Map(roster.teams.map((team) => [team.key, ofRoster(team)]));
  const named = [...inRoster.values(), ...[...state.teams.values()].filter(({ team }) => !inRoster.has(team))];
  const meant = named.filter(isMeant);
  if (meant.length > 0) return meant;
  const former = roster.teams.filter((team) => hadName(team, written));
  if (former.length > 0) return former.map(ofRoster);
  for (const { keys = [], account } of snapshot.users) {
    for (const { team } of keys) {
      if (team === undefined || team === "none" || !isMeant(team)) continue;
      const { name = written, identifier } = team;
      const own = roster.teams.find((one) => {
        if (account !== undefined && one.account !== account) return false;
        const ownIdentifier = ofRoster(one).identifier;
        if (ownIdentifier !== undefined && identifier !== undefined) return ownIdentifier === identifier;
        return foldName(one.name) === foldName(name) || hadName(one, name);
      });
      if (own === undefined) return [{ team: teamKeyOf(account ?? "", name), name, identifier }];
      return [{ ...ofRoster(own), identifier: identifier ?? ofRoster(own).identifier }];
    }
  }
  return [];
}

function explainKey(prefix: string, context: ExplainContext): readonly Explained[] {
  const { roster, snapshot, state: log, plan, inSync } = context;
  const { service, state } = sources((fact) => fact.prefix === prefix, context);
  const holders = new Set(
    [...service, ...state].flatMap(({ users = [] }) => users.map((one) => resolvePerson(one, roster))),
  );
  const recorded = state.flatMap(({ team }) => team ?? []);
  const own = ownTeamKeys(roster.teams);
  const isOfTeam = (team: DesiredTeam) => {
    const wanted = shownTeamOf(team, own, log);
    return (
      service.some(({ key }) => key !== undefined && keyBelongsToTeam(key, wanted) === "yes") ||
      teamAliases(team, own).recordKeys.some((one) => recorded.includes(one))
    );
  };
  const teams = new Set(roster.teams.filter(isOfTeam).map(({ key }) => key));
  const isOwn =
    snapshot.users.some((user) => shownOwnKey(user)?.prefix === prefix) ||
    (service.length === 0 && recorded.length === 0);
  const said = rosterFacts(roster).filter(({ prefix: written, users = [], team, grants, isLeaver }) => {
    if (written === prefix) return true;
    if (!users.some((one) => holders.has(one))) return false;
    if (grants?.of === "team-key") return team !== undefined && teams.has(team);
    return isLeaver === true || (grants?.of === "own-key" && isOwn);
  });
  const isHidden = snapshot.capabilities.keysOnUsers === "hidden";
  const nobody = isHidden ? "the service does not show the keys of users" : "no user that was read has this key";
  const thing: Explained = {
    ...partsAboutKey(plan, prefix),
    is: "key",
    name: prefix,
    roster: said,
    service: service.length > 0 ? service : [{ says: nobody }],
    state,
    inSync: inSync.filter((one) => one.prefix === prefix),
    unasked: unmanagedKeys(service, context),
  };
  return known(thing, said.length + service.length + state.length);
}

/** To whom the roster gives a role and why, who has it, and what the plan does about it. */
function explainRole(role: string, context: ExplainContext): readonly Explained[] {
  const { roster, snapshot, plan } = context;
  // A deleted key opens nothing any more.
  const found = sources(
    ({ roles, key }) => roles?.includes(role) === true && accountStatus(key?.status) !== "deleted",
    context,
  );
  const sets = [...roster.roleSets].filter(([, { value }]) => value.includes(role));
  const giving = plan.actions.filter((action) => roleEffect(action, role) === "gives").flatMap(peopleOf);
  const holding = found.service.flatMap(({ users = [] }) => users.map((one) => resolvePerson(one, roster)));
  const holders = new Set([...giving, ...holding]);
  const lacking = found.roster.filter(({ users = [] }) => !users.some((one) => holders.has(one)));
  // Role sets that stand in the same list and give other roles.
  const others = new Set([...roster.roleSets].flatMap(([name, { value }]) => (value.includes(role) ? [] : [name])));
  const withoutOtherSets = ({ because = [], ...fact }: KnownFact) => {
    return { ...fact, because: because.filter(({ as, name = "" }) => as !== "role-set" || !others.has(name)) };
  };
  const offered = offeredRole(role, snapshot);
  const isOffered = factValue(snapshot.roles)?.some(({ identifier }) => identifier === role) === true;
  const nobody = {
    says: "no key has it",
    by: snapshot.everyone.read === "complete" ? snapshot.everyone.by : undefined,
  };
  const thing: Explained = {
    ...partsAboutRole(plan, role, lacking),
    is: "role",
    name: role,
    roster: [
      ...sets.map(([name, { place }]): Statement => ({ says: `the role set ${name} has it`, place })),
      ...(found.roster.length === 0 ? [{ says: "no key needs it" }] : found.roster.map(withoutOtherSets)),
    ],
    service: [...offered, ...(found.service.length === 0 ? [nobody] : found.service), ...unseenKeys(snapshot)],
    state: found.state,
    inSync: [],
    unasked: unmanagedKeys(found.service, context),
  };
  const { service, state } = found;
  return known(thing, found.roster.length + service.length + state.length + sets.length + (isOffered ? 1 : 0));
}

function offeredRole(role: string, { roles }: Snapshot): readonly Statement[] {
  if (roles.known !== "observed") return [{ says: "the roles of the service are unknown" }];
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return [{ says: "the service does not offer this role", by: roles.by }];
  const name = found.name === undefined || found.name === role ? "" : `: ${found.name}`;
  const type = found.type === undefined ? "" : `, of type ${found.type}`;
  return [{ says: `the service offers this role${name}${type}`, by: roles.by }];
}

function unseenKeys({ users, everyone }: Snapshot): readonly Statement[] {
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  const why = everyone.read === "incomplete" ? `: ${everyone.why}` : "";
  return [
    ...(hidden === 0 ? [] : [{ says: `the service does not show the keys of ${formatCount(hidden, "user")}` }]),
    ...(bare === 0 ? [] : [{ says: `the service does not show the roles of ${formatCount(bare, "key")}` }]),
    ...(everyone.read === "complete" ? [] : [{ says: `not all users were read${why}` }]),
  ];
}

export interface Statement {
  readonly says: string;
  readonly place?: Place;
  readonly because?: readonly Reason[];
  readonly by?: ReadName | undefined;
  /** ISO 8601, when it was recorded. */
  readonly at?: string | undefined;
}

export interface KnownFact extends Statement {
  readonly users?: readonly EmailKey[];
  readonly team?: TeamKey;
  readonly prefix?: string | undefined;
  readonly roles?: RoleSet | undefined;
  readonly isLeaver?: true;
  /** The roster gives the roles to a key: to the team's or own key of the first user, or to the one of this prefix. */
  readonly grants?: { readonly of: "team-key" | "own-key" | "listed"; readonly key: string };
  readonly key?: ObservedKey;
}

function located<T>(one: Located<T> | undefined, says: (value: T) => string): readonly KnownFact[] {
  return one === undefined ? [] : [{ says: says(one.value), place: one.place }];
}

function rosterFacts(roster: Roster): readonly KnownFact[] {
  const { users, leavers, teams, keys } = roster;
  return [
    ...[...users.values()].flatMap(userFacts),
    ...[...leavers.values()].map(({ address, email, since, ownership, because }): KnownFact => {
      const notes = [since && `since ${since}`, ownership && formatOwnership(ownership)].filter(Boolean);
      const aside = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
      return { says: `${email} is a leaver${aside} without roles`, because, users: [address], isLeaver: true };
    }),
    ...teams.flatMap((team) => teamFacts(team, roster)),
    ...keys.map(({ prefix, owner, ownership, roles, because }): KnownFact => {
      const email = owner && (users.get(owner.value)?.email ?? owner.value);
      const key = `the listed key ${prefix}${email === undefined ? "" : ` of ${email}`}${ownershipAside(ownership)}`;
      return {
        says: `${key}: ${formatRoles(roles)}`,
        because:
          owner === undefined ? because : [...because, reasonAt(owner.place, "key-owner", { name: owner.value })],
        users: owner === undefined ? [] : [owner.value],
        prefix,
        roles,
        grants: { of: "listed", key },
      };
    }),
  ];
}

function userFacts(user: DesiredUser): readonly KnownFact[] {
  const { address, email, account, firstName, lastName, ownKeyRoles, key, from, until, ownership, because } = user;
  const more = [user.title, user.externalIdentifier, user.source].filter((field) => field !== undefined);
  const profile = [`${firstName} ${lastName}`, ...more].join(", ");
  const ownKey = `the own key of ${email}`;
  const prefix = key === undefined ? [] : [reasonAt(key.place, "known-prefix")];
  const roles = ownKeyRoles?.value;
  const granted: KnownFact = {
    says: `${ownKey}: ${formatAsked(roles)}`,
    because: [...prefix, ...(ownKeyRoles?.because ?? [])],
    prefix: key?.value,
    roles,
    grants: { of: "own-key", key: ownKey },
  };
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
  const about = (address: EmailKey | undefined, facts: readonly KnownFact[]) =>
    facts.map((fact) => (address === undefined ? fact : { ...fact, users: [address] }));
  const facts: readonly KnownFact[] = [
    {
      says: `${name} is a team of ${account}${open ? ", open to others" : ""}${ownershipAside(team.ownership)}`,
      because: team.because,
    },
    ...located(identifier, (one) => `the identifier of ${name} is ${one}`),
    ...previously.flatMap((one) => located(one, (former) => `${name} was known before as ${former}`)),
    ...about(
      admin?.value,
      located(admin, (one) => `${emailOf(one)} is the admin of ${name}, if the team is new`),
    ),
    ...about(
      firstMember?.value,
      located(firstMember, (one) => `${emailOf(one)} is the first member of ${name}, if the team is new`),
    ),
    ...(onRemovalAt === undefined ? [] : [{ says: `extra members of ${name}: ${onRemoval}`, place: onRemovalAt }]),
    ...team.members.map((member): KnownFact => {
      const { address, roles, key: prefix, because, alsoBy = [] } = member;
      const email = emailOf(address);
      const groups = membershipReasons(member).flatMap((link) => (link.as === "group" ? (link.name ?? []) : []));
      const also = because[0]?.as === "member" ? ", also" : "";
      const all = `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
      const through = groups.length === 0 ? "" : `${also} through the ${all}`;
      return {
        says: `${email} is a member of ${name}${through}${ownershipAside(member.ownership)}: ${formatAsked(roles)}`,
        because: [...because, ...alsoBy, ...(prefix === undefined ? [] : [reasonAt(prefix.place, "known-prefix")])],
        users: [address],
        prefix: prefix?.value,
        roles,
        grants: { of: "team-key", key: `the key of ${email} in ${name}` },
      };
    }),
    ...[...(team.upcoming ?? [])].flatMap(([address, from]) =>
      about(
        address,
        located(from, (day) => `${emailOf(address)} is a member of ${name} from ${day} on`),
      ),
    ),
  ];
  return facts.map((fact) => ({ ...fact, team: key }));
}

function formatAsked(roles: RoleSet | undefined): string {
  return roles === undefined ? "roles not managed" : formatRoles(roles);
}

function serviceFacts({ users: shownUsers }: Snapshot): readonly KnownFact[] {
  return shownUsers.flatMap(({ address, identifier, email, account, status, keys, by }): readonly KnownFact[] => {
    const name = identifier === undefined ? `a user at ${email}` : `the user ${identifier} at ${email}`;
    const where = account === undefined ? "" : ` in ${account}`;
    const shown = `${name}${where}, ${status ?? "status not shown"}`;
    const users = [address];
    return [
      { says: keys === undefined ? `${shown}, keys not shown` : shown, by, users },
      ...(keys ?? []).map((key) => {
        const { prefix, roles } = key;
        return { says: `${email}: ${formatObservedKey(key)}`, by, users, prefix, roles, key };
      }),
    ];
  });
}

function formatObservedKey({ prefix, team, kind, status, roles }: ObservedKey): string {
  const about = [kind, status].filter((word) => word !== undefined);
  const details = about.length === 0 ? "" : ` (${about.join(", ")})`;
  return `key ${prefix}${formatTeam(team)}${details}: ${roles === undefined ? "roles not shown" : formatRoles(roles)}`;
}

function formatTeam(team: ObservedKey["team"]): string {
  if (team === undefined || team === "none") return "";
  const { name, identifier } = team;
  if (name === undefined) return ` in the team ${identifier ?? "without a name"}`;
  return ` in ${name}${identifier === undefined ? "" : ` (${identifier})`}`;
}

function stateFacts(state: State): readonly KnownFact[] {
  const { users, teams, memberships, keys, open, refusals, applied } = state;
  const nameOf = (address: EmailKey) => users.get(address)?.email ?? address;
  return [
    ...[...users.values()].map(({ address, email, createdAt, seenAt, identifier, key, createdTeam }): KnownFact => {
      const known = [
        identifier && `as ${identifier}`,
        key && `with the key ${key}`,
        createdTeam && `with the new team ${createdTeam}`,
      ].filter(Boolean);
      const says = `${email}: ${createdAt === undefined ? "seen" : "created by roster"} ${known.join(", ")}`.trim();
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
      const people = intent.kind === "create-user" ? [intent.address] : intent.addresses;
      const call =
        intent.kind === "create-user" ? `create ${intent.email}` : `add ${people.join(", ")} to ${intent.name}`;
      return [{ says: `the run ${run} sent a call to ${call}; the outcome is unknown`, at, users: people }];
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
      return part(words(`${capitalized(about)} (${codes.length})`), lines(all));
    }),
    next: [sentence("`roster explain CODE` shows what a code means and what to do.", "dim")],
  };
}

function codeSection({ code: name, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): Section {
  const exits = kind === "exit-code" ? [] : exitCodes;
  const blocks: readonly Block[] = [
    ...means.split("\n").map((one) => sentence(one)),
    sentence(`What to do: ${next}`),
    ...(example === undefined ? [] : [sentence("Example:"), code("yaml", example)]),
    ...exits.map((one) => sentence(`Exit code ${one}: ${formatExitCode(one)}.`, "dim")),
  ];
  return part(phrase`${strong(phrase`${name}`)}  ${words(`${about}: ${title}`)}`, blocks);
}

function thingSections(thing: ExplainedTarget): readonly Section[] {
  const { is, name, from, findings, actions, plan, inSync, readings, refused } = thing;
  const names = planNames(plan);
  const isLive = from === "the service";
  // Where one source could say something and does not, that is said.
  const otherwise = isLive && is !== "action" && is !== "finding" ? [line(0, [inked("dim", "nothing")])] : [];
  const known = (title: string, those: readonly Statement[], reads: readonly Line[] = []) =>
    part(words(title), lines([...(those.length === 0 ? otherwise : statementLines(those, names)), ...reads]));
  const found = findings.map((finding): Entry => {
    const { details, ...entry } = findingEntry(finding, { names, readings, actions: plan.actions });
    return { ...entry, notes: [...entry.notes, ...(details?.() ?? [])] };
  });
  const isEmpty = isLive && actions.length + findings.length + inSync.length === 0;
  return [
    part(undefined, [
      paragraph([strong(phrase`${words(is)} ${name}`)]),
      ...(isLive ? [] : [sentence(`From the saved plan ${plan.id} only.`, "dim")]),
    ]),
    known("In the roster", thing.roster),
    known(
      "In the service",
      thing.service,
      readLines(
        thing.service.flatMap(({ by }) => by ?? []),
        readings,
      ),
    ),
    known("In the state", thing.state),
    part(words("Planned changes"), entriesOf(actions.map((one) => actionOf(one, thing)))),
    part(undefined, refused === undefined || actions.length === 0 ? [] : [sentence(`${refused}.`, "alarm")]),
    part(words("Tasks and notices"), entriesOf(found)),
    part(words("Unchanged"), lines(inSync.flatMap((one) => inSyncLines(one, thing)))),
    part(words("Not in the roster"), lines(statementLines(thing.unasked, names))),
    part(undefined, isEmpty ? [sentence("The plan has no changes and no findings here.")] : []),
  ];
}

function statementLines(those: readonly Statement[], names: PlanNames): readonly Line[] {
  return those.flatMap(({ says, place, by, at, because = [] }) => {
    const how = [...(by === undefined ? [] : [`read by ${by}`]), ...(at === undefined ? [] : [`recorded at ${at}`])];
    const source = how.length === 0 || place !== undefined ? "" : ` (${how.join(", ")})`;
    return [line(0, [`${says}${source}`], place && formatPlace(place)), ...chainLines(because, names)];
  });
}

function chainLines(chain: readonly Reason[], names: PlanNames): readonly Line[] {
  return reasonChainLines(chain, names).map((one) => ({ ...one, indent: one.indent + 2 }));
}

/** Where a role is explained, the section of the roster already has every chain. */
function actionOf(explained: ExplainedAction, { is, name, from, plan, readings }: ExplainedTarget): Entry {
  const { action, person } = explained;
  const isCovered = is === "role" && from === "the service" && person === undefined;
  if (!isCovered || action.kind !== "replace-roles" || !action.roles.includes(name))
    return whyEntry(explained, { plan, readings });
  const entry = actionEntry(action, planNames(plan));
  return { ...entry, notes: [...entry.notes, sentence(`action ${action.id}`, "dim")] };
}

/** For a key also the chain: its roles are asked for through a membership or an entry of its owner. */
function inSyncLines({ says, basis, because }: InSync, { is, plan }: ExplainedTarget): readonly Line[] {
  const source = basis === undefined ? "" : ` (${formatSource(basis.fact)})`;
  return [line(0, [`${says}${source}`]), ...(is === "key" ? chainLines(because, planNames(plan)) : [])];
}
