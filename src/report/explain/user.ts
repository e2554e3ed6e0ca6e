import type { EmailKey } from "../../model/address.ts";
import { reasonAt } from "../../model/fact.ts";
import { formatRoles, type RoleSet } from "../../model/role-set.ts";
import { knownAddresses, type Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import type { DesiredUser, Leaver, ObservedUser, RecordedUser } from "../../model/user.ts";
import { formatOwnership, ownershipAside } from "../phrases.ts";
import {
  type ExplainContext,
  formatObservedKey,
  ownershipStatements,
  recordedRoles,
  type Statement,
  unmanagedKeys,
} from "./explanation.ts";

/** What the roster says of somebody, line by line. */
export function userInRoster(address: EmailKey, { roster }: ExplainContext): readonly Statement[] {
  const user = roster.users.get(address);
  const leaver = roster.leavers.get(address);
  return [
    ...(user === undefined ? [] : entryOf(user)),
    ...(leaver === undefined ? [] : [leaverStatement(leaver)]),
    ...placesOf(address, roster),
  ];
}

function entryOf(user: DesiredUser): readonly Statement[] {
  const { account, firstName, lastName, title, externalIdentifier, source, ownKeyRoles, key, from, until } = user;
  const more = [title, externalIdentifier, source].filter((field) => field !== undefined);
  const profile = [`${firstName} ${lastName}`, ...more].join(", ");
  return [
    { says: `a user of ${account}: ${profile}`, because: user.because },
    ...ownershipStatements(user),
    ...(from === undefined ? [] : [{ says: `starts on ${from.value}`, place: from.place }]),
    ...(until === undefined ? [] : [{ says: `leaves on ${until.value}`, place: until.place }]),
    ...user.previously.map(({ value, place }) => ({ says: `known before as ${value}`, place })),
    ...user.distinctFrom.map(({ value, place }) => ({ says: `not the same person as ${value}`, place })),
    ...(ownKeyRoles === undefined
      ? []
      : [{ says: `an own key with ${formatRoles(ownKeyRoles.value)}`, because: ownKeyRoles.because }]),
    ...(key === undefined ? [] : [{ says: `the own key is ${key.value}`, place: key.place }]),
  ];
}

function leaverStatement({ since, ownership, because }: Leaver): Statement {
  const notes = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(ownership === undefined ? [] : [formatOwnership(ownership)]),
  ];
  return { says: `a leaver${notes.length === 0 ? "" : ` (${notes.join(", ")})`} without roles`, because };
}

function placesOf(address: EmailKey, { teams, keys }: Roster): readonly Statement[] {
  const inTeams = teams.flatMap(({ name, members, upcoming, admin, firstMember }): readonly Statement[] => {
    const member = members.find((one) => one.address === address);
    const from = upcoming?.get(address);
    return [
      ...(member === undefined
        ? []
        : [
            {
              says: `a member of ${name}${ownershipAside(member.ownership)}, ${formatDesiredRoles(member.roles)}`,
              because: [...member.because, ...(member.alsoBy ?? [])],
            },
          ]),
      ...(from === undefined ? [] : [{ says: `a member of ${name} from ${from.value} on`, place: from.place }]),
      ...(member?.key === undefined
        ? []
        : [{ says: `their key in ${name} is ${member.key.value}`, place: member.key.place }]),
      ...(admin?.value === address ? [{ says: `the admin of ${name}, if the team is new`, place: admin.place }] : []),
      ...(firstMember?.value === address
        ? [{ says: `the first member of ${name}, if the team is new`, place: firstMember.place }]
        : []),
    ];
  });
  const owned = keys.filter(({ owner }) => owner?.value === address);
  return [
    ...inTeams,
    ...owned.map(({ prefix, roles, because, owner }) => ({
      says: `the owner of the key ${prefix} with ${formatRoles(roles)}`,
      because: owner === undefined ? because : [...because, reasonAt(owner.place, "key-owner", { name: owner.value })],
    })),
  ];
}

function formatDesiredRoles(roles: RoleSet | undefined): string {
  return roles === undefined ? "with a key whose roles are not managed" : `with ${formatRoles(roles)}`;
}

/** What the service shows of somebody, and by which read. */
export function userInService(address: EmailKey, context: ExplainContext): readonly Statement[] {
  return knownAddresses(address, context.roster).flatMap((one): readonly Statement[] => {
    const shown = context.snapshot.users.filter((user) => user.address === one);
    return shown.length > 0 ? shown.flatMap(userShown) : notShown(one, context);
  });
}

