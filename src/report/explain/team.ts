import { keyBelongsToTeam, type ObservedKey } from "../../model/key.ts";
import { membershipReasons } from "../../model/membership.ts";
import { formatRoles } from "../../model/role-set.ts";
import {
  type DesiredTeam,
  foldName,
  isDisambiguatedTeamKey,
  type ObservedTeam,
  ownTeamKeys,
  teamAliases,
  teamKeyOf,
} from "../../model/team.ts";
import type { ObservedUser } from "../../model/user.ts";
import { ownershipAside } from "../phrases.ts";
import {
  type ExplainContext,
  type ExplainedTeam,
  formatObservedKey,
  ownershipStatements,
  resolvePerson,
  type Statement,
} from "./explanation.ts";

/** What the roster says of a team, line by line. */
export function teamInRoster({ key }: ExplainedTeam, { roster }: ExplainContext): readonly Statement[] {
  const team = roster.teams.find((one) => one.key === key);
  if (team === undefined) return [];
  const { account, identifier, previously, admin, firstMember, open, onRemoval, onRemovalAt } = team;
  return [
    { says: `a team of ${account}${open ? ", open to others" : ""}`, because: team.because },
    ...ownershipStatements(team),
    ...(identifier === undefined ? [] : [{ says: `its identifier is ${identifier.value}`, place: identifier.place }]),
    ...previously.map(({ value, place }) => ({ says: `known before as ${value}`, place })),
    ...(admin === undefined ? [] : [{ says: `admin, if it is new: ${admin.value}`, place: admin.place }]),
    ...(firstMember === undefined
      ? []
      : [{ says: `first member, if it is new: ${firstMember.value}`, place: firstMember.place }]),
    ...(onRemovalAt === undefined ? [] : [{ says: `extra members: ${onRemoval}`, place: onRemovalAt }]),
    ...membersOf(team, roster),
  ];
}

