import { membershipReasons } from "../../model/fact.ts";
import { ownTeamKeys, type RosterTeam, teamAliases } from "../../model/roster.ts";
import type { ObservedKey, ObservedUser } from "../../model/snapshot.ts";
import { foldName, isDisambiguatedTeamKey, keyBelongsToTeam } from "../../model/team.ts";
import type { ExplainContext, ResolvedTeam, Statement } from "./explanation.ts";
import { resolvePerson } from "./person-meant.ts";
import { formatObservedKey, formatRoles } from "./say-keys.ts";

/** What the roster says of a team, line by line. */
export function teamInRoster({ key }: ResolvedTeam, { roster }: ExplainContext): readonly Statement[] {
  const team = roster.teams.find((one) => one.key === key);
  if (team === undefined) return [];
  const { account, identifier, previously, admin, founder, open, onRemoval, onRemovalAt } = team;
  return [
    { says: `a team of ${account}${open ? ", open to others" : ""}`, because: team.because },
    ...(identifier === undefined ? [] : [{ says: `its identifier is ${identifier.value}`, place: identifier.place }]),
    ...previously.map(({ value, place }) => ({ says: `known before as ${value}`, place })),
    ...(admin === undefined
      ? []
      : [{ says: `${admin.value} administers it, where it is founded`, place: admin.place }]),
    ...(founder === undefined
      ? []
      : [{ says: `${founder.value} founds it, where it is founded`, place: founder.place }]),
    ...(onRemovalAt === undefined ? [] : [{ says: `a member too many: ${onRemoval}`, place: onRemovalAt }]),
    ...membersOf(team, roster),
  ];
}

function membersOf({ members }: RosterTeam, { users }: ExplainContext["roster"]): readonly Statement[] {
  return members.map((member) => {
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
    const wish = roles === undefined ? "roles not managed" : formatRoles(roles);
    const place = entry?.as === "group" ? line : entry;
    return {
      says: `${users.get(address)?.email ?? address}${through}: ${wish}`,
      ...(place === undefined ? {} : { place }),
    };
  });
}

interface TeamHolding {
  readonly user: ObservedUser;
  readonly key: ObservedKey;
}

function teamHoldings(named: ResolvedTeam, { roster, snapshot }: ExplainContext): readonly TeamHolding[] {
  const { key: team, identifier } = named;
  const wanted = { names: namesOf(named, roster), identifier, isTwin: isDisambiguatedTeamKey(team) };
  return snapshot.users.flatMap((user) =>
    (user.keys ?? []).filter((key) => keyBelongsToTeam(key, wanted) === "yes").map((key) => ({ user, key })),
  );
}

function namesOf({ key, name }: ResolvedTeam, { teams }: ExplainContext["roster"]): ReadonlySet<string> {
  const team = teams.find((one) => one.key === key);
  return team === undefined ? new Set([foldName(name)]) : teamAliases(team, ownTeamKeys(teams)).names;
}

/** The keys by which the service shows a team. */
export function teamInService(team: ResolvedTeam, known: ExplainContext): readonly Statement[] {
  const held = teamHoldings(team, known);
  if (held.length > 0)
    return held.map(({ user, key }) => ({ says: `${user.email}: ${formatObservedKey(key)}`, by: user.by }));
  const { everyone, capabilities } = known.snapshot;
  if (capabilities.teamsOnKeys !== "shown")
    return [{ says: "it shows no teams of keys, so that nobody can be seen in it" }];
  return [
    { says: "no key that was read is of this team", ...(everyone.read === "complete" ? { by: everyone.by } : {}) },
  ];
}

/** What our record has of a team and of who is in it. */
export function teamInState({ key }: ResolvedTeam, { state }: ExplainContext): readonly Statement[] {
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
  founder,
  at,
}: NonNullable<ReturnType<ExplainContext["state"]["teams"]["get"]>>): Statement {
  const known = identifier === undefined ? "its identifier was never learned" : `as ${identifier}`;
  return { says: founder === undefined ? `met ${known}` : `founded with ${founder}, ${known}`, at };
}

/** Who is in it without being named as a member. */
export function teamUnmanaged(team: ResolvedTeam, known: ExplainContext): readonly Statement[] {
  const inRoster = known.roster.teams.find(({ key }) => key === team.key);
  const named = new Set(inRoster?.members.map(({ address }) => address));
  const shown = teamHoldings(team, known);
  if (inRoster === undefined) return shown.length === 0 ? [] : [{ says: "the roster does not name this team" }];
  return shown
    .filter(({ user }) => !named.has(resolvePerson(user.address, known.roster)))
    .map(({ user, key }) => {
      const why = known.roster.leavers.has(user.address) ? "is a leaver" : "the roster does not name them as a member";
      return { says: `${user.email} is in it, and ${why}: ${formatObservedKey(key)}`, by: user.by };
    });
}
