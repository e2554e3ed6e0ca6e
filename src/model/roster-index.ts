import type { EmailKey } from "./address.ts";
import { multimap } from "./collections.ts";
import type { Place } from "./fact.ts";
import { type DesiredKey, keyBelongsToTeam, type ObservedKey, shownOwnKey, shownTeam } from "./key.ts";
import { type DesiredMember, membershipKeyOf } from "./membership.ts";
import type { TeamKey } from "./recorded.ts";
import type { RoleEnding, RoleSet } from "./role-set.ts";
import { type Roster, usersByAddress } from "./roster.ts";
import type { State } from "./state.ts";
import { type DesiredTeam, disambiguatedTeamKey, foldName, ownTeamKeys, teamAliases, teamKeyOf } from "./team.ts";
import type { DesiredUser, Leaver, ObservedUser } from "./user.ts";

export type RosterIndex = ReturnType<typeof indexRoster>;

export interface HeldKey {
  readonly holder: Pick<ObservedUser, "address" | "keys">;
  readonly key: ObservedKey;
}

/**
 * How the roster leads to a key. `managed`: it says which roles the key has. `named`: it names the key, or the place in which
 * somebody holds it, and leaves its roles alone. `unclear`: the service does not show what key it is.
 */
export interface KeyInRoster {
  readonly is: "managed" | "named" | "unclear" | "unlisted";
  /** The team in which its holder has the key, by the roster. */
  readonly team?: TeamKey | undefined;
  /** Where it is managed, and where that stands. */
  readonly roles?: RoleSet | undefined;
  readonly endings?: readonly RoleEnding[] | undefined;
  readonly place?: Place | undefined;
  /** All that leads to it: of a user it is the own key. */
  readonly entries: readonly (DesiredKey | Leaver | DesiredMember | DesiredUser)[];
}

/** Under which names and keys a team of the roster may be found. */
export interface TeamInRoster {
  readonly team: DesiredTeam;
  /** Folded names under which keys may show it. */
  readonly names: ReadonlySet<string>;
  /** True where its account has another team of its name, so that the name alone does not tell which one is shown. */
  readonly isTwin: boolean;
  /** Keys under which the state may remember it: its own first, then those of its former names. */
  readonly recordKeys: readonly TeamKey[];
}

interface IndexedTeam extends TeamInRoster {
  readonly identifier: string | undefined;
  readonly members: ReadonlyMap<EmailKey, DesiredMember>;
}

