import { type EmailKey, foldAddress } from "../../model/address.ts";
import { byCodeUnit, groupBy, multimap } from "../../model/collections.ts";
import type { Coverage, Drift, OutsideChange } from "../../model/drift.ts";
import type { Place } from "../../model/fact.ts";
import { accountStatus, type ObservedKey, shownOwnKey, shownTeamKey } from "../../model/key.ts";
import type { KeyRoles } from "../../model/plan.ts";
import type { Ownership, TeamKey } from "../../model/recorded.ts";
import type { RoleEnding, RoleSet } from "../../model/role-set.ts";
import {
  indexOwnership,
  type OwnedThing,
  type OwnershipLookup,
  type Roster,
  usersByAddress,
} from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { LogHead, State } from "../../model/state.ts";
import { type DesiredTeam, foldName, type ObservedTeam } from "../../model/team.ts";
import type { DesiredUser, ObservedUser } from "../../model/user.ts";

/** Who holds which role on which key, as of one time: role by role, and as people x teams. */
export interface AccessMap {
  /** ISO 8601. */
  readonly asOf: string;
  /** `service`: as it was read. `audit`: what the log adds up to; changes made outside roster are not in it. */
  readonly from: "service" | "audit";
  /** Where the log ended then. */
  readonly head?: LogHead | undefined;
  readonly coverage?: Coverage | undefined;
  /** Sorted: privileged roles first, then by person, team and role. */
  readonly rows: readonly AccessRow[];
  /** Own keys first, then teams by name, then keys whose team is not shown. Teams of one name are told apart by their keys. */
  readonly columns: readonly MapColumn[];
  /** By address. */
  readonly people: readonly MapPerson[];
  /** Why access may exist that no row shows. */
  readonly gaps: readonly AccessGap[];
}

export interface MapColumn {
  readonly key: string;
  readonly name: string;
}

export interface MapPerson {
  readonly person: string;
  readonly status: string | undefined;
  readonly leaves: string | undefined;
  /** One a column; empty where there is nothing. `unread`: a key that is not shown, or whose team is not, may be in this team. */
  readonly cells: readonly (readonly AccessRow[] | "unread")[];
}

/** `earlier`: what was done before the first event of the log. `unknown`: calls whose outcome is not known. `users`: not all were read. */
export type AccessGap =
  | { readonly of: "earlier"; readonly than: string }
  | { readonly of: "unknown"; readonly calls: number }
  | { readonly of: "users" };

/** One role of one key; a key without a role, or whose roles are hidden, has one row without a role. Names are stable. */
export interface AccessRow {
  readonly person: string | undefined;
  /** As the service shows it: active, pending, barred. */
  readonly status: string | undefined;
  readonly team: string | undefined;
  /** By the roster, else by the service: teams of one name have different ones. */
  readonly team_key: string | undefined;
  readonly prefix: string | undefined;
  readonly role: string | undefined;
  readonly privileged: boolean;
  readonly source: AccessSource | undefined;
  /** The line of YAML that gives it. */
  readonly place: string | undefined;
  /** The first day without it, where it ends. */
  readonly until: string | undefined;
  readonly granted_at: string | undefined;
  readonly granted_by: string | undefined;
  readonly run: string | undefined;
  readonly last_seen: string | undefined;
  /** What the source of the review does not show: `keys` of the user; `roles` or `team` of the key, or both. */
  readonly not_shown: NotShown | undefined;
  /** What a plan does to it. What is added is not held yet. */
  readonly planned: "adds" | "removes" | undefined;
  /** It was changed outside roster. What was removed is not held any more. */
  readonly outside: "added" | "removed" | undefined;
  /** When a recorded run first saw that; undefined where none has. */
  readonly first_seen: string | undefined;
  readonly accepted_until: string | undefined;
  /** The first day on which the user is no longer in the roster; `now` for a leaver. */
  readonly leaves: string | undefined;
  /** What the roster says of the membership or the key, else of the team, else of the user. */
  readonly owner: string | undefined;
}

type NotShown = "keys" | "roles" | "team" | "roles team";

/** `roster`: the roster gives it. `not-in-roster`: the user is in the roster, and this role is not. `leaver`, `unmanaged`: so is the user. */
export type AccessSource = "roster" | "not-in-roster" | "leaver" | "unmanaged";