function membersOf(
  { members, upcoming = new Map() }: DesiredTeam,
  { users }: ExplainContext["roster"],
): readonly Statement[] {
  const later = [...upcoming].map(([address, { value, place }]) => ({
    says: `${users.get(address)?.email ?? address}: from ${value} on`,
    place,
  }));
  const counting = members.map((member) => {
    const {
      address,
      roles,
      because: [entry, line],
    } = member;
    const groups = membershipReasons(member).flatMap(({ as, name }) =>
      as === "group" && name !== undefined ? [name] : [],
    );
    const also = entry?.as === "member" ? ", also" : "";
    const through =
      groups.length === 0 ? "" : `${also} through the ${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
    const asked = roles === undefined ? "roles not managed" : formatRoles(roles);
    const place = entry?.as === "group" ? line : entry;
    return {
      says: `${users.get(address)?.email ?? address}${through}${ownershipAside(member.ownership)}: ${asked}`,
      ...(place === undefined ? {} : { place }),
    };
  });
  return [...counting, ...later];
}

interface TeamKeyRecord {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
}

function teamKeyRecords(named: ExplainedTeam, { roster, snapshot }: ExplainContext): readonly TeamKeyRecord[] {
  const { key: team, identifier } = named;
  const wanted = { names: namesOf(named, roster), identifier, isTwin: isDisambiguatedTeamKey(team) };
  return snapshot.users.flatMap((user) =>
    (user.keys ?? []).filter((key) => keyBelongsToTeam(key, wanted) === "yes").map((key) => ({ user, key })),
  );
}

function namesOf({ key, name }: ExplainedTeam, { teams }: ExplainContext["roster"]): ReadonlySet<string> {
  const team = teams.find((one) => one.key === key);
  return team === undefined ? new Set([foldName(name)]) : teamAliases(team, ownTeamKeys(teams)).names;
}

/** The keys by which the service shows a team. */
export function teamInService(team: ExplainedTeam, context: ExplainContext): readonly Statement[] {
  const held = teamKeyRecords(team, context);
  if (held.length > 0)
    return held.map(({ user, key }) => ({ says: `${user.email}: ${formatObservedKey(key)}`, by: user.by }));
  const { everyone, capabilities } = context.snapshot;
  if (capabilities.teamsOnKeys !== "shown") return [{ says: "the service does not show the teams of keys" }];
  return [{ says: "no key of this team was read", ...(everyone.read === "complete" ? { by: everyone.by } : {}) }];
}

/** What our record has of a team and of who is in it. */
export function teamInState({ key }: ExplainedTeam, { state }: ExplainContext): readonly Statement[] {
  const record = state.teams.get(key);
  const members = [...state.memberships.values()].filter(({ team }) => team === key);
  return [
    ...(record === undefined ? [] : [recordOf(record)]),
    ...members.map(({ address, how, at, prefix }) => ({
      says: `${address}: ${how}${prefix === undefined ? "" : `, with the key ${prefix}`}`,
      at,
    })),
  ];
}

function recordOf({
  identifier,
  firstMember,
  at,
}: NonNullable<ReturnType<ExplainContext["state"]["teams"]["get"]>>): Statement {
  const known = identifier === undefined ? "identifier unknown" : `as ${identifier}`;
  return { says: firstMember === undefined ? `seen, ${known}` : `created with ${firstMember}, ${known}`, at };
}

/** Who is in it without being named as a member. */
export function teamUnmanaged(team: ExplainedTeam, context: ExplainContext): readonly Statement[] {
  const inRoster = context.roster.teams.find(({ key }) => key === team.key);
  const named = new Set(inRoster?.members.map(({ address }) => address));
  const shown = teamKeyRecords(team, context);
  if (inRoster === undefined) return shown.length === 0 ? [] : [{ says: "the roster does not name this team" }];
  return shown
    .filter(({ user }) => !named.has(resolvePerson(user.address, context.roster)))
    .map(({ user, key }) => {
      const why = context.roster.leavers.has(user.address)
        ? "is a leaver"
        : "the roster does not name them as a member";
      return { says: `${user.email} is in it, but ${why}: ${formatObservedKey(key)}`, by: user.by };
    });
}

interface TeamInService {
  readonly team: ObservedTeam;
  /** Of the person who holds the key; undefined where it is not shown. */
  readonly account: string | undefined;
}

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
export function findTeams(written: string, context: ExplainContext): readonly ExplainedTeam[] {
  const { roster, state } = context;
  const inRoster = roster.teams.map((team) => teamOfRoster(team, context));
  const inState = [...state.teams.values()].map(({ team: key, name, identifier }) => ({ key, name, identifier }));
  const named = [...inRoster, ...inState].filter((team) => hasName(team, written));
  const once = [...new Map(named.toReversed().map((team) => [team.key, team])).values()].toReversed();
  if (once.length > 0) return once;
  const former = roster.teams.filter((team) => hadName(team, written));
  if (former.length > 0) return former.map((team) => teamOfRoster(team, context));
  const [shown] = shownTeams(context).filter(({ team }) => hasName(team, written));
  return shown === undefined ? [] : [teamOfShown(shown, written, context)];
}

function teamOfRoster({ key, name, identifier }: DesiredTeam, { state }: ExplainContext): ExplainedTeam {
  return { key, name, identifier: identifier?.value ?? state.teams.get(key)?.identifier };
}

function hasName({ name, identifier }: Partial<Omit<ExplainedTeam, "key">>, written: string): boolean {
  return identifier === written || (name !== undefined && foldName(name) === foldName(written));
}

function hadName({ previously }: DesiredTeam, written: string): boolean {
  return previously.some(({ value }) => foldName(value) === foldName(written));
}

function shownTeams({ snapshot }: ExplainContext): readonly TeamInService[] {
  return snapshot.users.flatMap(({ keys = [], account }) =>
    keys.flatMap(({ team }) => (team === undefined || team === "none" ? [] : [{ team, account }])),
  );
}

/** The team of the roster that a shown one is, by its identifier, its name or a former name. */
function teamOfShown({ team, account }: TeamInService, written: string, context: ExplainContext): ExplainedTeam {
  const { name = written, identifier } = team;
  const near = context.roster.teams.filter((one) => account === undefined || one.account === account);
  const meant = near.find((one) => {
    const own = teamOfRoster(one, context);
    if (own.identifier !== undefined && identifier !== undefined) return own.identifier === identifier;
    return hasName({ name: own.name }, name) || hadName(one, name);
  });
  if (meant !== undefined) return { ...teamOfRoster(meant, context), identifier };
  return { key: teamKeyOf(account ?? "", name), name, identifier };
}