/** Leads from what the service shows to what the roster says of it. */
export function indexRoster(roster: Roster, state: State) {
  const users = usersByAddress(roster);
  const listed = new Map(roster.keys.map((key) => [key.prefix, key]));
  const byKey = new Map(roster.teams.map((team) => [team.key, team]));
  const inRoster = teamsInRoster(roster, state);
  const teams = inRoster.map((known) => indexTeam(known, state));
  const byName = multimap(teams.flatMap((known) => [...known.names].map((name) => [name, known] as const)));
  const byIdentifier = new Map(teams.map((known) => [known.identifier, known]));

  const teamsShownBy = (key: ObservedKey): readonly IndexedTeam[] => {
    const { identifier, name } = shownTeam(key) ?? {};
    const identified = identifier === undefined ? undefined : byIdentifier.get(identifier);
    const named = name === undefined ? [] : (byName.get(foldName(name)) ?? []);
    return [...(identified === undefined ? [] : [identified]), ...named].filter(
      (known) => keyBelongsToTeam(key, known) === "yes",
    );
  };

  /** The place that the person holds the key in, as the key shows it, a record knows it or the roster says it. */
  const placeOf = (key: ObservedKey, { address, account }: DesiredUser) => {
    const shown = teamsShownBy(key);
    const isHeldIn = ({ members, recordKeys }: IndexedTeam) =>
      members.get(address)?.key?.value === key.prefix ||
      recordKeys.some((team) => state.memberships.get(membershipKeyOf(team, address))?.prefix === key.prefix);
    const known =
      shown.find(({ team }) => team.account === account) ??
      shown[0] ??
      (key.team === undefined ? teams.find((one) => one.members.has(address) && isHeldIn(one)) : undefined);
    const member = known?.members.get(address);
    return known === undefined || member === undefined ? undefined : { team: known.team, member };
  };

  const isOwnKey = ({ key, holder }: HeldKey, user: DesiredUser): boolean => {
    const record = state.users.get(user.address);
    const recorded = record?.createdTeam === undefined ? record?.key : undefined;
    return [shownOwnKey(holder)?.prefix, user.key?.value, recorded].includes(key.prefix);
  };

  return {
    /** The user that the roster means by the address, by a former one too. */
    userAt: (address: EmailKey) => users.get(address),
    isLeaver: (address: EmailKey) => roster.leavers.has(address),
    /** As a user or as a leaver. */
    isNamed: (address: EmailKey) => users.has(address) || roster.leavers.has(address),
    teamWithKey: (key: TeamKey) => byKey.get(key),
    /** In roster order. */
    teams: inRoster,
    /** By its name or a former one, where that is of one team alone. */
    teamNamed(name: string) {
      const [one, another] = byName.get(foldName(name)) ?? [];
      return another === undefined ? one?.team : undefined;
    },
    /** The team of the roster whose key it is. */
    teamOf: (key: ObservedKey) => teamsShownBy(key)[0]?.team,
    keyOf(held: HeldKey): KeyInRoster {
      const { key, holder } = held;
      const user = users.get(holder.address);
      const place = user && placeOf(key, user);
      const own = place === undefined && user !== undefined && isOwnKey(held, user) ? user : undefined;
      const [entry, leaver] = [listed.get(key.prefix), roster.leavers.get(holder.address)];
      const entries = [entry, leaver, place?.member, own].filter((one) => one !== undefined);
      const given =
        entry ??
        (leaver && { roles: [], place: leaver.place }) ??
        (place && givenToMember(place)) ??
        (own && givenTo(own));
      if (given !== undefined) {
        const { roles, endings, place: at } = given;
        return {
          is: roles === undefined ? "named" : "managed",
          team: place?.team.key,
          roles,
          endings,
          place: at,
          entries,
        };
      }
      const isUnclear = user !== undefined && key.team === undefined && key.kind === undefined;
      return { is: isUnclear ? "unclear" : "unlisted", entries };
    },
  };
}

/** Where the roster gives roles, and until when; without roles it leaves them alone. */
type Given = Pick<KeyInRoster, "roles" | "endings" | "place">;

function givenToMember({ team, member }: { readonly team: DesiredTeam; readonly member: DesiredMember }): Given {
  const { roles, endings = [], until, because } = member;
  const ends = until === undefined ? endings : [...endings, { roles: roles ?? [], until }];
  return { roles, endings: ends, place: because[0] ?? team.place };
}

function givenTo({ ownKeyRoles, place }: DesiredUser): Given {
  return ownKeyRoles === undefined ? { place } : { ...ownKeyRoles, roles: ownKeyRoles.value };
}

function teamsInRoster({ teams }: Roster, state: State): readonly TeamInRoster[] {
  const own = ownTeamKeys(teams);
  const keys = new Set(teams.map(({ key }) => key));
  return teams.map((team) => {
    const { account, name, identifier } = team;
    const { names, recordKeys } = teamAliases(team, own);
    const plain = teamKeyOf(account, name);
    // The keys that this team had before a team of its name came into the roster, or while there was one.
    const before = identifier === undefined ? [] : [plain, disambiguatedTeamKey(account, name, identifier.value)];
    const former = before.filter((key) => {
      const known = state.teams.get(key)?.identifier ?? identifier?.value;
      return !keys.has(key) && known === identifier?.value;
    });
    return { team, names, isTwin: team.key !== plain, recordKeys: [...new Set([team.key, ...former, ...recordKeys])] };
  });
}

function indexTeam(known: TeamInRoster, state: State): IndexedTeam {
  const { team, recordKeys } = known;
  const [recorded] = recordKeys.flatMap((key) => state.teams.get(key)?.identifier ?? []);
  const members = new Map(team.members.map((member) => [member.address, member]));
  return { ...known, identifier: team.identifier?.value ?? recorded, members };
}
