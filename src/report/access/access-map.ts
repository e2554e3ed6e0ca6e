import type { foldWhere } from "../../log/checkpoint.ts";
import { withoutRemoved } from "../../log/removed-keys.ts";
import { type EmailKey, foldAddress } from "../../model/address.ts";
import { byCodeUnit, definedFields, groupBy, latest, multimap } from "../../model/collections.ts";
import { type EndedChange, type OutsideChange, removals } from "../../model/finding.ts";
import { accountStatus, isDeleted, keyKind, shownOwnKey, shownTeam } from "../../model/key.ts";
import type { Coverage, Drift, KeyRoles } from "../../model/plan.ts";
import { indexOwnership, indexRoster, type Roster, type RosterIndex } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { LogHead, State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import type { RoleSet } from "../../model/values.ts";
import { present } from "../document/names.ts";

export interface AccessMap {
  /** ISO 8601. */
  readonly asOf: string;
  /** `service`: as it was read. `audit`: what the log knew. A change made outside roster is in it once a run has seen it. */
  readonly from: "service" | "audit";
  /** Where the log ended when it was read, also for a day in the past. */
  readonly head?: LogHead | undefined;
  /** What was changed outside roster before, and is so no more. */
  readonly ended?: readonly EndedChange[] | undefined;
  readonly coverage?: Coverage | undefined;
  /** Sorted: privileged roles first, then by person, team and role. */
  readonly rows: readonly AccessRow[];
  /** Own keys first, then other keys without a team, then teams by name, then keys whose team is not shown. Teams of one name are told apart by their keys. */
  readonly columns: readonly MapColumn[];
  readonly people: readonly MapPerson[];
  /** Everybody whom the service shows, also without a key. The log does not say. */
  readonly users?: readonly { readonly person: string; readonly status: string }[] | undefined;
  /** Why access may exist that no row shows. */
  readonly gaps: readonly AccessGap[];
}

const columnOrder = ["own-key", "other-keys", "team", "hidden"] as const;

interface MapColumn {
  readonly of: (typeof columnOrder)[number];
  /** Of a team, which tells those of one name apart. */
  readonly key: string;
  readonly name: string;
}

export interface MapPerson {
  readonly person: string;
  readonly status: string | undefined;
  readonly leaves: string | undefined;
  readonly isKeyOwner: boolean;
  /** One a column; empty where there is nothing. `unread`: a key that is not shown, or whose team is not, may be in this team. */
  readonly cells: readonly (readonly AccessRow[] | "unread")[];
}

/** What was done `earlier` than the log begins, or `later` than it ends. `unknown`: calls without an outcome. `users`: not all were read. */
export type AccessGap =
  | { readonly of: "earlier" | "later"; readonly than: string }
  | { readonly of: "unknown"; readonly calls: number }
  | { readonly of: "users" };

/** One role of one key; a key without a role, or whose roles are hidden, has one row without a role. Names are stable. */
export interface AccessRow {
  readonly person?: string | undefined;
  /** As the service shows it: active, pending, barred. */
  readonly status?: string | undefined;
  readonly team?: string | undefined;
  readonly prefix?: string | undefined;
  readonly role?: string | undefined;
  readonly privileged: boolean;
  /** Absent where there is no role to judge, or where the service hides what decides it. */
  readonly source?: AccessSource | undefined;
  /** The line of YAML that gives it. */
  readonly place?: string | undefined;
  /** The first day without it, where it ends. */
  readonly until?: string | undefined;
  readonly granted_at?: string | undefined;
  readonly granted_by?: string | undefined;
  readonly run?: string | undefined;
  readonly last_seen?: string | undefined;
  /** What the source of the review does not show: `keys` of the user; `roles` or `team` of the key, or both. */
  readonly not_shown?: "keys" | "roles" | "team" | "roles team" | undefined;
  /** What a plan does to it. What is added is not held yet. */
  readonly planned?: "adds" | "removes" | undefined;
  /** It was changed outside roster. What was removed is not held any more. */
  readonly outside?: "added" | "removed" | undefined;
  /** When a recorded run first saw that; undefined where none has. */
  readonly first_seen?: string | undefined;
  readonly accepted_until?: string | undefined;
  /** The first day on which the user is no longer in the roster; `now` for a leaver. */
  readonly leaves?: string | undefined;
  /** By the roster, else by the service: teams of one name have different ones. */
  readonly team_key?: string | undefined;
  /** What the roster says of the membership or the key, else of the team, else of the user. */
  readonly owner?: string | undefined;
}

/** `held`: false of what a plan adds or others removed. `about`: what is true of the map, in rows of its own. */
export const accessColumns = [
  ...(["person", "status", "team", "prefix", "role", "privileged", "source", "place", "until", "granted_at"] as const),
  ...(["granted_by", "run", "last_seen", "not_shown", "planned", "outside", "first_seen", "accepted_until"] as const),
  ...(["leaves", "team_key", "owner", "held", "about"] as const),
] satisfies readonly (keyof AccessRow | "held" | "about")[];

/**
 * `roster`: the roster gives it. `not-managed`: it leaves the roles of the key alone. `not-in-roster`: the user is in the roster, and this
 * role is not. `leaver`, `unmanaged`: so is the user.
 */
export type AccessSource = "roster" | "not-managed" | "not-in-roster" | "leaver" | "unmanaged";

/** Selects the access that fits all that is given. What the service does not show may fit. */
export interface AccessSelection {
  /** An e-mail address. */
  readonly person?: string | undefined;
  /** A name or the identifier of a team. */
  readonly team?: string | undefined;
  readonly role?: string | undefined;
}

export interface AccessInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly privilegedRoles: RoleSet;
  readonly keyInUse?: string | undefined;
  readonly keys?: readonly KeyRoles[];
  readonly drift?: Pick<Drift, "items" | "coverage">;
}

