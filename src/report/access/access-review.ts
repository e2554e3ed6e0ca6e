import { type EmailKey, foldAddress } from "../../model/address.ts";
import { byCodeUnit, multimap } from "../../model/collections.ts";
import type { Place } from "../../model/fact.ts";
import { accountStatus, type ObservedKey, shownOwnKey, shownTeamKey } from "../../model/key.ts";
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
import type { State } from "../../model/state.ts";
import { type DesiredTeam, foldName } from "../../model/team.ts";
import type { DesiredUser, ObservedUser } from "../../model/user.ts";

/** Who holds which role on which key, as of one time. */
export interface AccessReview {
  /** ISO 8601. */
  readonly asOf: string;
  /** `service`: as it was read. `audit`: what the log adds up to; changes made outside roster are not in it. */
  readonly from: "service" | "audit";
  /** Sorted: privileged roles first, then by person, team and role. */
  readonly rows: readonly AccessRow[];
  /** Why access may exist that no row shows. */
  readonly gaps: readonly AccessGap[];
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
}

/** The access that the service shows. */
export function reviewAccess(input: AccessInput, selection: AccessSelection): AccessReview {
  const context = {
    ...input,
    people: usersByAddress(input.roster),
    owners: indexOwnership(input.roster),
    teams: teamsByName(input.roster),
  };
  const grants = grantsByKey(input);
  const rows = input.snapshot.users
    .filter(({ status }) => accountStatus(status) !== "deleted")
    .flatMap((user) => rowsOfUser(user, grants, context));
  const gaps: readonly AccessGap[] = input.snapshot.everyone.read === "complete" ? [] : [{ of: "users" }];
  return { asOf: input.snapshot.readAt, from: "service", rows: sorted(rows.filter(isSelectedBy(selection))), gaps };
}

/** The access that calls have given, as the log says. */
export function reviewRecordedAccess(
  state: State,
  asOf: string,
  {
    privilegedRoles,
    selection,
    gaps,
  }: Pick<AccessInput, "privilegedRoles"> & Pick<AccessReview, "gaps"> & { readonly selection: AccessSelection },
): AccessReview {
  const rows = [...state.access.values()].flatMap(({ prefix, address, team, roles }): readonly AccessRow[] => {
    const key = { ...noAccess, person: address, team: team?.name, prefix };
    if (roles === undefined) return [{ ...key, not_shown: "roles" }];
    return roles.map((given) => {
      const { role } = given;
      return { ...key, role, privileged: privilegedRoles.includes(role), ...grantedBy(given, state) };
    });
  });
  return { asOf, from: "audit", rows: sorted(rows.filter(isSelectedBy(selection))), gaps };
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
function thingOf(address: EmailKey, { prefix, team }: ObservedKey, { teams }: AccessContext): OwnedThing {
  const shown = team === undefined || team === "none" ? {} : team;
  const key = teams.get(shown.identifier ?? "") ?? teams.get(foldName(shown.name ?? ""));
  return key === undefined ? { address, prefix } : { address, prefix, team: key };
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
  const recorded = state.access.get(key?.prefix ?? "")?.roles?.find(({ role }) => role === held?.role);
  const record = key === undefined || held === undefined ? undefined : state.keys.get(key.prefix);
  // A key that came as the roster has it was not written.
  const isKnown =
    record !== undefined && held !== undefined && record.setRoles.includes(held.role) && recorded === undefined;
  const granted = grantedBy(recorded ?? (isKnown ? { at: record.at } : {}), state);
  return {
    person: user.email,
    status: accountStatus(user.status),
    team: key?.team === undefined || key.team === "none" ? undefined : (key.team.name ?? key.team.identifier),
    prefix: key?.prefix,
    role: held?.role,
    privileged: held !== undefined && privilegedRoles.includes(held.role),
    source: sourceOf(user, held?.grant, input),
    place: place === undefined ? undefined : `${place.file}:${place.line}`,
    until: held?.grant === undefined ? undefined : earlier(held.grant.until, people.get(user.address)?.until?.value),
    ...granted,
    last_seen: snapshot.readAt,
    not_shown: notShown(key),
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
