import type { EmailKey } from "../../model/address.ts";
import { type Located, type Place, type ReadName, type Reason, reasonAt } from "../../model/fact.ts";
import type { ObservedKey } from "../../model/key.ts";
import { membershipReasons } from "../../model/membership.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { formatRoles, type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { DesiredTeam } from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import { formatOwnership, ownershipAside } from "../phrases.ts";

export interface Statement {
  readonly says: string;
  readonly place?: Place;
  readonly because?: readonly Reason[];
  readonly by?: ReadName | undefined;
  /** ISO 8601, when it was recorded. */
  readonly at?: string | undefined;
}

export interface KnownFact extends Statement {
  readonly users?: readonly EmailKey[];
  readonly team?: TeamKey;
  readonly prefix?: string | undefined;
  readonly roles?: RoleSet | undefined;
  readonly isLeaver?: true;
  /** The roster gives the roles to a key: to the team's or own key of the first user, or to the one of this prefix. */
  readonly grants?: { readonly of: "team-key" | "own-key" | "listed"; readonly key: string };
  readonly key?: ObservedKey;
}

function located<T>(one: Located<T> | undefined, says: (value: T) => string): readonly KnownFact[] {
  return one === undefined ? [] : [{ says: says(one.value), place: one.place }];
}

export function rosterFacts(roster: Roster): readonly KnownFact[] {
  const { users, leavers, teams, keys } = roster;
  return [
    ...[...users.values()].flatMap(userFacts),
    ...[...leavers.values()].map(({ address, email, since, ownership, because }): KnownFact => {
      const notes = [since && `since ${since}`, ownership && formatOwnership(ownership)].filter(Boolean);
      const aside = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
      return { says: `${email} is a leaver${aside} without roles`, because, users: [address], isLeaver: true };
    }),
    ...teams.flatMap((team) => teamFacts(team, roster)),
    ...keys.map(({ prefix, owner, ownership, roles, because }): KnownFact => {
      const email = owner && (users.get(owner.value)?.email ?? owner.value);
      const key = `the listed key ${prefix}${email === undefined ? "" : ` of ${email}`}${ownershipAside(ownership)}`;
      return {
        says: `${key}: ${formatRoles(roles)}`,
        because:
          owner === undefined ? because : [...because, reasonAt(owner.place, "key-owner", { name: owner.value })],
        users: owner === undefined ? [] : [owner.value],
        prefix,
        roles,
        grants: { of: "listed", key },
      };
    }),
  ];
}

function userFacts(user: DesiredUser): readonly KnownFact[] {
  const { address, email, account, firstName, lastName, ownKeyRoles, key, from, until, ownership, because } = user;
  const more = [user.title, user.externalIdentifier, user.source].filter((field) => field !== undefined);
  const profile = [`${firstName} ${lastName}`, ...more].join(", ");
  const ownKey = `the own key of ${email}`;
  const prefix = key === undefined ? [] : [reasonAt(key.place, "known-prefix")];
  const roles = ownKeyRoles?.value;
  const granted: KnownFact = {
    says: `${ownKey}: ${formatAsked(roles)}`,
    because: [...prefix, ...(ownKeyRoles?.because ?? [])],
    prefix: key?.value,
    roles,
    grants: { of: "own-key", key: ownKey },
  };
  const facts: readonly KnownFact[] = [
    { says: `${email} is a user of ${account}: ${profile}${ownershipAside(ownership)}`, because },
    ...located(from, (day) => `${email} starts on ${day}`),
    ...located(until, (day) => `${email} leaves on ${day}`),
    ...user.previously.flatMap((one) => located(one, (former) => `${email} was known before as ${former}`)),
    ...user.distinctFrom.flatMap((one) => located(one, (other) => `${email} is not the same person as ${other}`)),
    ...(ownKeyRoles === undefined && key === undefined ? [] : [granted]),
  ];
  return facts.map((fact) => ({ ...fact, users: [address] }));
}