interface AccessContext extends AccessInput {
  readonly index: RosterIndex;
  /** As the service shows them, by address; one that is shown under a former address, by that of the roster too. */
  readonly emails: ReadonlyMap<EmailKey, string>;
  readonly owners: ReturnType<typeof indexOwnership>;
}

export function mapAccess(input: AccessInput, selection: AccessSelection = {}): AccessMap {
  const { roster, snapshot, state, privilegedRoles, keyInUse, keys = [], drift } = input;
  const index = indexRoster(roster, state);
  const users = snapshot.users.filter((user) => !isDeleted(user));
  const emails = new Map([
    ...users.map(({ address, email }) => [index.userAt(address)?.address ?? address, email] as const),
    ...users.map(({ address, email }) => [address, email] as const),
  ]);
  const context = { ...input, index, emails, owners: indexOwnership(roster) };
  const changes = keys.filter(({ before, after }) => before !== after);
  const byPrefix = new Map(changes.map((change) => [change.prefix, change]));
  const held = users.flatMap((user) => rowsOfUser(user, context));
  const shown = [...groupBy(held, ({ prefix = "" }) => prefix)].flatMap(([prefix, own]) => {
    const change = prefix === "" ? undefined : byPrefix.get(prefix);
    return change === undefined ? own : withPlanned(own, change, withoutGrant(own[0]), privilegedRoles);
  });
  const known = new Set(held.map(({ prefix }) => prefix));
  const added = changes.flatMap((change) => {
    const { address, prefix, team, teamKey } = change;
    if (prefix !== undefined && known.has(prefix)) return [];
    const person = address && emailOf(address, context);
    const leaves = leavesOn(address, context);
    const key = { person, leaves, team, team_key: teamKey, prefix, privileged: false };
    return withPlanned([], change, key, privilegedRoles);
  });
  const rows = withOutside([...shown, ...added], context);
  const gaps: readonly AccessGap[] = snapshot.everyone.read === "complete" ? [] : [{ of: "users" }];
  const about = { asOf: snapshot.readAt, from: "service", coverage: drift?.coverage, gaps } as const;
  const { person, team } = selection;
  const shownAs = person === undefined ? undefined : foldAddress(emailOf(foldAddress(person), context));
  const teamKey = team === undefined ? undefined : index.teamNamed(team)?.key;
  const others = new Set([...users.flatMap(otherKeys), ...roster.keys.map(({ prefix }) => prefix)]);
  const isSelected = isSelectedBy(selection, shownAs, teamKey);
  const there = users.map(({ email, status }) => ({ person: email, status: accountStatus(status), privileged: false }));
  return { ...about, users: there.filter(isSelected), ...arrange(rows.filter(isSelected), others, keyInUse) };
}

