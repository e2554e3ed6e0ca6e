import type { EmailKey } from "../../model/address.ts";
import type { ReadName } from "../../model/fact.ts";
import { accountStatus, keyBelongsToTeam, type ObservedKey, shownOwnKey } from "../../model/key.ts";
import type { Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { knownAddresses, type Roster } from "../../model/roster.ts";
import type { ReadRecord } from "../../model/snapshot.ts";
import { subjectTeam } from "../../model/subject.ts";
import {
  type DesiredTeam,
  foldName,
  isDisambiguatedTeamKey,
  ownTeamKeys,
  teamAliases,
  teamKeyOf,
} from "../../model/team.ts";
import { type ActionTeam, planNames, teamsOfPlan } from "../document/actions.ts";
import {
  type ExplainContext,
  type ExplainedTarget,
  type ExplainedTeam,
  type ExplainTarget,
  type ExplanationSource,
  explainPlanPart,
  keyFilter,
  noStatements,
  personFilter,
  planPartsAbout,
  roleFilter,
  type Statement,
  teamFilter,
  unlessEmpty,
} from "./explanation.ts";
import { formatObservedKey, type KnownFact, rosterFacts, serviceFacts, stateFacts } from "./facts.ts";
import { explainRoleGrants } from "./role.ts";

/** A thing as the roster, the service, the state and the plan have it; nothing where none of them knows it. */
export function explainTarget(target: ExplainTarget, context: ExplainContext): readonly ExplainedTarget[] {
  switch (target.is) {
    case "user":
      return explainUser(resolvePerson(target.address, context.roster), context);
    case "team":
      return findTeams(target.written, context).map((team) => explainTeam(team, context));
    case "key":
      return explainKey(target.prefix, context);
    case "role":
      return explainRole(target.role, context);
    case "action":
    case "finding":
      return explainPlanPart(target, context.plan, serviceSource(context));
  }
}

function serviceSource({ snapshot, refused }: ExplainContext): ExplanationSource {
  return { from: "the service", readings: snapshot.readings, refused };
}

/** What the three sources know of what is asked about. */
function sources(isAbout: (fact: KnownFact) => boolean, context: ExplainContext) {
  return {
    roster: rosterFacts(context.roster).filter(isAbout),
    service: serviceFacts(context).filter(isAbout),
    state: stateFacts(context.state).filter(isAbout),
  };
}

function explainUser(address: EmailKey, context: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, plan, inSync } = context;
  const entry = roster.users.get(address) ?? roster.leavers.get(address);
  const addresses = knownAddresses(address, roster);
  const isTheirs = ({ users = [] }: KnownFact) => users.some((one) => addresses.includes(one));
  const { roster: said, service, state } = sources(isTheirs, context);
  const prefixes = new Set([...service, ...state].map(({ prefix }) => prefix));
  const theirKeys = stateFacts(context.state).filter(
    ({ users, prefix }) => users === undefined && prefixes.has(prefix),
  );
  const shown = snapshot.users.filter((user) => user.address === address);
  const unseen = addresses.filter((one) => !snapshot.users.some((user) => user.address === one));
  const explained: ExplainedTarget = {
    ...planPartsAbout(plan, personFilter(address, entry?.because[0]), address),
    ...serviceSource(context),
    is: "user",
    name: entry?.email ?? shown[0]?.email ?? address,
    roster: said,
    service: [...service, ...unseen.map((one) => notShown(one, context))],
    state: [...state, ...theirKeys.filter(({ roles }) => roles !== undefined)],
    inSync: inSync.filter((one) => one.address === address),
    unasked: [
      ...(entry === undefined ? shown.map(({ email, by }) => ({ says: `the roster does not name ${email}`, by })) : []),
      // What is shown under a former address may be of keys that the roster names by the new one.
      ...unmanagedKeys(
        service.filter(({ users = [] }) => users.includes(address)),
        context,
      ),
    ],
  };
  const isKnown = said.length + service.length + state.length > 0;
  return isKnown ? [explained] : unlessEmpty(explained);
}

