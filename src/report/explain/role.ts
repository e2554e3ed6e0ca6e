import type { Action } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue, type Reason } from "../../model/fact.ts";
import { accountStatus, type ObservedKey, shownOwnKey, shownTeamKey } from "../../model/key.ts";
import type { TeamKey } from "../../model/recorded.ts";
import type { Roster } from "../../model/roster.ts";
import { keySubject, memberSubject, type Subject, teamSubject, userSubject } from "../../model/subject.ts";
import type { TeamIdentity } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { formatCount, ownershipAside } from "../phrases.ts";
import { type ExplainContext, formatObservedKey, recordedRoles, roleEffect, type Statement } from "./explanation.ts";

const grantStatusPhrases: Readonly<Record<RoleGrantStatus["is"], string>> = {
  shown: "has it already",
  recorded: "has it already, by the state",
  planned: "the plan gives it",
  open: "this plan does not give it",
};

/** The keys to which the roster gives the role, by which chain, and whether they have it; and the role sets that it is in. */
export function roleInRoster(
  role: string,
  grants: readonly RoleGrantStatus[],
  { roster }: ExplainContext,
): readonly Statement[] {
  const sets = [...roster.roleSets].filter(([, { value }]) => value.includes(role));
  return [
    {
      says:
        grants.length === 0
          ? "no key needs it"
          : `${formatKeyCount(grants.length)} ${grants.length === 1 ? "needs" : "need"} it`,
    },
    ...sets.map(([name, { place }]) => ({ says: `the role set ${name} has it`, place })),
    ...grants.map(({ grant, is }) => ({ says: `${grant.whose}: ${grantStatusPhrases[is]}`, because: grant.because })),
  ];
}

/** A key on which a role is shown. */
interface RoleCarrier {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
}

/** The keys on which the role is shown. A deleted key opens nothing any more. */
export function roleCarriers(role: string, { snapshot }: ExplainContext): readonly RoleCarrier[] {
  return snapshot.users.flatMap((user) =>
    (user.keys ?? [])
      .filter((key) => key.roles?.includes(role) === true && accountStatus(key.status) !== "deleted")
      .map((key) => ({ user, key })),
  );
}

/** Whether the service knows the role, on which keys it shows it, and what it does not show. */
export function roleInService(
  role: string,
  carriers: readonly RoleCarrier[],
  context: ExplainContext,
): readonly Statement[] {
  const people = new Set(carriers.map(({ user }) => user.address)).size;
  const { everyone } = context.snapshot;
  const nobody = { says: "no key has it", ...(everyone.read === "complete" ? { by: everyone.by } : {}) };
  return [
    ...roleOffered(role, context),
    carriers.length === 0
      ? nobody
      : {
          says: `${formatKeyCount(carriers.length)} of ${formatCount(people, "user")} ${hasOrHave(carriers.length)} it`,
        },
    ...carriers.map(({ user, key }) => ({ says: `${formatUser(user)}: ${formatObservedKey(key)}`, by: user.by })),
    ...unseenKeys(context),
  ];
}

function roleOffered(role: string, { snapshot }: ExplainContext): readonly Statement[] {
  const { roles } = snapshot;
  if (roles.known !== "observed") return [{ says: "the roles of the service are unknown" }];
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return [{ says: "the service does not offer this role", by: roles.by }];
  const name = found.name === undefined || found.name === role ? "" : `: ${found.name}`;
  const type = found.type === undefined ? "" : `, of type ${found.type}`;
  return [{ says: `the service offers this role${name}${type}`, by: roles.by }];
}

/** On which keys nobody can see whether they carry it. */
function unseenKeys({ snapshot }: ExplainContext): readonly Statement[] {
  const { users, everyone } = snapshot;
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  return [
    ...(hidden === 0 ? [] : [{ says: `the service does not show the keys of ${formatCount(hidden, "user")}` }]),
    ...(bare === 0 ? [] : [{ says: `the service does not show the roles of ${formatKeyCount(bare)}` }]),
    ...(everyone.read === "complete"
      ? []
      : [{ says: `not all users were read${everyone.read === "incomplete" ? `: ${everyone.why}` : ""}` }]),
  ];
}

/** What our record has of the keys for which the role was asked, or on which it was read. */
export function roleInState(role: string, { state }: ExplainContext): readonly Statement[] {
  return [...state.keys]
    .filter(([, { setRoles, observedRoles }]) => setRoles.includes(role) || observedRoles?.includes(role) === true)
    .flatMap(([prefix]) => recordedRoles(prefix, state));
}