/** The keys of a user whose own key is known to be another. */
function otherKeys(user: ObservedUser): readonly string[] {
  const own = shownOwnKey(user);
  return own === undefined ? [] : (user.keys ?? []).flatMap(({ prefix }) => (prefix === own.prefix ? [] : prefix));
}

/** What a log knew at a time, up to which it was folded. */
export function mapRecordedAccess(
  { state, head, from = "", to = "", pruned }: Awaited<ReturnType<typeof foldWhere>>,
  { asOf, ended }: Pick<AccessMap, "asOf"> & { readonly ended: readonly EndedChange[] },
  privilegedRoles: RoleSet,
  selection: AccessSelection = {},
): AccessMap {
  const teamKey = [...state.teams.values()].find(({ identifier = "" }) => identifier === selection.team)?.team;
  const known = recordedRows(withoutRemoved(state, ended), ended, privilegedRoles);
  const rows = known.filter(isSelectedBy(selection, undefined, teamKey));
  const gaps = present<AccessGap>(
    pruned === undefined && from > asOf && { of: "earlier", than: from },
    to < asOf && { of: "later", than: to },
    state.open.length > 0 && { of: "unknown", calls: state.open.length },
  );
  return { asOf, from: "audit", head, ended, gaps, ...arrange(rows, unclearKeys(rows, state)) };
}

/** Of a person with several keys without a team, each that is not known to be the own one. */
function unclearKeys(rows: readonly AccessRow[], { users }: State): ReadonlySet<string> {
  const teamless = groupBy(rows, ({ person, team }) => (team === undefined ? person : undefined));
  const unclear = [...teamless].flatMap(([person, own]) => {
    const prefixes = [...new Set(own.flatMap(({ prefix }) => prefix ?? []))];
    return prefixes.length < 2 ? [] : prefixes.filter((prefix) => prefix !== users.get(foldAddress(person))?.key);
  });
  return new Set(unclear);
}

/** Of each key what the log knew, with what others had changed. */
function recordedRows(state: State, ended: readonly EndedChange[], privilegedRoles: RoleSet): readonly AccessRow[] {
  const { access, openFindings, users } = state;
  const current = [...(openFindings?.values() ?? [])].flatMap(({ outside = [], since }) =>
    outside.flatMap((one) => (one.is === "privileged-roles-left" ? [] : [{ ...one, since }])),
  );
  const over = ended.map(({ change, ...one }) => ({ ...change, ...one }));
  const idOf = ({ key, person }: OutsideChange) => key?.prefix ?? person?.address;
  const [changes, before] = [groupBy(current, idOf), groupBy(over, idOf)];
  const rows = recordedKeys(state, current).flatMap(({ roles, foundAt, ...known }): readonly AccessRow[] => {
    const { prefix = "", person = "", team, last_seen: at = "" } = known;
    const ids = [prefix, person];
    const isOfKey = ({ is, key, team: where = "", since }: OutsideChange & { readonly since: string }) =>
      since >= at && (key !== undefined || is.startsWith("user-") || foldName(where) === foldName(team ?? ""));
    const now = ids.flatMap((id) => changes.get(id) ?? []).filter(isOfKey);
    const past = ids.flatMap((id) => before.get(id) ?? []).filter(isOfKey);
    const removed = now.find(({ is }) => removals.includes(is));
    const isGone = removed === undefined && users.get(foldAddress(person))?.goneAt !== undefined;
    if (isGone || [...now, ...past].some(({ is }) => is === "user-replaced")) return [];
    /** Under another fingerprint, where another role of the key was changed since. */
    const firstSeen = (role: string, since: string): string => {
      const earlier = past.find((one) => one.endedAt === since && one.since < since && one.gained.includes(role));
      return earlier === undefined ? since : firstSeen(role, earlier.since);
    };
    const all = new Set([...(roles ?? [undefined]), ...now.flatMap(({ gained }) => gained)]);
    return [...(all.size === 0 ? [undefined] : all)].map((role): AccessRow => {
      const isAbout = (some: RoleSet) => role !== undefined && some.includes(role);
      const changed =
        removed ?? now.find(({ is, gained, lost }) => is === "member-added" || isAbout([...gained, ...lost]));
      const isAdded = changed !== removed && !isAbout(changed?.lost ?? []);
      const given = access.get(prefix)?.roles?.find((one) => one.role === role);
      return {
        ...{ ...known, last_seen: foundAt ?? known.last_seen },
        ...{ role, privileged: isAbout(privilegedRoles), ...grantedBy(given ?? {}, state) },
        not_shown: role === undefined && roles === undefined ? "roles" : undefined,
        ...(isAdded ? { outside: "added", last_seen: foundAt ?? changed?.since } : { outside: changed && "removed" }),
        first_seen: changed && firstSeen(role ?? "", changed.since),
      };
    });
  });
  const people = new Set(rows.map(({ person }) => person));
  const keyless = [...users.values()].flatMap(({ address: person, goneAt }): readonly AccessRow[] =>
    goneAt !== undefined || people.has(person) ? [] : [{ person, privileged: false, not_shown: "keys" }],
  );
  return [...rows, ...keyless];
}