function userShown(user: ObservedUser): readonly Statement[] {
  const { identifier, email, account, status, keys, by } = user;
  const name = identifier === undefined ? `a user at ${email}` : `the user ${identifier} at ${email}`;
  const where = account === undefined ? "" : ` in ${account}`;
  return [
    { says: `${name}${where}, ${status ?? "status not shown"}`, by },
    ...(keys === undefined
      ? [{ says: "keys not shown", by }]
      : keys.map((key) => ({ says: formatObservedKey(key), by }))),
  ];
}

function notShown(address: EmailKey, { snapshot }: ExplainContext): readonly Statement[] {
  const absence = snapshot.absences.get(address);
  if (absence?.proven === true) return [{ says: `no user at ${address} (proven)`, by: absence.by }];
  if (absence !== undefined) return [{ says: `no user at ${address}, not proven: ${absence.why}` }];
  if (snapshot.everyone.read === "complete")
    return [{ says: `no user at ${address} in the list of users`, by: snapshot.everyone.by }];
  return [{ says: `roster did not search for ${address}` }];
}

/** What our record has of somebody, under each address of theirs, and from when. */
export function userInState(address: EmailKey, { roster, snapshot, state }: ExplainContext): readonly Statement[] {
  const addresses = knownAddresses(address, roster);
  const under = (one: EmailKey, word: string) => (one === address ? "" : `${word} ${one}`);
  const users = addresses.flatMap((one) => state.users.get(one) ?? []);
  const places = [...state.memberships.values()].filter((held) => addresses.includes(held.address));
  const shown = snapshot.users.filter((user) => addresses.includes(user.address)).flatMap(({ keys = [] }) => keys);
  const prefixes = [...users.map(({ key }) => key), ...[...places, ...shown].map(({ prefix }) => prefix)];
  return [
    ...users.map((user) => recordOf(user, under(user.address, " at"))),
    ...places.map(({ team, how, at, prefix }) => ({
      says: `in ${state.teams.get(team)?.name ?? team}: ${how}${prefix === undefined ? "" : `, with the key ${prefix}`}`,
      at,
    })),
    ...[...new Set(prefixes)].flatMap((prefix) => (prefix === undefined ? [] : recordedRoles(prefix, state))),
    ...addresses.flatMap((one) => [...openAbout(one, state), ...refusedAbout(one, state)]),
    ...addresses.flatMap((one) =>
      state.applied?.people.has(one) === true
        ? [{ says: `in the last applied roster${under(one, ", as")}`, at: state.applied.at }]
        : [],
    ),
  ];
}

function recordOf(user: RecordedUser, where: string): Statement {
  const { createdAt, seenAt, identifier, key, createdTeam } = user;
  const known = [
    ...(identifier === undefined ? [] : [`as ${identifier}`]),
    ...(key === undefined ? [] : [`with the key ${key}`]),
    ...(createdTeam === undefined ? [] : [`with the new team ${createdTeam}`]),
  ];
  const words = known.length === 0 ? "" : ` ${known.join(", ")}`;
  const at = createdAt ?? seenAt;
  return {
    says: `${createdAt === undefined ? "seen" : "created by roster"}${where}${words}`,
    ...(at === undefined ? {} : { at }),
  };
}

function openAbout(address: EmailKey, { open }: State): readonly Statement[] {
  return open.flatMap(({ intent, at, run }) => {
    const isAbout =
      (intent.kind === "create-user" && intent.address === address) ||
      (intent.kind === "add-members" && intent.addresses.includes(address));
    if (!isAbout) return [];
    const doing = intent.kind === "add-members" ? `add them to ${intent.name}` : "create them";
    return [{ says: `the run ${run} sent a call to ${doing}; the outcome is unknown`, at }];
  });
}

function refusedAbout(address: EmailKey, { refusals }: State): readonly Statement[] {
  const about = [...refusals.values()].filter((refusal) => refusal.address === address);
  return about.map(({ asked, at, failure: { serviceSays, message } }) => {
    return { says: `the service refused to ${asked}: ${serviceSays ?? message}`, at };
  });
}

/** What somebody has that the roster says nothing of. */
export function userUnmanaged(address: EmailKey, context: ExplainContext): readonly Statement[] {
  const shown = context.snapshot.users.filter((user) => user.address === address);
  const isNamed = context.roster.users.has(address) || context.roster.leavers.has(address);
  const strangers = isNamed ? [] : shown.map(({ by }) => ({ says: "the roster does not name this user", by }));
  return [...strangers, ...shown.flatMap((user) => unmanagedKeys(user, context))];
}