export interface AccessSelection {
  readonly person?: EmailKey;
  readonly team?: string;
  readonly role?: string;
}

export interface AccessInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly privilegedRoles: RoleSet;
  /** Every key before and after a plan. */
  readonly keys?: readonly KeyRoles[];
  readonly drift?: Pick<Drift, "items" | "coverage">;
}

/** The access that the service shows, what a plan does to it, and what was changed outside roster. */
export function mapAccess(input: AccessInput, selection: AccessSelection = {}): AccessMap {
  const { roster, snapshot, drift } = input;
  const people = usersByAddress(roster);
  const context = { ...input, people, owners: indexOwnership(roster), teams: teamsByName(roster) };
  const grants = grantsByKey(input);
  const shown = snapshot.users
    .filter(({ status }) => accountStatus(status) !== "deleted")
    .flatMap((user) => rowsOfUser(user, grants, context));
  const rows = withOutside(withPlanned(shown, context), context);
  const gaps: readonly AccessGap[] = snapshot.everyone.read === "complete" ? [] : [{ of: "users" }];
  const about = { asOf: snapshot.readAt, from: "service", coverage: drift?.coverage, gaps } as const;
  return { ...about, ...arrange(rows.filter(isSelectedBy(selection))) };
}

/** The access that calls have given, as the log says. */
export function mapRecordedAccess(
  state: State,
  about: Pick<AccessMap, "asOf" | "gaps" | "head">,
  privilegedRoles: RoleSet,
  selection: AccessSelection,
): AccessMap {
  const rows = [...state.access.values()].flatMap(({ prefix, address, team, roles }): readonly AccessRow[] => {
    const key = { ...noAccess, person: address, team: team?.name, team_key: team?.team, prefix };
    if (roles === undefined) return [{ ...key, not_shown: "roles" }];
    return roles.map((given) => {
      const { role } = given;
      return { ...key, role, privileged: privilegedRoles.includes(role), ...grantedBy(given, state) };
    });
  });
  return { ...about, from: "audit", ...arrange(rows.filter(isSelectedBy(selection))) };
}

/** Whether it is there now: neither planned nor taken away. */
export function isHeld({ planned, outside }: AccessRow): boolean {
  return planned !== "adds" && outside !== "removed";
}

/** Roles that the plan gives and takes, on keys that are shown and on new ones. */
function withPlanned(shown: readonly AccessRow[], context: AccessContext): readonly AccessRow[] {
  const { keys = [], people, privilegedRoles } = context;
  const changes = keys.filter(({ before, after }) => before !== after);
  const byPrefix = groupBy(shown, ({ prefix }) => prefix);
  const changed = changes.flatMap(({ address, prefix, team, teamKey, before, after }) => {
    const held = prefix === undefined ? undefined : byPrefix.get(prefix);
    const user = address === undefined ? undefined : people.get(address);
    const leaves = leavesOn(address, context);
    const key = held?.[0] ?? { ...noAccess, person: user?.email ?? address, leaves, team, team_key: teamKey, prefix };
    const had = typeof before === "string" ? [] : before;
    // What the service puts on a new key is not known.
    if (after === "unknown") return [{ ...key, planned: "adds", not_shown: "roles" } as const];
    const gained = after.filter((role) => !had.includes(role));
    return [
      ...(held ?? []).map((row) =>
        row.role !== undefined && had.includes(row.role) && !after.includes(row.role)
          ? ({ ...row, planned: "removes" } as const)
          : row,
      ),
      ...gained.map(
        (role) =>
          ({
            ...noGrant(key),
            role,
            privileged: privilegedRoles.includes(role),
            planned: "adds",
            not_shown: undefined,
          }) as const,
      ),
    ];
  });
  const replaced = new Set(changes.flatMap(({ prefix }) => prefix ?? []));
  return [...shown.filter(({ prefix }) => prefix === undefined || !replaced.has(prefix)), ...changed];
}