interface KeyInLog extends Partial<AccessRow> {
  readonly roles?: RoleSet | undefined;
  /** When a call without an outcome found these roles. Changes by others may be in them. */
  readonly foundAt?: string | undefined;
}

/** Keys, and members whose keys are not known: what calls set, then what reads showed, then what open calls had found. */
function recordedKeys(state: State, changes: readonly OutsideChange[]): readonly KeyInLog[] {
  const { access, epoch = "", keys, memberships, open, seenKeys, teams } = state;
  const known = new Map<string, KeyInLog>();
  const note = (one: KeyInLog) => {
    const id = one.prefix ?? `${one.person} ${one.team}`;
    known.set(id, { ...known.get(id), ...definedFields(one) });
  };
  const teamKeys = new Map([...teams.values()].map(({ team, name }) => [foldName(name), team]));
  for (const { prefix, address: person, team, at, seenAt: last_seen = at } of memberships.values())
    note({ prefix, person, last_seen, team: teams.get(team)?.name ?? team.replace(/^[^/]*\//u, ""), team_key: team });
  for (const { is, key, person, team } of changes)
    if (key !== undefined || is === "member-added")
      note({ prefix: key?.prefix, person: person?.address, team, team_key: team && teamKeys.get(foldName(team)) });
  for (const { prefix, address: person, team, roles } of access.values()) {
    const held = roles?.map(({ role }) => role);
    const last_seen = latest(...(roles ?? []).map(({ at }) => at));
    note({ prefix, person, team: team?.name, team_key: team?.team, roles: held, last_seen });
  }
  for (const { prefix, at: last_seen, observedRoles, provisional } of keys.values())
    note({ prefix, last_seen, roles: provisional === true ? undefined : observedRoles });
  for (const { prefix, address: person, roles, at: last_seen } of seenKeys?.values() ?? [])
    note({ prefix, person, roles, last_seen });
  for (const { intent, at: foundAt } of open)
    if (intent.kind === "replace-roles" && intent.before !== undefined && foundAt >= epoch)
      note({ prefix: intent.prefix, person: intent.owner, roles: intent.before, foundAt });
  return [...known.values()];
}

export function isHeld({ planned, outside }: AccessRow): boolean {
  return planned !== "adds" && outside !== "removed";
}

function withPlanned(held: readonly AccessRow[], { before, after }: KeyRoles, key: AccessRow, privileged: RoleSet) {
  // What the service puts on a new key is not known.
  if (after === "unknown") return [{ ...key, planned: "adds", not_shown: "roles" } as const];
  const had = typeof before === "string" ? [] : before;
  const isLost = ({ role }: AccessRow) => role !== undefined && had.includes(role) && !after.includes(role);
  const gained = after.filter((role) => !had.includes(role));
  return [
    ...held.map((row) => (isLost(row) ? ({ ...row, planned: "removes" } as const) : row)),
    ...gained.map((role) => ({ ...key, role, privileged: privileged.includes(role), planned: "adds" }) as const),
  ];
}

function withOutside(rows: readonly AccessRow[], context: AccessContext): readonly AccessRow[] {
  const byPerson = groupBy(rows, ({ person = "" }) => foldAddress(person));
  const byPrefix = groupBy(rows, ({ prefix = "" }) => prefix);
  const marked = new Map(rows.map((row) => [row, row]));
  const changes = (context.drift?.items ?? []).flatMap(({ outside = [], since, accepted }) => {
    const seen = { first_seen: since, accepted_until: accepted?.is === "in-force" ? accepted.until : undefined };
    return outside.map((change) => [change, seen] as const);
  });
  for (const [change, seen] of changes) {
    const { is, person, team, key, gained } = change;
    const own = person && byPerson.get(foldAddress(emailOf(person.address, context)));
    const here = (key === undefined ? own?.filter((row) => row.team === team) : byPrefix.get(key.prefix)) ?? [];
    for (const row of here)
      if (is === "member-added" || gained.includes(row.role ?? ""))
        marked.set(row, { ...row, ...seen, outside: "added" });
    for (const row of removedRows(change, here, context)) marked.set(row, { ...row, ...seen, outside: "removed" });
  }
  return [...marked.values()];
}

function removedRows(change: OutsideChange, here: readonly AccessRow[], context: AccessContext): readonly AccessRow[] {
  const { is, person, team, key, lost } = change;
  const roles = removals.includes(is) && lost.length === 0 ? [undefined] : lost;
  return roles.map((role) => {
    const known = here.find((row) => row.role === role);
    if (known !== undefined) return known;
    const team_key = team && context.index.teamNamed(team)?.key;
    const place = { person: person && emailOf(person.address, context), team, team_key, prefix: key?.prefix };
    const privileged = role !== undefined && context.privilegedRoles.includes(role);
    return { ...(here[0] === undefined ? place : withoutGrant(here[0])), role, privileged };
  });
}

function withoutGrant({ person, status, leaves, team, team_key, prefix, last_seen, owner }: AccessRow): AccessRow {
  return { person, status, leaves, team, team_key, prefix, last_seen, owner, privileged: false };
}

function arrange(unsorted: readonly AccessRow[], others: ReadonlySet<string> = new Set(), keyInUse?: string) {
  const columnOf = (row: AccessRow): MapColumn => {
    if (row.team !== undefined) return { of: "team", key: row.team_key ?? foldName(row.team), name: row.team };
    if (hides(row, "team")) return { of: "hidden", key: "", name: "team unread" };
    const isOther = others.has(row.prefix ?? "");
    return isOther ? { of: "other-keys", key: "", name: "other keys" } : { of: "own-key", key: "", name: "own key" };
  };
  const idOf = ({ of, key }: MapColumn) => `${columnOrder.indexOf(of)} ${key}`;
  const rank = (row: AccessRow) =>
    [row.privileged ? "0" : "1", row.person, row.team, row.role, row.prefix].map((part) => part ?? "").join("\n");
  const ranked = unsorted.map((row) => ({ row, key: rank(row) })).sort((a, b) => byCodeUnit(a.key, b.key));
  const rows = ranked.map(({ row }) => row);
  const shown = rows.filter((row) => row.not_shown !== "keys");
  const found = new Map(shown.map(columnOf).map((column) => [idOf(column), column]));
  const named = groupBy([...found.values()], ({ name }) => foldName(name));
  const columns = [...found.values()]
    .map((one) => (named.get(foldName(one.name))?.length === 1 ? one : { ...one, name: `${one.name} (${one.key})` }))
    .sort((a, b) => byCodeUnit(`${idOf(a)[0]}${foldName(a.name)}`, `${idOf(b)[0]}${foldName(b.name)}`));
  /** Several keys may stand in one cell. */
  const inCell = (row: AccessRow): AccessRow =>
    row.role === undefined || !["other-keys", "hidden"].includes(columnOf(row).of)
      ? row
      : { ...row, role: `${row.role} on ${row.prefix}` };
  const people = [...groupBy(rows, ({ person = "?" }) => foldAddress(person))]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, own]): MapPerson => {
      const { person = "?" } = own[0];
      // Not every row has them: a key that is planned or gone has no status.
      const [status] = own.flatMap((row) => row.status ?? []);
      const [leaves] = own.flatMap((row) => row.leaves ?? []);
      const isUnread = own.some((row) => hides(row, "team") && isHeld(row));
      const isKeyOwner = keyInUse !== undefined && own.some(({ prefix }) => prefix === keyInUse);
      const drawn = own.filter((row) => row.not_shown !== "keys");
      const cells = multimap(drawn.map((row) => [idOf(columnOf(row)), inCell(row)]));
      const inColumns = columns.map((column) => cells.get(idOf(column)) ?? (isUnread ? ("unread" as const) : []));
      return { person, status, leaves, isKeyOwner, cells: inColumns };
    });
  return { rows, columns, people };
}

