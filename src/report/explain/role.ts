import { formatCount } from "../../codes/message.ts";
import { type Action, prefixOf } from "../../model/action.ts";
import { accountStatus, shownOwnKey, shownTeamKey } from "../../model/key.ts";
import { keySubject, memberSubject, type Subject, teamSubject, userSubject } from "../../model/subject.ts";
import { type ExplainContext, roleEffect, type Statement } from "./explanation.ts";
import { chainOf, formatObservedKey, type KnownFact, type RoleGrant, rosterFacts } from "./facts.ts";

/** What has become of one grant of a role. */
const statusPhrases = {
  shown: "has it already",
  recorded: "has it already, by the state",
  planned: "the plan gives it",
  open: "this plan does not give it",
} as const;

interface GrantStatus {
  readonly grant: RoleGrant;
  readonly because: KnownFact["because"];
  readonly is: keyof typeof statusPhrases;
  /** Of the keys that the grant is about, as far as they are known. */
  readonly prefixes: readonly string[];
}

/** The keys to which the roster gives a role and whether they have it, those that show it, and those that nobody asks for. */
export function explainRoleGrants(role: string, context: ExplainContext) {
  const { roster, snapshot, plan } = context;
  const grants = grantStatuses(role, context);
  // A deleted key opens nothing any more.
  const carriers = snapshot.users.flatMap((user) =>
    (user.keys ?? [])
      .filter((key) => key.roles?.includes(role) === true && accountStatus(key.status) !== "deleted")
      .map((key) => ({
        user,
        key,
        name: accountStatus(user.status) === "active" ? user.email : `${user.email} (${user.status})`,
      })),
  );
  const asked = new Set(grants.flatMap(({ prefixes }) => prefixes));
  const taken = new Set(
    plan.actions.flatMap((action) => {
      const effect = roleEffect(action, role);
      return effect?.is === "takes" ? (effect.prefix ?? []) : [];
    }),
  );
  const sets = [...roster.roleSets].filter(([, { value }]) => value.includes(role));
  const need = grants.length === 1 ? "needs" : "need";
  const { everyone } = snapshot;
  const people = formatCount(new Set(carriers.map(({ user }) => user.address)).size, "user");
  const have = carriers.length === 1 ? "has" : "have";
  const nobody = { says: "no key has it", ...(everyone.read === "complete" ? { by: everyone.by } : {}) };
  return {
    grants: grants.length,
    carriers: carriers.length,
    missing: grants.flatMap((one) => (one.is === "open" ? subjectsOf(one) : [])),
    roster: [
      { says: grants.length === 0 ? "no key needs it" : `${formatCount(grants.length, "key")} ${need} it` },
      ...sets.map(([name, { place }]): Statement => ({ says: `the role set ${name} has it`, place })),
      ...grants.map(({ grant, is, because = [] }): Statement => {
        return { says: `${grant.whose}: ${statusPhrases[is]}`, because: chainOf(role, because, roster) };
      }),
    ],
    service: [
      ...roleOffered(role, context),
      carriers.length === 0 ? nobody : { says: `${formatCount(carriers.length, "key")} of ${people} ${have} it` },
      ...carriers.map(
        ({ user, key, name }): Statement => ({ says: `${name}: ${formatObservedKey(key)}`, by: user.by }),
      ),
      ...unseenKeys(context),
    ],
    unasked: carriers.flatMap(({ user, key, name }): readonly Statement[] => {
      if (asked.has(key.prefix)) return [];
      const ends = taken.has(key.prefix) ? "the plan removes it" : "the plan does not remove it";
      return [{ says: `${name} has it outside the roster, and ${ends}: ${formatObservedKey(key)}`, by: user.by }];
    }),
  };
}

function roleOffered(role: string, { snapshot: { roles } }: ExplainContext): readonly Statement[] {
  if (roles.known !== "observed") return [{ says: "the roles of the service are unknown" }];
  const found = roles.value.find(({ identifier }) => identifier === role);
  if (found === undefined) return [{ says: "the service does not offer this role", by: roles.by }];
  const name = found.name === undefined || found.name === role ? "" : `: ${found.name}`;
  const type = found.type === undefined ? "" : `, of type ${found.type}`;
  return [{ says: `the service offers this role${name}${type}`, by: roles.by }];
}

/** On which keys nobody can see whether they carry it. */
function unseenKeys({ snapshot: { users, everyone } }: ExplainContext): readonly Statement[] {
  const hidden = users.filter((user) => user.keys === undefined).length;
  const bare = users.flatMap((user) => user.keys ?? []).filter(({ roles }) => roles === undefined).length;
  const why = everyone.read === "incomplete" ? `: ${everyone.why}` : "";
  return [
    ...(hidden === 0 ? [] : [{ says: `the service does not show the keys of ${formatCount(hidden, "user")}` }]),
    ...(bare === 0 ? [] : [{ says: `the service does not show the roles of ${formatCount(bare, "key")}` }]),
    ...(everyone.read === "complete" ? [] : [{ says: `not all users were read${why}` }]),
  ];
}

