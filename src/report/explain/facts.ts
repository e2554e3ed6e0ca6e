import type { EmailKey } from "../../model/address.ts";
import { type Reason, reasonAt } from "../../model/fact.ts";
import type { ObservedKey } from "../../model/key.ts";
import { membershipReasons } from "../../model/membership.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { formatRoles, type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import type { DesiredTeam } from "../../model/team.ts";
import type { DesiredUser } from "../../model/user.ts";
import { formatOwnership, ownershipAside } from "../phrases.ts";
import type { ExplainContext, Statement } from "./explanation.ts";

/** A statement, and whom and what it is about: by this, what is asked about finds it. */
export interface KnownFact extends Statement {
  readonly users?: readonly EmailKey[];
  readonly team?: TeamKey;
  readonly prefix?: string | undefined;
  readonly roles?: RoleSet | undefined;
  /** The key that the roster wants roles on, as one that nobody needs the prefix of. */
  readonly grant?: RoleGrant;
  /** As the service shows it. */
  readonly key?: ObservedKey;
}

/** One key to which the roster gives roles. */
export type RoleGrant = { readonly whose: string } & (
  | { readonly of: "own-key"; readonly address: EmailKey }
  | { readonly of: "team-key"; readonly address: EmailKey; readonly team: TeamKey }
  | { readonly of: "listed"; readonly prefix: string; readonly owner: EmailKey | undefined }
);

/** All that the roster says: of users and leavers, of teams with their members, of listed keys. */
export function rosterFacts(roster: Roster): readonly KnownFact[] {
  const { users, leavers, teams, keys } = roster;
  return [
    ...[...users.values()].flatMap(userFacts),
    ...[...leavers.values()].map(({ address, email, since, ownership, because }): KnownFact => {
      const notes = [
        ...(since === undefined ? [] : [`since ${since}`]),
        ...(ownership === undefined ? [] : [formatOwnership(ownership)]),
      ];
      const aside = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
      return { says: `${email} is a leaver${aside} without roles`, because, users: [address] };
    }),
    ...teams.flatMap((team) => teamFacts(team, roster)),
    ...keys.map(({ prefix, owner, ownership, roles, because }): KnownFact => {
      const email = owner && (users.get(owner.value)?.email ?? owner.value);
      const whose = `the listed key ${prefix}${email === undefined ? "" : ` of ${email}`}${ownershipAside(ownership)}`;
      const owned = owner === undefined ? [] : [reasonAt(owner.place, "key-owner", { name: owner.value })];
      return {
        says: `${whose}: ${formatRoles(roles)}`,
        because: [...because, ...owned],
        users: owner === undefined ? [] : [owner.value],
        prefix,
        roles,
        grant: { whose, of: "listed", prefix, owner: owner?.value },
      };
    }),
  ];
}

function userFacts(user: DesiredUser): readonly KnownFact[] {
  const { address, email, account, firstName, lastName, ownKeyRoles, key, from, until, ownership, because } = user;
  const more = [user.title, user.externalIdentifier, user.source].filter((field) => field !== undefined);
  const profile = [`${firstName} ${lastName}`, ...more].join(", ");
  const whose = `the own key of ${email}`;
  const known = key === undefined ? [] : [reasonAt(key.place, "known-prefix")];
  const isKeyNamed = ownKeyRoles !== undefined || key !== undefined;
  const facts: readonly KnownFact[] = [
    { says: `${email} is a user of ${account}: ${profile}${ownershipAside(ownership)}`, because },
    ...(from === undefined ? [] : [{ says: `${email} starts on ${from.value}`, place: from.place }]),
    ...(until === undefined ? [] : [{ says: `${email} leaves on ${until.value}`, place: until.place }]),
    ...user.previously.map(({ value, place }) => ({ says: `${email} was known before as ${value}`, place })),
    ...user.distinctFrom.map(({ value, place }) => ({ says: `${email} is not the same person as ${value}`, place })),
    ...(isKeyNamed
      ? [
          {
            says: `${whose}: ${formatAsked(ownKeyRoles?.value)}`,
            because: [...known, ...(ownKeyRoles?.because ?? [])],
            prefix: key?.value,
            roles: ownKeyRoles?.value,
            grant: { whose, of: "own-key", address } as const,
          },
        ]
      : []),
  ];
  return facts.map((fact) => ({ ...fact, users: [address] }));
}

function teamFacts(team: DesiredTeam, { users }: Roster): readonly KnownFact[] {
  const { key, name, account, identifier, previously, admin, firstMember, open, onRemoval, onRemovalAt } = team;
  const { upcoming = new Map() } = team;
  const emailOf = (address: EmailKey) => users.get(address)?.email ?? address;
  const facts: readonly KnownFact[] = [
    {
      says: `${name} is a team of ${account}${open ? ", open to others" : ""}${ownershipAside(team.ownership)}`,
      because: team.because,
    },
    ...(identifier === undefined
      ? []
      : [{ says: `the identifier of ${name} is ${identifier.value}`, place: identifier.place }]),
    ...previously.map(({ value, place }) => ({ says: `${name} was known before as ${value}`, place })),
    ...(admin === undefined
      ? []
      : [
          {
            says: `${emailOf(admin.value)} is the admin of ${name}, if the team is new`,
            place: admin.place,
            users: [admin.value],
          },
        ]),
    ...(firstMember === undefined
      ? []
      : [
          {
            says: `${emailOf(firstMember.value)} is the first member of ${name}, if the team is new`,
            place: firstMember.place,
            users: [firstMember.value],
          },
        ]),
    ...(onRemovalAt === undefined ? [] : [{ says: `extra members of ${name}: ${onRemoval}`, place: onRemovalAt }]),
    ...team.members.map((member): KnownFact => {
      const { address, roles, key: known, because, alsoBy = [] } = member;
      const email = emailOf(address);
      const groups = membershipReasons(member).flatMap(({ as, name: group }) =>
        as === "group" && group !== undefined ? [group] : [],
      );
      const also = because[0]?.as === "member" ? ", also" : "";
      const through =
        groups.length === 0
          ? ""
          : `${also} through the ${groups.length === 1 ? "group" : "groups"} ${groups.join(", ")}`;
      const prefix = known === undefined ? [] : [reasonAt(known.place, "known-prefix")];
      return {
        says: `${email} is a member of ${name}${through}${ownershipAside(member.ownership)}: ${formatAsked(roles)}`,
        because: [...because, ...alsoBy, ...prefix],
        users: [address],
        prefix: known?.value,
        roles,
        grant: { whose: `the key of ${email} in ${name}`, of: "team-key", address, team: key },
      };
    }),
    ...[...upcoming].map(([address, { value, place }]) => {
      return { says: `${emailOf(address)} is a member of ${name} from ${value} on`, place, users: [address] };
    }),
  ];
  return facts.map((fact) => ({ ...fact, team: key }));
}