function notShown(address: EmailKey, { snapshot }: ExplainContext): Statement {
  const absence = snapshot.absences.get(address);
  if (absence?.proven === true) return { says: `no user at ${address} (proven)`, by: absence.by };
  if (absence !== undefined) return { says: `no user at ${address}, not proven: ${absence.why}` };
  if (snapshot.everyone.read === "complete")
    return { says: `no user at ${address} in the list of users`, by: snapshot.everyone.by };
  return { says: `roster did not search for ${address}` };
}

/** Keys that are shown and of whose roles the roster says nothing. */
function unmanagedKeys(shown: readonly KnownFact[], { roster, plan, inSync }: ExplainContext): readonly Statement[] {
  const read = inSync.flatMap(({ prefix, basis }) => (prefix === undefined || basis === undefined ? [] : [prefix]));
  const planned = plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
    return action.key.prefix.known === "unknown" ? [] : [action.key.prefix.value];
  });
  const found = plan.findings.flatMap(({ subject }) => (subject.kind === "key" ? [subject.prefix] : []));
  const asked = new Set([...read, ...planned, ...found, ...roster.keys.map(({ prefix }) => prefix)]);
  return shown.flatMap(({ key, by = "" }) =>
    key === undefined || asked.has(key.prefix)
      ? []
      : [{ says: `the roster gives no roles for it: ${formatObservedKey(key)}`, by }],
  );
}

function explainTeam(team: ExplainedTeam, context: ExplainContext): ExplainedTarget {
  const { roster, plan, snapshot } = context;
  const inRoster = roster.teams.find(({ key }) => key === team.key);
  const names = inRoster === undefined ? new Set([foldName(team.name)]) : aliasesOf(inRoster, roster).names;
  const wanted = { names, identifier: team.identifier, isTwin: isDisambiguatedTeamKey(team.key) };
  const isIn = (fact: KnownFact) =>
    fact.team === team.key || (fact.key !== undefined && keyBelongsToTeam(fact.key, wanted) === "yes");
  const { roster: said, service, state } = sources(isIn, context);
  const named = new Set(inRoster?.members.map(({ address }) => address));
  const strangers = service.flatMap(({ users: [address] = [], says, by = "" }): readonly Statement[] => {
    if (address === undefined || named.has(resolvePerson(address, roster))) return [];
    const why = roster.leavers.has(address) ? "a leaver is in it" : "in it, and no member in the roster";
    return [{ says: `${why}: ${says}`, by }];
  });
  return {
    ...planPartsAbout(plan, teamFilter(team.key, inRoster?.because[0])),
    ...serviceSource(context),
    is: "team",
    name: team.name,
    // Of a member, the line is enough: there may be hundreds of them.
    roster: said.map(({ because = [], ...fact }) => {
      const [entry, line] = because;
      const place = entry?.as === "group" ? line : entry;
      return fact.grant === undefined || place === undefined ? { ...fact, because } : { ...fact, place };
    }),
    service: service.length > 0 ? service : [noKeyOfTeam(snapshot)],
    state,
    inSync: context.inSync.filter((one) => one.team === team.key),
    unasked:
      inRoster !== undefined || service.length === 0 ? strangers : [{ says: "the roster does not name this team" }],
  };
}

function noKeyOfTeam({ everyone, capabilities }: ExplainContext["snapshot"]): Statement {
  if (capabilities.teamsOnKeys !== "shown") return { says: "the service does not show the teams of keys" };
  return { says: "no key of this team was read", ...(everyone.read === "complete" ? { by: everyone.by } : {}) };
}