function emailOf(address: EmailKey, { emails, index }: AccessContext): string {
  const user = index.userAt(address);
  return emails.get(address) ?? (user && emails.get(user.address)) ?? user?.email ?? address;
}

function leavesOn(address: EmailKey | undefined, { index }: AccessContext): string | undefined {
  if (address === undefined) return undefined;
  return index.isLeaver(address) ? "now" : index.userAt(address)?.until?.value;
}

function rowsOfUser(user: ObservedUser, context: AccessContext): readonly AccessRow[] {
  const { privilegedRoles, snapshot, state, index, owners } = context;
  const entry = index.userAt(user.address);
  const address = entry?.address ?? user.address;
  const unasked = index.isLeaver(user.address) ? "leaver" : entry === undefined ? "unmanaged" : undefined;
  const person = {
    person: user.email,
    status: accountStatus(user.status),
    leaves: leavesOn(user.address, context),
    last_seen: snapshot.readAt,
    privileged: false,
    source: unasked,
  } as const;
  const held = user.keys?.filter((key) => !isDeleted(key));
  if (held === undefined) return [{ ...person, not_shown: "keys", owner: owners({ address })?.owner }];
  return held.flatMap((shown): readonly AccessRow[] => {
    const { prefix, roles } = shown;
    const team = shownTeam(shown);
    const teamKey = index.teamOf(shown)?.key;
    const given = index.keyOf({ key: shown, holder: user });
    const [noRoles, noTeam] = [roles === undefined, shown.team === undefined];
    // Of a key that may be a team's, the roster may give what it has.
    const isUnclear = noTeam && [undefined, "team"].includes(keyKind(shown)) && given.roles === undefined;
    const notShown = noRoles ? (noTeam ? "roles team" : "roles") : noTeam ? "team" : undefined;
    const key = {
      ...person,
      source: given.is === "named" ? "not-managed" : unasked,
      team: team?.name ?? team?.identifier,
      team_key: teamKey ?? team?.identifier,
      prefix,
      not_shown: notShown,
      owner: owners({ address, prefix, team: teamKey })?.owner,
    } as const;
    if (roles === undefined || roles.length === 0) return [key];
    return roles.map((role) => {
      const recorded = state.access.get(prefix)?.roles?.find((one) => one.role === role);
      const record = state.keys.get(prefix);
      // A key that came as the roster has it was not written.
      const written = record?.setRoles.includes(role) === true ? { at: record.at } : {};
      const privileged = privilegedRoles.includes(role);
      const row = { ...key, role, privileged, ...grantedBy(recorded ?? written, state) };
      if (given.roles?.includes(role) !== true)
        return { ...row, source: key.source ?? (isUnclear ? undefined : "not-in-roster") };
      const ends = (given.endings ?? []).filter((ending) => ending.roles.includes(role)).map(({ until }) => until);
      const [end] = ends.toSorted((a, b) => byCodeUnit(a.value, b.value));
      const at = end?.place ?? given.place;
      const [until] = [end?.value, entry?.until?.value].filter((day) => day !== undefined).toSorted(byCodeUnit);
      return { ...row, source: "roster", place: at && `${at.file}:${at.line}`, until };
    });
  });
}

function grantedBy({ at, run }: { readonly at?: string | undefined; readonly run?: string | undefined }, state: State) {
  return { granted_at: at, granted_by: state.runs.get(run ?? "")?.actor?.name, run };
}

/** What is not shown may be what was asked for: it is listed too. `shownAs`: a former address; `teamKey`: of a former name or an identifier. */
function isSelectedBy({ person, team, role }: AccessSelection, shownAs?: EmailKey, teamKey: string | undefined = team) {
  const address = person === undefined ? undefined : foldAddress(person);
  const isOfTeam = ({ team: name, team_key: key }: AccessRow) =>
    name !== undefined && (foldName(name) === foldName(team ?? "") || key === teamKey);
  return (row: AccessRow) =>
    (person === undefined || (row.person !== undefined && [address, shownAs].includes(foldAddress(row.person)))) &&
    (team === undefined || hides(row, "team") || isOfTeam(row)) &&
    (role === undefined || hides(row, "roles") || row.role === role);
}

export function hides({ not_shown: hidden }: AccessRow, what: "roles" | "team"): boolean {
  return hidden === "keys" || hidden?.split(" ").includes(what) === true;
}