/** What was changed outside roster, and when a run first saw it. */
function withOutside(rows: readonly AccessRow[], context: AccessContext): readonly AccessRow[] {
  const byPerson = groupBy(rows, ({ person = "" }) => foldAddress(person));
  const marked = new Map(rows.map((row) => [row, row]));
  for (const { outside = [], since, accepted } of context.drift?.items ?? []) {
    const seen = { first_seen: since, accepted_until: accepted?.isOver === false ? accepted.until : undefined };
    for (const change of outside) {
      const { is, person, team, key, gained } = change;
      const own = (person && byPerson.get(person.address)) ?? [];
      const here = own.filter((row) => (key === undefined ? row.team === team : row.prefix === key.prefix));
      for (const row of here)
        if (is === "member-added" || gained.includes(row.role ?? ""))
          marked.set(row, { ...row, ...seen, outside: "added" });
      for (const row of removedRows(change, here, context)) marked.set(row, { ...row, ...seen, outside: "removed" });
    }
  }
  return [...marked.values()];
}

/** What is not there any more: rows that the plan brings back, and new ones. */
function removedRows(change: OutsideChange, here: readonly AccessRow[], context: AccessContext): readonly AccessRow[] {
  const { is, person, team, key, lost } = change;
  const isGone = is === "key-removed" || is === "member-removed" || is === "user-removed";
  const roles = isGone && lost.length === 0 ? [undefined] : lost;
  return roles.map((role) => {
    const known = here.find((row) => row.role === role);
    if (known !== undefined) return known;
    const place = {
      person: person?.email,
      team,
      team_key: team && context.teams.get(foldName(team)),
      prefix: key?.prefix,
    };
    const privileged = role !== undefined && context.privilegedRoles.includes(role);
    return { ...(here[0] === undefined ? { ...noAccess, ...place } : noGrant(here[0])), role, privileged };
  });
}

/** The same key, without what is known of one of its roles. */
function noGrant(row: AccessRow): AccessRow {
  const { person, status, leaves, team, team_key, prefix, last_seen, owner } = row;
  return { ...noAccess, person, status, leaves, team, team_key, prefix, last_seen, owner };
}

function arrange(unsorted: readonly AccessRow[]): Pick<AccessMap, "rows" | "columns" | "people"> {
  const rows = sorted(unsorted);
  const shown = rows.filter((row) => row.not_shown !== "keys");
  const names = new Map(
    shown.map((row) => [columnOf(row), row.team ?? (hides(row, "team") ? "team not shown" : "own key")]),
  );
  const named = groupBy([...names], ([, name]) => foldName(name));
  const columns = [...names]
    .map(([key, name]) => ({ key, name: named.get(foldName(name))?.length === 1 ? name : `${name} (${key.slice(2)})` }))
    .sort((a, b) => byCodeUnit(`${a.key[0]}${foldName(a.name)}`, `${b.key[0]}${foldName(b.name)}`));
  const people = [...groupBy(rows, ({ person = "?" }) => foldAddress(person))]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, own]): MapPerson => {
      const { person = "?", status, leaves } = own[0];
      const isUnread = own.some((row) => hides(row, "team") && isHeld(row));
      const cells = multimap(own.flatMap((row) => (row.not_shown === "keys" ? [] : [[columnOf(row), row] as const])));
      return { person, status, leaves, cells: columns.map(({ key }) => cells.get(key) ?? (isUnread ? "unread" : [])) };
    });
  return { rows, columns, people };
}

/** Sorts as the columns stand: own keys, teams, keys whose team is not shown. */
function columnOf(row: AccessRow): string {
  if (row.team !== undefined) return `1 ${row.team_key ?? foldName(row.team)}`;
  return hides(row, "team") ? "2" : "0";
}

/** A row of which nothing is known, with every field in its place. */
export const noAccess: AccessRow = {
  person: undefined,
  status: undefined,
  team: undefined,
  prefix: undefined,
  role: undefined,
  privileged: false,
  source: undefined,
  place: undefined,
  until: undefined,
  granted_at: undefined,
  granted_by: undefined,
  run: undefined,
  last_seen: undefined,
  not_shown: undefined,
  planned: undefined,
  outside: undefined,
  first_seen: undefined,
  accepted_until: undefined,
  leaves: undefined,
  team_key: undefined,
  owner: undefined,
};

/** By which line of YAML a role is given on a key. */
interface RosterGrant {
  readonly role: string;
  /** The user, membership or listed key that has it. */
  readonly about: OwnedThing;
  readonly place: Place;
  readonly until: string | undefined;
}