/** Of every key to which the roster gives a role: whether it has it, or gets it by the plan. */
function grantStatuses(role: string, context: ExplainContext): readonly GrantStatus[] {
  const { roster, plan, inSync } = context;
  const listed = new Set(roster.keys.map(({ prefix }) => prefix));
  const given = new Set(plan.actions.flatMap((action) => (givesRole(action, role) ? keyNamesOf(action, listed) : [])));
  const exact = new Map<string, string>();
  for (const { prefix, address, team } of inSync) {
    if (prefix === undefined) continue;
    exact.set(`key ${prefix}`, prefix);
    if (address !== undefined && team !== undefined) exact.set(`team ${team} ${address}`, prefix);
    else if (address !== undefined && !listed.has(prefix)) exact.set(`own ${address}`, prefix);
  }
  const shownKeyOf = keyFinder(context);
  return rosterFacts(roster).flatMap(({ grant, roles, because }): readonly GrantStatus[] => {
    if (grant === undefined || roles?.includes(role) !== true) return [];
    const name = nameOf(grant);
    const shown = shownKeyOf(grant);
    const recorded = exact.get(name);
    const prefixes = [shown?.prefix, recorded].filter((prefix) => prefix !== undefined);
    const is =
      shown?.roles?.includes(role) === true
        ? "shown"
        : recorded !== undefined
          ? "recorded"
          : given.has(name)
            ? "planned"
            : "open";
    return [{ grant, because, is, prefixes }];
  });
}

function nameOf(grant: RoleGrant): string {
  switch (grant.of) {
    case "own-key":
      return `own ${grant.address}`;
    case "team-key":
      return `team ${grant.team} ${grant.address}`;
    case "listed":
      return `key ${grant.prefix}`;
  }
}

/** What findings are about that keep somebody from the role. */
function subjectsOf({ grant, prefixes }: GrantStatus): readonly Subject[] {
  const keys = prefixes.map(keySubject);
  switch (grant.of) {
    case "own-key":
      return [userSubject(grant.address), ...keys];
    case "team-key": {
      const { address, team } = grant;
      const place = memberSubject(address, team);
      return [userSubject(address), teamSubject(team), place, { kind: "additions", team }, ...keys];
    }
    case "listed":
      return [keySubject(grant.prefix), ...(grant.owner === undefined ? [] : [userSubject(grant.owner)])];
  }
}

function givesRole(action: Action, role: string): boolean {
  if (action.kind === "create-user") return action.createsTeam?.accessKeyRoles.includes(role) === true;
  return action.kind === "replace-roles" && action.roles.includes(role);
}

/** By the names that grants have. */
function keyNamesOf(action: Action, listed: ReadonlySet<string>): readonly string[] {
  if (action.kind === "create-user")
    return action.createsTeam === undefined ? [] : [`team ${action.createsTeam.team} ${action.address}`];
  if (action.kind === "add-members") return [];
  const { key } = action;
  if (key.of === "own-key") return [`own ${key.address}`];
  if (key.of === "team-key") return [`team ${key.team} ${key.address}`];
  const prefix = prefixOf(action);
  const isOwn = key.address !== undefined && key.team === undefined && !listed.has(prefix ?? "");
  return [
    ...(prefix === undefined ? [] : [`key ${prefix}`]),
    ...(key.address !== undefined && key.team !== undefined ? [`team ${key.team} ${key.address}`] : []),
    ...(isOwn ? [`own ${key.address}`] : []),
  ];
}

/** Finds the key of a grant among those that the service shows: there may be as many grants as there are people. */
function keyFinder({ snapshot, roster, state }: ExplainContext) {
  const present = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const users = new Map(present.map((user) => [user.address, user]));
  const keys = new Map(snapshot.users.flatMap((user) => (user.keys ?? []).map((key) => [key.prefix, key])));
  const teams = new Map(
    roster.teams.map(({ key: team, name, identifier }) => {
      return [team, { team, name, identifier: identifier?.value ?? state.teams.get(team)?.identifier }];
    }),
  );
  return (grant: RoleGrant) => {
    if (grant.of === "listed") return keys.get(grant.prefix);
    const user = users.get(grant.address);
    if (user === undefined) return undefined;
    if (grant.of === "own-key") return shownOwnKey(user);
    const team = teams.get(grant.team);
    const held = team && shownTeamKey(user, team);
    return held?.is === "present" ? held.key : undefined;
  };
}