function explainKey(prefix: string, context: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, plan, inSync } = context;
  const holders = holdersOf(prefix, context);
  const isOf = ({ grant, prefix: written, users: [address] = [] }: KnownFact) =>
    written === prefix ||
    holders.some((one) => {
      if (one.address !== address) return false;
      if (roster.leavers.has(one.address)) return grant === undefined;
      return one.team === "own" ? grant?.of === "own-key" : grant?.of === "team-key" && grant.team === one.team;
    });
  const said = rosterFacts(roster).filter(isOf);
  const { service, state } = sources((fact) => fact.prefix === prefix, context);
  const isHidden = snapshot.capabilities.keysOnUsers === "hidden";
  const nobody = isHidden ? "the service does not show the keys of users" : "no user that was read has this key";
  const explained: ExplainedTarget = {
    ...planPartsAbout(plan, keyFilter(prefix)),
    ...serviceSource(context),
    is: "key",
    name: prefix,
    roster: said,
    service: service.length > 0 ? service : [{ says: nobody }],
    state,
    inSync: inSync.filter((one) => one.prefix === prefix),
    unasked: unmanagedKeys(service, context),
  };
  return said.length + service.length + state.length > 0 ? [explained] : unlessEmpty(explained);
}

/** Whose key it is, and in which team of the roster or as which own key. */
interface KeyHolder {
  readonly address: EmailKey;
  readonly team: TeamKey | "own" | "unclear";
}

/** What the service shows of who holds a key, else what our record says; the roster need not write its prefix. */
function holdersOf(prefix: string, { roster, snapshot, state }: ExplainContext): readonly KeyHolder[] {
  const shown = snapshot.users.flatMap((user): readonly KeyHolder[] => {
    const key = user.keys?.find((one) => one.prefix === prefix);
    if (key === undefined || accountStatus(key.status) === "deleted") return [];
    const team = roster.teams.find((one) => isKeyOf(key, one, { roster, state }))?.key;
    const own = shownOwnKey(user)?.prefix === prefix ? "own" : "unclear";
    return [{ address: resolvePerson(user.address, roster), team: team ?? own }];
  });
  if (shown.some(({ team }) => team !== "unclear")) return shown;
  const holder = (address: EmailKey, team: TeamKey | undefined): KeyHolder => {
    const found = team && roster.teams.find((one) => aliasesOf(one, roster).recordKeys.includes(team));
    const known = team === undefined ? "own" : (found?.key ?? "unclear");
    return { address: resolvePerson(address, roster), team: known };
  };
  const inTeams = [...state.memberships.values()].filter((held) => held.prefix === prefix);
  const users = [...state.users.values()].filter(({ key }) => key === prefix);
  const recorded =
    inTeams.length > 0
      ? inTeams.map(({ address, team }) => holder(address, team))
      : users.map(({ address, createdTeam }) => holder(address, createdTeam));
  return [...shown, ...recorded];
}

function isKeyOf(
  key: ObservedKey,
  team: DesiredTeam,
  { roster, state }: Pick<ExplainContext, "roster" | "state">,
): boolean {
  const identifier = team.identifier?.value ?? state.teams.get(team.key)?.identifier;
  const { names } = aliasesOf(team, roster);
  return keyBelongsToTeam(key, { names, identifier, isTwin: isDisambiguatedTeamKey(team.key) }) === "yes";
}

function aliasesOf(team: DesiredTeam, { teams }: Roster) {
  return teamAliases(team, ownTeamKeys(teams));
}

function explainRole(role: string, context: ExplainContext): readonly ExplainedTarget[] {
  const { plan, snapshot, roster } = context;
  const { grants, carriers, missing, ...statements } = explainRoleGrants(role, context);
  const state = stateFacts(context.state).filter(({ roles }) => roles?.includes(role) === true);
  const explained: ExplainedTarget = {
    ...planPartsAbout(plan, roleFilter(role, missing)),
    ...serviceSource(context),
    is: "role",
    name: role,
    ...statements,
    state,
    inSync: [],
  };
  const isOffered = snapshot.roles.known === "observed" && snapshot.roles.value.some((one) => one.identifier === role);
  const isInSet = [...roster.roleSets.values()].some(({ value }) => value.includes(role));
  const isFound = grants + carriers + state.length + explained.actions.length > 0;
  return isOffered || isInSet || isFound ? [explained] : [];
}