function formatAsked(roles: RoleSet | undefined): string {
  return roles === undefined ? "roles not managed" : formatRoles(roles);
}

/** All users and keys that the service showed. */
export function serviceFacts({ snapshot }: ExplainContext): readonly KnownFact[] {
  return snapshot.users.flatMap((user): readonly KnownFact[] => {
    const { address, identifier, email, account, status, keys, by } = user;
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

/** A key as the service shows it. */
export function formatObservedKey({ prefix, team, kind, status, roles }: ObservedKey): string {
  const { name, identifier } = team === undefined || team === "none" ? {} : team;
  const id = identifier === undefined ? "" : ` (${identifier})`;
  const isNamed = team !== undefined && team !== "none";
  const where = !isNamed
    ? ""
    : name === undefined
      ? ` in the team ${identifier ?? "without a name"}`
      : ` in ${name}${id}`;
  const about = [kind, status].filter((word) => word !== undefined);
  const details = about.length === 0 ? "" : ` (${about.join(", ")})`;
  return `key ${prefix}${where}${details}: ${roles === undefined ? "roles not shown" : formatRoles(roles)}`;
}

/** All that the log adds up to: users, teams, memberships, keys, open calls and refusals. */
export function stateFacts(state: State): readonly KnownFact[] {
  const nameOf = (address: EmailKey) => state.users.get(address)?.email ?? address;
  return [
    ...[...state.users.values()].map((user): KnownFact => {
      const { address, email, createdAt, seenAt, identifier, key, createdTeam } = user;
      const known = [
        ...(identifier === undefined ? [] : [`as ${identifier}`]),
        ...(key === undefined ? [] : [`with the key ${key}`]),
        ...(createdTeam === undefined ? [] : [`with the new team ${createdTeam}`]),
      ];
      const says = `${email}: ${createdAt === undefined ? "seen" : "created by roster"} ${known.join(", ")}`.trim();
      const at = createdAt ?? seenAt;
      return { says, users: [address], prefix: key, ...(at === undefined ? {} : { at }) };
    }),
    ...[...state.teams.values()].map(({ team, name, identifier, firstMember, at }): KnownFact => {
      const how = firstMember === undefined ? "seen" : `created with ${firstMember}`;
      const known = identifier === undefined ? "identifier unknown" : `as ${identifier}`;
      return { says: `${name}: ${how}, ${known}`, at, team };
    }),
    ...[...state.memberships.values()].map(({ address, team, how, at, prefix }): KnownFact => {
      const key = prefix === undefined ? "" : `, with the key ${prefix}`;
      const says = `${nameOf(address)} in ${state.teams.get(team)?.name ?? team}: ${how}${key}`;
      return { says, at, users: [address], team, prefix };
    }),
    ...[...state.keys.values()].map(({ prefix, setRoles, at, observedRoles }): KnownFact => {
      const isSame = observedRoles === undefined || sameRoles(observedRoles, setRoles);
      const read = isSame ? "" : `, then read as ${formatRoles(observedRoles)}`;
      const says = `roster set the roles of the key ${prefix} to ${formatRoles(setRoles)}${read}`;
      return { says, at, prefix, roles: [...setRoles, ...(observedRoles ?? [])] };
    }),
    ...state.open.flatMap(({ intent, at, run }): readonly KnownFact[] => {
      if (intent.kind === "replace-roles") return [];
      const users = intent.kind === "create-user" ? [intent.address] : intent.addresses;
      const doing =
        intent.kind === "create-user" ? `create ${intent.email}` : `add ${users.join(", ")} to ${intent.name}`;
      return [{ says: `the run ${run} sent a call to ${doing}; the outcome is unknown`, at, users }];
    }),
    ...[...state.refusals.values()].map(({ address, asked, at, failure: { serviceSays, message } }): KnownFact => {
      const users = address === undefined ? [] : [address];
      return { says: `the service refused to ${asked}: ${serviceSays ?? message}`, at, users };
    }),
    ...[...(state.applied?.people.keys() ?? [])].map((address): KnownFact => {
      return {
        says: `${nameOf(address)} is in the last applied roster`,
        at: state.applied?.at ?? "",
        users: [address],
      };
    }),
  ];
}

/** Role sets that stand in the same list and give other roles are no part of the chain of a role. */
export function chainOf(role: string, because: readonly Reason[], { roleSets }: Roster): readonly Reason[] {
  return because.filter(({ as, name = "" }) => as !== "role-set" || roleSets.get(name)?.value.includes(role) !== false);
}
