import type { FoldedAddress } from "../model/address.ts";
import { disambiguatedTeamKey, type TeamKey, teamKeyOf } from "../model/names.ts";
import type { Located } from "../model/place.ts";
import { reasonAt } from "../model/reason.ts";
import type { DesiredRoles, Leaver, Roster, RosterKey, RosterMember, RosterTeam, RosterUser } from "../model/roster.ts";
import type { OffboardedRoster, OffboardedUser } from "./departures.ts";
import type { LeaverEntry, SourceAddress, SourceValue } from "./draft.ts";
import type { ResolvedKey, ResolvedMember, ResolvedRoles, ResolvedTeam, ResolvedUser } from "./resolution.ts";

/** The roster that a resolution without errors amounts to. */
export function assembleRoster({ draft, users, departed, teams, keys }: OffboardedRoster): Roster {
  const accounts = new Map<string, Located<string>>();
  for (const account of draft.accounts) if (!accounts.has(account.value)) accounts.set(account.value, account);
  const keyOf = teamKeys(teams);
  return {
    accounts: [...accounts.values()],
    users: new Map(users.map((user) => [user.draft.email.address, rosterUser(user)])),
    leavers: new Map(
      [...draft.leavers.map(listedLeaver), ...departed.flatMap(offboardedLeavers)].map((one) => [one.address, one]),
    ),
    teams: teams.map((team) => rosterTeam(team, keyOf(team))),
    keys: keys.map(rosterKey),
    roleSets: new Map(draft.roleSets.map(({ name, roles }) => [name.value, { value: roles, place: name.at.place }])),
  };
}

function rosterUser({ draft, ownKeyRoles }: ResolvedUser): RosterUser {
  const { title, externalIdentifier, source, key, until } = draft;
  return {
    address: draft.email.address,
    email: draft.email.value,
    firstName: draft.firstName,
    lastName: draft.lastName,
    ...(title === undefined ? {} : { title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    ...(source === undefined ? {} : { source }),
    account: draft.account,
    previously: draft.previously.map(locatedAddress),
    ...(ownKeyRoles === undefined ? {} : { ownKeyRoles: desiredRoles(ownKeyRoles) }),
    ...(key === undefined ? {} : { key: located(key) }),
    ...(until === undefined ? {} : { until: located(until) }),
    distinctFrom: draft.distinctFrom.map(locatedAddress),
    place: draft.at.place,
    because: [reasonAt(draft.at.place, "user"), ...draft.defaults],
  };
}

function desiredRoles({ roles, at, through }: ResolvedRoles): DesiredRoles {
  return { value: roles, place: at.place, because: [reasonAt(at.place, "own-key-roles"), ...through] };
}

function listedLeaver({ at, email, account, since, ref }: LeaverEntry): Leaver {
  return {
    address: email.address,
    email: email.value,
    ...(account === undefined ? {} : { account }),
    ...(since === undefined ? {} : { since: since.value }),
    ...(ref === undefined ? {} : { ref }),
    by: "leavers",
    teamKeys: [],
    place: at.place,
    because: [reasonAt(at.place, "leaver")],
  };
}

/** One for each address of theirs: the service may know them under a former one. */
function offboardedLeavers({ user, teamKeys }: OffboardedUser): readonly Leaver[] {
  const { at, account, email, previously, until, key } = user;
  return [email, ...previously].map((address) => ({
    address: address.address,
    email: address.value,
    account,
    ...(until === undefined ? {} : { since: until.value }),
    by: "until",
    ...(key === undefined ? {} : { key: located(key) }),
    teamKeys: teamKeys.map(located),
    place: (until?.at ?? at).place,
    because: [
      ...(until === undefined ? [] : [reasonAt(until.at.place, "until", { name: until.value })]),
      reasonAt(at.place, "user"),
    ],
  }));
}

/** Teams that share a name are told apart by their identifiers, which the rules make them have. */
function teamKeys(teams: readonly ResolvedTeam[]): (team: ResolvedTeam) => TeamKey {
  const shared = new Map<TeamKey, number>();
  const plainKey = ({ draft }: ResolvedTeam) => teamKeyOf(draft.account, draft.name.value);
  for (const team of teams) shared.set(plainKey(team), (shared.get(plainKey(team)) ?? 0) + 1);
  return (team) => {
    const { account, name, identifier } = team.draft;
    const isTwin = identifier !== undefined && (shared.get(plainKey(team)) ?? 0) > 1;
    return isTwin ? disambiguatedTeamKey(account, name.value, identifier.value) : plainKey(team);
  };
}

function rosterTeam({ draft, members }: ResolvedTeam, key: TeamKey): RosterTeam {
  const { identifier, admin, founder } = draft;
  return {
    key,
    name: draft.name.value,
    account: draft.account,
    ...(identifier === undefined ? {} : { identifier: located(identifier) }),
    previously: draft.previously.map(located),
    ...(admin === undefined ? {} : { admin: locatedAddress(admin) }),
    ...(founder === undefined ? {} : { founder: locatedAddress(founder) }),
    open: draft.open,
    onRemoval: draft.onRemoval?.value ?? "report",
    members: [...members.values()].map(rosterMember),
    place: draft.at.place,
    because: [reasonAt(draft.at.place, "team", { name: draft.name.value }), ...draft.defaults],
    ...(draft.onRemoval === undefined ? {} : { onRemovalAt: reasonAt(draft.onRemoval.at.place, "on-removal") }),
  };
}

function rosterMember({ address, roles, key, because, alsoBy }: ResolvedMember): RosterMember {
  return {
    address,
    ...(roles === undefined ? {} : { roles }),
    ...(key === undefined ? {} : { key: located(key) }),
    because,
    ...(alsoBy.length === 0 ? {} : { alsoBy }),
  };
}

function rosterKey({ draft, roles }: ResolvedKey): RosterKey {
  const { prefix, owner, note, at } = draft;
  return {
    prefix: prefix.value,
    ...(owner === undefined ? {} : { owner: locatedAddress(owner) }),
    roles: roles.roles,
    ...(note === undefined ? {} : { note }),
    place: at.place,
    because: [reasonAt(at.place, "key"), ...roles.through],
  };
}

function located<T>({ value, at }: SourceValue<T>): Located<T> {
  return { value, place: at.place };
}

function locatedAddress({ address, at }: SourceAddress): Located<FoldedAddress> {
  return { value: address, place: at.place };
}