/** The address of the user who has it in the roster, else of the user who had it before, else the address itself. */
function resolvePerson(address: EmailKey, { users, leavers }: Roster): EmailKey {
  if (users.has(address) || leavers.has(address)) return address;
  const former = [...users.values()].find(({ previously }) => previously.some(({ value }) => value === address));
  return former?.address ?? address;
}

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
function findTeams(written: string, { roster, state, snapshot }: ExplainContext): readonly ExplainedTeam[] {
  const ofRoster = ({ key, name, identifier }: DesiredTeam): ExplainedTeam => {
    return { key, name, identifier: identifier?.value ?? state.teams.get(key)?.identifier };
  };
  const hasName = ({ name, identifier }: Partial<ExplainedTeam>) =>
    identifier === written || (name !== undefined && foldName(name) === foldName(written));
  const hadName = ({ previously }: DesiredTeam, name: string) =>
    previously.some(({ value }) => foldName(value) === foldName(name));
  const inState = [...state.teams.values()].map(({ team: key, name, identifier }) => ({ key, name, identifier }));
  const named = [...roster.teams.map(ofRoster), ...inState].filter(hasName);
  const once = [...new Map(named.toReversed().map((team) => [team.key, team])).values()].toReversed();
  if (once.length > 0) return once;
  const former = roster.teams.filter((team) => hadName(team, written));
  if (former.length > 0) return former.map(ofRoster);
  for (const { keys = [], account } of snapshot.users) {
    for (const { team } of keys) {
      if (team === undefined || team === "none" || !hasName(team)) continue;
      const { name = written, identifier } = team;
      const meant = roster.teams.find((one) => {
        if (account !== undefined && one.account !== account) return false;
        const own = ofRoster(one).identifier;
        if (own !== undefined && identifier !== undefined) return own === identifier;
        return foldName(one.name) === foldName(name) || hadName(one, name);
      });
      return [
        meant === undefined
          ? { key: teamKeyOf(account ?? "", name), name, identifier }
          : { ...ofRoster(meant), identifier },
      ];
    }
  }
  return [];
}

/** What a saved plan holds about a thing; nothing where it holds nothing. */
export function explainFromSavedPlan(target: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  const source = { from: "a saved plan", readings: new Map<ReadName, ReadRecord>() } as const;
  const explain = (name: string, parts: ReturnType<typeof planPartsAbout>) =>
    unlessEmpty({ ...noStatements, ...source, ...parts, is: target.is, name });
  switch (target.is) {
    case "user": {
      const { address } = target;
      return explain(planNames(plan).email(address), planPartsAbout(plan, personFilter(address, undefined), address));
    }
    case "team":
      return findPlannedTeams(plan, target.written).flatMap(({ team, name }) =>
        explain(name, planPartsAbout(plan, teamFilter(team, undefined))),
      );
    case "key":
      return explain(target.prefix, planPartsAbout(plan, keyFilter(target.prefix)));
    case "role":
      return explain(target.role, planPartsAbout(plan, roleFilter(target.role)));
    case "action":
    case "finding":
      return explainPlanPart(target, plan, source);
  }
}

/** Teams that a plan names, by name or identifier. A finding names its team only in its reasons. */
function findPlannedTeams(plan: Plan, written: string): readonly Pick<ActionTeam, "team" | "name">[] {
  const teams = teamsOfPlan(plan).filter(
    ({ name, identifier }) => identifier === written || foldName(name) === foldName(written),
  );
  if (teams.length > 0) return teams;
  const reasons = plan.findings.flatMap(({ because }) => because);
  const name = reasons.find(({ as, name: one = "" }) => as === "team" && foldName(one) === foldName(written))?.name;
  const keys = plan.findings.flatMap(({ subject }) => subjectTeam(subject) ?? []);
  const team = name === undefined ? undefined : keys.find((key) => key.endsWith(`/${foldName(name)}`));
  return team === undefined || name === undefined ? [] : [{ team, name }];
}