/** What the roster gives on the keys that the service shows, by prefix. */
function grantsByKey({ roster, snapshot }: AccessInput): ReadonlyMap<string, readonly RosterGrant[]> {
  const shown = new Map(snapshot.users.map((user) => [user.address, user]));
  const former = [...roster.users.values()].flatMap(({ address, previously }) => {
    const user = shown.get(address) ?? previously.flatMap(({ value }) => shown.get(value) ?? [])[0];
    return user === undefined ? [] : [[address, user] as const];
  });
  const users = new Map([...shown, ...former]);
  return multimap([
    ...roster.teams.flatMap((team) => teamGrants(team, users)),
    ...[...roster.users.values()].flatMap((user) => ownGrants(user, users)),
    ...roster.keys.flatMap((key) => grantsOn(key.prefix, key.roles, { ...key, about: { prefix: key.prefix } })),
  ]);
}

type KeyGrant = readonly [prefix: string, grant: RosterGrant];
type UsersByAddress = ReadonlyMap<EmailKey, ObservedUser>;

function grantsOn(
  prefix: string,
  roles: RoleSet,
  {
    about,
    place,
    endings = [],
  }: Pick<RosterGrant, "about" | "place"> & { readonly endings?: readonly RoleEnding[] | undefined },
): readonly KeyGrant[] {
  return roles.map((role) => {
    const [ending] = endings
      .filter((one) => one.roles.includes(role))
      .sort((a, b) => byCodeUnit(a.until.value, b.until.value));
    return [prefix, { role, about, place: ending?.until.place ?? place, until: ending?.until.value }];
  });
}

function teamGrants(team: DesiredTeam, users: UsersByAddress): readonly KeyGrant[] {
  const identity = { team: team.key, name: team.name, identifier: team.identifier?.value };
  return team.members.flatMap(({ address, roles = [], endings = [], until, because }) => {
    const user = users.get(address);
    const shown = user === undefined ? undefined : shownTeamKey(user, identity);
    return shown?.is === "present"
      ? grantsOn(shown.key.prefix, roles, {
          about: { address, team: team.key },
          place: because[0] ?? team.place,
          endings: [...endings, ...(until === undefined ? [] : [{ roles, until }])],
        })
      : [];
  });
}

function ownGrants({ address, ownKeyRoles }: DesiredUser, users: UsersByAddress): readonly KeyGrant[] {
  const user = users.get(address);
  const key = user === undefined ? undefined : shownOwnKey(user);
  return key === undefined || ownKeyRoles === undefined
    ? []
    : grantsOn(key.prefix, ownKeyRoles.value, { ...ownKeyRoles, about: { address } });
}

interface AccessContext extends AccessInput {
  readonly people: ReadonlyMap<EmailKey, DesiredUser>;
  readonly owners: OwnershipLookup;
  readonly teams: ReadonlyMap<string, TeamKey>;
}

/** The teams of the roster, by their identifiers, and by their folded names where these are of one team. */
function teamsByName({ teams }: Roster): ReadonlyMap<string, TeamKey> {
  const named = multimap(teams.map(({ key, name }) => [foldName(name), key]));
  return new Map([
    ...[...named].flatMap(([name, [key, ...others]]) =>
      key === undefined || others.length > 0 ? [] : [[name, key] as const],
    ),
    ...teams.flatMap(({ key, identifier }) => (identifier === undefined ? [] : [[identifier.value, key] as const])),
  ]);
}

/** The user, membership or listed key that a key is of, where the roster gives no role on it. */
function thingOf(address: EmailKey, { prefix, team }: ObservedKey, context: AccessContext): OwnedThing {
  const key = team === undefined || team === "none" ? undefined : teamOf(team, context);
  return key === undefined ? { address, prefix } : { address, prefix, team: key };
}

function teamOf({ identifier = "", name = "" }: ObservedTeam, { teams }: Pick<AccessContext, "teams">) {
  return teams.get(identifier) ?? teams.get(foldName(name));
}

function leavesOn(address: EmailKey | undefined, { people, roster }: AccessContext): string | undefined {
  if (address === undefined) return undefined;
  return roster.leavers.has(address) ? "now" : people.get(address)?.until?.value;
}