/** The keys that carry it although the roster does not ask for it, and whether the plan takes it. */
export function roleUnmanaged(
  role: string,
  carriers: readonly RoleCarrier[],
  grants: readonly RoleGrantStatus[],
  { plan }: ExplainContext,
): readonly Statement[] {
  const asked = new Set(grants.flatMap(({ prefixes }) => prefixes));
  const taken = new Set(
    plan.actions.flatMap((action) => {
      const effect = roleEffect(action, role);
      return effect?.is === "takes" && effect.prefix !== undefined ? [effect.prefix] : [];
    }),
  );
  return carriers
    .filter(({ key }) => !asked.has(key.prefix))
    .map(({ user, key }) => {
      const ends = taken.has(key.prefix) ? "the plan removes it" : "the plan does not remove it";
      return {
        says: `${formatUser(user)} has it outside the roster, and ${ends}: ${formatObservedKey(key)}`,
        by: user.by,
      };
    });
}

function formatUser({ email, status }: ObservedUser): string {
  return accountStatus(status) === "active" ? email : `${email} (${status})`;
}

function formatKeyCount(count: number): string {
  return formatCount(count, "key");
}

function hasOrHave(count: number): string {
  return count === 1 ? "has" : "have";
}

/** What has become of one grant for a role. */
interface RoleGrantStatus {
  readonly grant: RoleGrant;
  readonly is: "shown" | "recorded" | "planned" | "open";
  /** Of the keys that the grant is about, as far as they are context. */
  readonly prefixes: readonly string[];
}

/** Of every key to which the roster gives a role: whether it has it, or gets it by the plan. */
export function roleGrantStatuses(role: string, context: ExplainContext): readonly RoleGrantStatus[] {
  const { roster, plan, inSync } = context;
  const lookup = buildKeyLookup(context);
  const given = new Set(plan.actions.flatMap((action) => (grantsRole(action, role) ? keyNamesOf(action, lookup) : [])));
  const exact = new Map<string, string>();
  for (const { prefix, address, team } of inSync) {
    if (prefix === undefined) continue;
    exact.set(`key ${prefix}`, prefix);
    if (address !== undefined && team !== undefined) exact.set(`team ${team} ${address}`, prefix);
    else if (address !== undefined && !lookup.listed.has(prefix)) exact.set(`own ${address}`, prefix);
  }
  return roleGrants(role, roster).map((grant) => {
    const name = keyName(grant.key);
    const shown = shownKey(grant.key, lookup);
    const recorded = exact.get(name);
    const prefixes = [shown?.prefix, recorded].filter((prefix) => prefix !== undefined);
    if (shown?.roles?.includes(role) === true) return { grant, is: "shown", prefixes };
    if (recorded !== undefined) return { grant, is: "recorded", prefixes };
    return { grant, is: given.has(name) ? "planned" : "open", prefixes };
  });
}

/** What findings are about that keep somebody from the role. */
export function missingSubjects(grants: readonly RoleGrantStatus[]): readonly Subject[] {
  return grants.flatMap((one) => (one.is === "open" ? subjectsOf(one) : []));
}

function subjectsOf({ grant: { key }, prefixes }: RoleGrantStatus): readonly Subject[] {
  const keys = prefixes.map(keySubject);
  switch (key.of) {
    case "own-key":
      return [userSubject(key.address), ...keys];
    case "team-key": {
      const { address, team } = key;
      return [
        userSubject(address),
        teamSubject(team),
        memberSubject(address, team),
        { kind: "additions", team },
        ...keys,
      ];
    }
    case "listed":
      return [keySubject(key.prefix), ...(key.owner === undefined ? [] : [userSubject(key.owner)])];
  }
}

function keyName(key: RoleGrant["key"]): string {
  switch (key.of) {
    case "own-key":
      return `own ${key.address}`;
    case "team-key":
      return `team ${key.team} ${key.address}`;
    case "listed":
      return `key ${key.prefix}`;
  }
}

function grantsRole(action: Action, role: string): boolean {
  switch (action.kind) {
    case "create-user":
      return action.createsTeam?.accessKeyRoles.includes(role) === true;
    case "add-members":
      return false;
    case "replace-roles":
      return action.roles.includes(role);
  }
}