function teamFacts(team: DesiredTeam, { users }: Roster): readonly KnownFact[] {
  const { key, name, account, identifier, previously, admin, firstMember, open, onRemoval, onRemovalAt } = team;
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  const about = (address: EmailKey | undefined, facts: readonly KnownFact[]) =>
    facts.map((fact) => (address === undefined ? fact : { ...fact, users: [address] }));
  const facts: readonly KnownFact[] = [
    {
      says: `${name} is a team of ${account}${open ? ", open to others" : ""}${ownershipAside(team.ownership)}`,
      because: team.because,
    },
    ...located(identifier, (one) => `the identifier of ${name} is ${one}`),
    ...previously.flatMap((one) => located(one, (former) => `${name} was known before as ${former}`)),
    ...about(
      admin?.value,
      located(admin, (one) => `${emailOf(one)} is the admin of ${name}, if the team is new`),
    ),
    ...about(
      firstMember?.value,
      located(firstMember, (one) => `${emailOf(one)} is the first member of ${name}, if the team is new`),
    ),
    ...(onRemovalAt === undefined ? [] : [{ says: `extra members of ${name}: ${onRemoval}`, place: onRemovalAt }]),
    ...team.members.map((member): KnownFact => {
      const { address, roles, key: prefix, because, alsoBy = [] } = member;
      const email = emailOf(address);
      const groups = membershipReasons(member).flatMap((link) => (link.as === "group" ? (link.name ?? []) : []));
      const also = because[0]?.as === "member" ? ", also" : "";
      const all = `${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
      const through = groups.length === 0 ? "" : `${also} through the ${all}`;
      return {
        says: `${email} is a member of ${name}${through}${ownershipAside(member.ownership)}: ${formatAsked(roles)}`,
        because: [...because, ...alsoBy, ...(prefix === undefined ? [] : [reasonAt(prefix.place, "known-prefix")])],
        users: [address],
        prefix: prefix?.value,
        roles,
        grants: { of: "team-key", key: `the key of ${email} in ${name}` },
      };
    }),
    ...[...(team.upcoming ?? [])].flatMap(([address, from]) =>
      about(
        address,
        located(from, (day) => `${emailOf(address)} is a member of ${name} from ${day} on`),
      ),
    ),
  ];
  return facts.map((fact) => ({ ...fact, team: key }));
}

function formatAsked(roles: RoleSet | undefined): string {
  return roles === undefined ? "roles not managed" : formatRoles(roles);
}

export function serviceFacts({ users: shownUsers }: Snapshot): readonly KnownFact[] {
  return shownUsers.flatMap(({ address, identifier, email, account, status, keys, by }): readonly KnownFact[] => {
    const name = identifier === undefined ? `a user at ${email}` : `the user ${identifier} at ${email}`;
    const where = account === undefined ? "" : ` in ${account}`;
    const shown = `${name}${where}, ${status ?? "status not shown"}`;
    const users = [address];
    return [
      { says: keys === undefined ? `${shown}, keys not shown` : shown, by, users },
      ...(keys ?? []).map((key) => {
        const { prefix, roles } = key;
        return { says: `${email}: ${formatObservedKey(key)}`, by, users, prefix, roles, key };
      }),
    ];
  });
}

export function formatObservedKey({ prefix, team, kind, status, roles }: ObservedKey): string {
  const about = [kind, status].filter((word) => word !== undefined);
  const details = about.length === 0 ? "" : ` (${about.join(", ")})`;
  return `key ${prefix}${formatTeam(team)}${details}: ${roles === undefined ? "roles not shown" : formatRoles(roles)}`;
}

function formatTeam(team: ObservedKey["team"]): string {
  if (team === undefined || team === "none") return "";
  const { name, identifier } = team;
  if (name === undefined) return ` in the team ${identifier ?? "without a name"}`;
  return ` in ${name}${identifier === undefined ? "" : ` (${identifier})`}`;
}

export function stateFacts(state: State): readonly KnownFact[] {
  const { users, teams, memberships, keys, open, refusals, applied } = state;
  const nameOf = (address: EmailKey) => users.get(address)?.email ?? address;
  return [
    ...[...users.values()].map(({ address, email, createdAt, seenAt, identifier, key, createdTeam }): KnownFact => {
      const known = [
        identifier && `as ${identifier}`,
        key && `with the key ${key}`,
        createdTeam && `with the new team ${createdTeam}`,
      ].filter(Boolean);
      const says = `${email}: ${createdAt === undefined ? "seen" : "created by roster"} ${known.join(", ")}`.trim();
      return { says, users: [address], prefix: key, at: createdAt ?? seenAt };
    }),
    ...[...teams.values()].map(({ team, name, identifier, firstMember, at }): KnownFact => {
      const how = firstMember === undefined ? "seen" : `created with ${firstMember}`;
      const known = identifier === undefined ? "identifier unknown" : `as ${identifier}`;
      return { says: `${name}: ${how}, ${known}`, at, team };
    }),
    ...[...memberships.values()].map(({ address, team, how, at, prefix }): KnownFact => {
      const key = prefix === undefined ? "" : `, with the key ${prefix}`;
      const says = `${nameOf(address)} in ${teams.get(team)?.name ?? team}: ${how}${key}`;
      return { says, at, users: [address], team, prefix };
    }),
    ...[...keys.values()].map(({ prefix, setRoles, at, observedRoles }): KnownFact => {
      const isSame = observedRoles === undefined || sameRoles(observedRoles, setRoles);
      const read = isSame ? "" : `, then read as ${formatRoles(observedRoles)}`;
      const says = `roster set the roles of the key ${prefix} to ${formatRoles(setRoles)}${read}`;
      return { says, at, prefix, roles: [...setRoles, ...(observedRoles ?? [])] };
    }),
    ...open.flatMap(({ intent, at, run }): readonly KnownFact[] => {
      if (intent.kind === "replace-roles") return [];
      const people = intent.kind === "create-user" ? [intent.address] : intent.addresses;
      const call =
        intent.kind === "create-user" ? `create ${intent.email}` : `add ${people.join(", ")} to ${intent.name}`;
      return [{ says: `the run ${run} sent a call to ${call}; the outcome is unknown`, at, users: people }];
    }),
    ...[...refusals.values()].map(({ address, asked, at, failure: { serviceSays, message } }): KnownFact => {
      const says = `the service refused to ${asked}: ${serviceSays ?? message}`;
      return { says, at, users: address === undefined ? [] : [address] };
    }),
    ...[...(applied?.people.keys() ?? [])].map((address): KnownFact => {
      return { says: `${nameOf(address)} is in the last applied roster`, at: applied?.at, users: [address] };
    }),
  ];
}