function rowsOfUser(
  user: ObservedUser,
  grants: ReadonlyMap<string, readonly RosterGrant[]>,
  input: AccessContext,
): readonly AccessRow[] {
  const held = user.keys?.filter(({ status }) => accountStatus(status) !== "deleted");
  const address = input.people.get(user.address)?.address ?? user.address;
  if (held === undefined)
    return [rowOf(user, undefined, undefined, { ...input, ownership: input.owners({ address }) })];
  return held.flatMap((key) => {
    const given = grants.get(key.prefix) ?? [];
    const { roles = [] } = key;
    const context = { ...input, ownership: input.owners(given[0]?.about ?? thingOf(address, key, input)) };
    if (roles.length === 0) return [rowOf(user, key, undefined, context)];
    return roles.map((role) => rowOf(user, key, { role, grant: given.find((one) => one.role === role) }, context));
  });
}

function rowOf(
  user: ObservedUser,
  key: ObservedKey | undefined,
  held: { readonly role: string; readonly grant: RosterGrant | undefined } | undefined,
  input: AccessContext & { readonly ownership: Ownership | undefined },
): AccessRow {
  const { privilegedRoles, snapshot, state, people } = input;
  const place = held?.grant?.place;
  const shownTeam = key?.team === "none" ? undefined : key?.team;
  const recorded = state.access.get(key?.prefix ?? "")?.roles?.find(({ role }) => role === held?.role);
  const record = key === undefined || held === undefined ? undefined : state.keys.get(key.prefix);
  // A key that came as the roster has it was not written.
  const isKnown =
    record !== undefined && held !== undefined && record.setRoles.includes(held.role) && recorded === undefined;
  const granted = grantedBy(recorded ?? (isKnown ? { at: record.at } : {}), state);
  return {
    person: user.email,
    status: accountStatus(user.status),
    team: shownTeam?.name ?? shownTeam?.identifier,
    team_key: shownTeam && (teamOf(shownTeam, input) ?? shownTeam.identifier),
    prefix: key?.prefix,
    role: held?.role,
    privileged: held !== undefined && privilegedRoles.includes(held.role),
    source: sourceOf(user, held?.grant, input),
    place: place === undefined ? undefined : `${place.file}:${place.line}`,
    until: held?.grant === undefined ? undefined : earlier(held.grant.until, people.get(user.address)?.until?.value),
    ...granted,
    last_seen: snapshot.readAt,
    not_shown: notShown(key),
    planned: undefined,
    outside: undefined,
    first_seen: undefined,
    accepted_until: undefined,
    leaves: leavesOn(user.address, input),
    owner: input.ownership?.owner,
  };
}

function notShown(key: ObservedKey | undefined): NotShown | undefined {
  if (key === undefined) return "keys";
  if (key.roles !== undefined) return key.team === undefined ? "team" : undefined;
  return key.team === undefined ? "roles team" : "roles";
}

/** Of two days, or of one, the first. */
function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

function grantedBy(
  { at, run }: { readonly at?: string; readonly run?: string },
  { runs }: State,
): Pick<AccessRow, "granted_at" | "granted_by" | "run"> {
  return { granted_at: at, granted_by: runs.get(run ?? "")?.actor?.name, run };
}

function sourceOf(user: ObservedUser, grant: RosterGrant | undefined, input: AccessContext): AccessSource {
  if (grant !== undefined) return "roster";
  if (input.roster.leavers.has(user.address)) return "leaver";
  return input.people.has(user.address) ? "not-in-roster" : "unmanaged";
}

/** What is not shown may be what was asked for: it is listed too. */
function isSelectedBy({ person, team, role }: AccessSelection): (row: AccessRow) => boolean {
  return (row) =>
    (person === undefined || (row.person !== undefined && foldAddress(row.person) === person)) &&
    (team === undefined || hides(row, "team") || (row.team !== undefined && foldName(row.team) === foldName(team))) &&
    (role === undefined || hides(row, "roles") || row.role === role);
}

export function hides({ not_shown: hidden }: AccessRow, what: "roles" | "team"): boolean {
  return hidden === "keys" || hidden?.split(" ").includes(what) === true;
}

function sorted(rows: readonly AccessRow[]): readonly AccessRow[] {
  const rank = (row: AccessRow) =>
    [row.privileged ? "0" : "1", row.person, row.team, row.role, row.prefix].map((part) => part ?? "").join("\n");
  const ranked = rows.map((row) => ({ row, key: rank(row) }));
  return ranked.sort((a, b) => byCodeUnit(a.key, b.key)).map(({ row }) => row);
}