/** By the names that grants have. */
function keyNamesOf(action: Action, { listed }: KeyLookup): readonly string[] {
  if (action.kind === "create-user") {
    return action.createsTeam === undefined ? [] : [`team ${action.createsTeam.team} ${action.address}`];
  }
  if (action.kind === "add-members") return [];
  const { key } = action;
  const { address } = key;
  if (key.of === "own-key") return [`own ${key.address}`];
  if (key.of === "team-key") return [`team ${key.team} ${key.address}`];
  const prefix = factValue(key.prefix);
  return [
    ...(prefix === undefined ? [] : [`key ${prefix}`]),
    ...(address !== undefined && key.team !== undefined ? [`team ${key.team} ${address}`] : []),
    ...(address !== undefined && key.team === undefined && !listed.has(prefix ?? "") ? [`own ${address}`] : []),
  ];
}

/** What grants are looked up in: there may be as many of them as there are people. */
interface KeyLookup {
  readonly users: ReadonlyMap<EmailKey, ObservedUser>;
  readonly teams: ReadonlyMap<TeamKey, TeamIdentity>;
  readonly keys: ReadonlyMap<string, ObservedKey>;
  /** Prefixes that stand under `keys`. */
  readonly listed: ReadonlySet<string>;
}

function buildKeyLookup({ snapshot, roster, state }: ExplainContext): KeyLookup {
  const present = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const teams = roster.teams.map(({ key: team, name, identifier }): [TeamKey, TeamIdentity] => {
    return [team, { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier }];
  });
  return {
    users: new Map(present.map((user) => [user.address, user])),
    teams: new Map(teams),
    keys: new Map(snapshot.users.flatMap(({ keys = [] }) => keys.map((key) => [key.prefix, key]))),
    listed: new Set(roster.keys.map(({ prefix }) => prefix)),
  };
}

function shownKey(key: RoleGrant["key"], { users, teams, keys }: KeyLookup): ObservedKey | undefined {
  if (key.of === "listed") return keys.get(key.prefix);
  const user = users.get(key.address);
  if (user === undefined) return undefined;
  if (key.of === "own-key") return shownOwnKey(user);
  const team = teams.get(key.team);
  const held = team === undefined ? undefined : shownTeamKey(user, team);
  return held?.is === "present" ? held.key : undefined;
}

/** One key to which the roster gives a role, and the chain that does it. */
interface RoleGrant {
  /** Whose key it is, in words. */
  readonly whose: string;
  readonly key:
    | { readonly of: "own-key"; readonly address: EmailKey }
    | { readonly of: "team-key"; readonly address: EmailKey; readonly team: TeamKey }
    | { readonly of: "listed"; readonly prefix: string; readonly owner?: EmailKey };
  readonly because: readonly Reason[];
}

/** Every key to which the roster gives a role: own keys, then those in teams, then listed ones, each in roster order. */
function roleGrants(role: string, roster: Roster): readonly RoleGrant[] {
  const chain = (because: readonly Reason[]) => because.filter((link) => !isOfOtherRoles(link, role, roster));
  const own = [...roster.users.values()].flatMap(({ address, email, ownKeyRoles }): readonly RoleGrant[] => {
    if (ownKeyRoles?.value.includes(role) !== true) return [];
    return [{ whose: `the own key of ${email}`, key: { of: "own-key", address }, because: chain(ownKeyRoles.because) }];
  });
  const inTeams = roster.teams.flatMap(({ key: team, name, members }) =>
    members.flatMap(({ address, roles, because }): readonly RoleGrant[] => {
      if (roles?.includes(role) !== true) return [];
      const email = roster.users.get(address)?.email ?? address;
      return [
        { whose: `the key of ${email} in ${name}`, key: { of: "team-key", address, team }, because: chain(because) },
      ];
    }),
  );
  const listed = roster.keys.flatMap(({ prefix, owner, ownership, roles, because }): readonly RoleGrant[] => {
    if (!roles.includes(role)) return [];
    const of = owner === undefined ? "" : ` of ${roster.users.get(owner.value)?.email ?? owner.value}`;
    const key = { of: "listed", prefix, ...(owner === undefined ? {} : { owner: owner.value }) } as const;
    return [{ whose: `the listed key ${prefix}${of}${ownershipAside(ownership)}`, key, because: chain(because) }];
  });
  return [...own, ...inTeams, ...listed];
}

/** A role set that stands in the same list and gives other roles. */
function isOfOtherRoles({ as, name = "" }: Reason, role: string, { roleSets }: Roster): boolean {
  return as === "role-set" && roleSets.get(name)?.value.includes(role) === false;
}
