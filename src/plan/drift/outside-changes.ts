import { type Profile, profileFieldNames, type ReplaceRoles } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { OutsideChange } from "../../model/drift.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding, FindingCode } from "../../model/finding.ts";
import { multimap, type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import { accountStatus, isDeleted, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import type { RecordedKey, State } from "../../model/state.ts";
import { foldName, membershipKeyOf, shownOwnKey, shownTeamKey, type TeamKey } from "../../model/team.ts";
import { type RecordedKeyHolder, recordedKeys, type UserKey } from "../snapshot-index.ts";
import { baselineOf, type ChangedRoles, outsideRoles, unmanagedChange, withheldCodes } from "./baseline.ts";
import type { ActionPart } from "./classify.ts";
import { indexRoster, type RosterIndex } from "./roster-index.ts";

/** What the service shows and what the last runs left, each arranged for looking it up. */
export interface OutsideChangeInput {
  readonly roster: Roster;
  readonly state: State;
  readonly privilegedRoles: RoleSet;
  /** The user that the service shows with an address. */
  readonly shown: ReadonlyMap<EmailKey, ObservedUser>;
  readonly shownByIdentifier: ReadonlyMap<string, ObservedUser>;
  /** Every key that the service shows, by prefix. */
  readonly keys: ReadonlyMap<string, UserKey>;
  /** The recorded holder of each key, and the team that the key is of. */
  readonly recordedHolders: ReadonlyMap<string, RecordedKeyHolder>;
  readonly recordedPrefixes: ReadonlyMap<EmailKey, readonly string[]>;
  readonly teamNames: ReadonlyMap<TeamKey, string>;
  readonly names: RosterIndex;
}

export function outsideChangeInput(
  { users }: Snapshot,
  { roster, state, privilegedRoles }: Pick<OutsideChangeInput, "roster" | "state" | "privilegedRoles">,
): OutsideChangeInput {
  const held = recordedKeys(state);
  return {
    roster,
    state,
    privilegedRoles,
    shown: new Map(users.map((user) => [user.address, user])),
    shownByIdentifier: new Map(
      users.flatMap((user) => (user.identifier === undefined ? [] : [[user.identifier, user] as const])),
    ),
    keys: new Map(users.flatMap((holder) => (holder.keys ?? []).map((key) => [key.prefix, { holder, key }] as const))),
    recordedHolders: new Map(held.map((one) => [one.prefix, one])),
    recordedPrefixes: multimap(
      [...held, ...(state.seenKeys?.values() ?? [])].map(({ address, prefix }) => [address, prefix]),
    ),
    teamNames: new Map([
      ...[...state.teams.values()].map(({ team, name }) => [team, name] as const),
      ...roster.teams.map(({ key, name }) => [key, name] as const),
    ]),
    names: indexRoster(roster, state),
  };
}

/** What an action undoes that was changed outside roster. Empty where the action only brings what no run has applied yet. */
export function changesBehindAction(
  { action, person }: ActionPart,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  const { state } = input;
  switch (action.kind) {
    case "create-user":
      return wasThere(action.address, state) ? [removedUser(action.address, input)] : [];
    case "add-members": {
      const { team } = action.team;
      if (person === undefined || !state.memberships.has(membershipKeyOf(team, person))) return [];
      return [removedMember(person, team, input)];
    }
    case "replace-roles":
      return changesBehindRoles(action, input);
  }
}

/** Only roles that were read can have been changed by others. */
function changesBehindRoles(
  { key, before, roles, owner }: ReplaceRoles,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  if (prefix === undefined || before.known !== "observed") return [];
  const changes = changesOfKey(prefix, before.value, roles, input);
  const team = key.of === "prefix" ? key.team?.name : undefined;
  return changes.map((change) => ({
    ...(owner === undefined ? {} : { person: { address: owner.address, email: owner.email } }),
    ...(team === undefined ? {} : { team }),
    ...change,
  }));
}

/** What others did to the roles of a key, then the privileged roles that it has and that the roster does not give it. */
function changesOfKey(
  prefix: string,
  carried: RoleSet,
  wanted: RoleSet,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  const record = baselineOf(prefix, input.state);
  const outside = record === undefined ? { gained: [], lost: [] } : outsideRoles(record, carried, wanted);
  const others = rolesWithout(carried, roleSet([...wanted, ...outside.gained]));
  return [...changedRoles(prefix, outside, input), ...privilegedRoles(prefix, others, input)];
}

function privilegedRoles(prefix: string, carried: RoleSet, input: OutsideChangeInput): readonly OutsideChange[] {
  const { gained, lost, privileged } = rolesPart({ gained: carried, lost: [] }, input);
  if (privileged.length === 0) return [];
  const isKnown = baselineOf(prefix, input.state) !== undefined;
  const is = isKnown ? "privileged-roles-left" : "privileged-roles-found";
  const roles = { gained: gained.filter((role) => privileged.includes(role)), lost, privileged };
  return [{ is, ...keyPart(prefix, input), ...roles }];
}

/** What a finding is about that was changed outside roster, and privileged roles that the roster does not give, as far as they are known. */
export function changesBehindFinding(
  { code, subject, blocking }: Finding,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  switch (subject.kind) {
    case "user":
      return changesOfUser({ code, blocking }, subject.address, input);
    case "member":
      if (code === "member-removed") return [removedMember(subject.address, subject.team, input)];
      return code === "extra-member" && blocking ? addedMember(subject.address, subject.team, input) : [];
    case "team":
      return code === "team-name-differs" ? renamedTeam(subject.team, input) : [];
    case "key":
      if (code === "unknown-key") return removedKey(subject.prefix, input);
      if (code === "unmanaged-key-changed") return changesOfUnmanagedKey(subject.prefix, input);
      return blocking && code !== "write-pending" ? rolesOfShownKey(subject.prefix, code, input) : [];
    case "role-on-key":
      return gainedRole(subject.role, subject.prefix, input);
    default:
      return [];
  }
}

function changesOfUser(
  { code, blocking }: Pick<Finding, "code" | "blocking">,
  address: EmailKey,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  switch (code) {
    case "user-missing":
      return [missingUser(address, input)];
    case "inactive-user":
      return isDeleted(input.shown.get(address) ?? {}) && wasThere(address, input.state)
        ? [removedUser(address, input)]
        : [];
    case "user-in-other-account":
      return changedAccount(address, input);
    case "profile-differs":
      return blocking ? changedProfile(address, input) : [];
    default: {
      const held = withheldCodes.has(code) ? (input.shown.get(address)?.keys ?? []) : [];
      return held.flatMap(({ prefix }) => rolesOfShownKey(prefix, code, input));
    }
  }
}

/** Only a key whose roles are withheld has roles that others changed. Keys that the roster leaves alone have findings of their own. */
function rolesOfShownKey(prefix: string, code: FindingCode, input: OutsideChangeInput): readonly OutsideChange[] {
  const held = input.keys.get(prefix);
  const roles = held?.key.roles;
  const given = held && input.names.keyOf(held).roles;
  if (roles === undefined || isDeleted(held?.key ?? {})) return [];
  const record = baselineOf(prefix, input.state);
  if (withheldCodes.has(code)) {
    if (record !== undefined) return changesOfKey(prefix, roles, given ?? record.put, input);
    return given === undefined ? [] : changesOfKey(prefix, roles, given, input);
  }
  return given === undefined ? [] : privilegedRoles(prefix, rolesWithout(roles, given), input);
}

/** A privileged role that the roster does not give. */
function gainedRole(role: string, prefix: string, input: OutsideChangeInput): readonly OutsideChange[] {
  const { state } = input;
  const holder = input.recordedHolders.get(prefix);
  const record = baselineOf(prefix, state);
  const isMade = holder !== undefined && isOfOurs(holder, prefix, state);
  const { put = [], readAs = put }: Partial<RecordedKey> = record ?? {};
  if (put.includes(role) || readAs.includes(role) || (record === undefined && !isMade))
    return privilegedRoles(prefix, [role], input);
  return changedRoles(prefix, { gained: [role], lost: [] }, input);
}

/** What differs from what was seen, without the privileged roles: each of them is a finding of its own, or its holder may have it. */
function changesOfUnmanagedKey(prefix: string, input: OutsideChangeInput): readonly OutsideChange[] {
  const record = baselineOf(prefix, input.state);
  const carried = input.keys.get(prefix)?.key.roles;
  if (record === undefined || carried === undefined) return [];
  return changedRoles(prefix, unmanagedChange(record, carried, input.privilegedRoles), input);
}

/** A key that came with a creation or an addition by a run. Others were there before, with roles that nobody recorded. */
function isOfOurs({ address, of }: RecordedKeyHolder, prefix: string, { users, memberships }: State): boolean {
  const user = users.get(address);
  if (user?.createdAt !== undefined && user.key === prefix) return true;
  const membership = of === "own" ? undefined : memberships.get(membershipKeyOf(of, address));
  return membership !== undefined && membership.how !== "seen";
}

function changedRoles(
  prefix: string,
  { gained, lost }: ChangedRoles,
  input: OutsideChangeInput,
): readonly OutsideChange[] {
  if (gained.length + lost.length === 0) return [];
  return [{ is: "roles-changed", ...keyPart(prefix, input), ...rolesPart({ gained, lost }, input) }];
}

function rolesPart({ gained, lost }: ChangedRoles, { privilegedRoles }: OutsideChangeInput) {
  return { gained, lost, privileged: gained.filter((role) => privilegedRoles.includes(role)) };
}

function removedKey(prefix: string, input: OutsideChangeInput): readonly OutsideChange[] {
  if (baselineOf(prefix, input.state) === undefined) return [];
  return [{ is: "key-removed", ...keyPart(prefix, input), ...rolesPart(lostWith([prefix], input), input) }];
}

function wasThere(address: EmailKey, { users }: State): boolean {
  const record = users.get(address);
  return record?.createdAt !== undefined || record?.seenAt !== undefined;
}

/** Records know the user; the service shows nobody, somebody else, or the same user with another address. */
function missingUser(address: EmailKey, input: OutsideChangeInput): OutsideChange {
  const { state, shown, shownByIdentifier } = input;
  const moved = shownByIdentifier.get(state.users.get(address)?.identifier ?? "");
  const none = { gained: [], lost: [], privileged: [] };
  const person = personAt(address, input);
  if (shown.has(address)) return { is: "user-replaced", person, ...none };
  if (moved !== undefined) return { is: "email-changed", person, to: moved.email, ...none };
  return removedUser(address, input);
}

function removedUser(address: EmailKey, input: OutsideChangeInput): OutsideChange {
  const lost = lostWith(input.recordedPrefixes.get(address) ?? [], input);
  return { is: "user-removed", person: personAt(address, input), ...rolesPart(lost, input) };
}

function removedMember(address: EmailKey, team: TeamKey, input: OutsideChangeInput): OutsideChange {
  const prefix = input.state.memberships.get(membershipKeyOf(team, address))?.prefix;
  return {
    is: "member-removed",
    person: personAt(address, input),
    team: teamNameOf(team, input),
    ...(prefix === undefined ? {} : { key: { prefix, isOwn: false } }),
    ...rolesPart(lostWith(prefix === undefined ? [] : [prefix], input), input),
  };
}

/** A member of a team that a run created was added by a run, or by others. */
function addedMember(address: EmailKey, team: TeamKey, input: OutsideChangeInput): readonly OutsideChange[] {
  const { state, shown } = input;
  const record = state.teams.get(team);
  if (record?.firstMember === undefined || state.memberships.has(membershipKeyOf(team, address))) return [];
  const user = shown.get(address);
  const name = teamNameOf(team, input);
  const held = user && shownTeamKey(user, { team, name, identifier: record.identifier });
  const key = held?.is === "present" ? held.key : undefined;
  // The key of a recorded member, who has another address by now.
  if (key !== undefined && input.recordedHolders.get(key.prefix)?.of === team) return [];
  const left = key === undefined ? undefined : baselineOf(key.prefix, state);
  const gained = rolesWithout(key?.roles ?? [], left?.readAs ?? left?.put ?? []);
  return [
    {
      is: "member-added",
      person: personAt(address, input),
      team: name,
      ...(key === undefined ? {} : { key: { prefix: key.prefix, isOwn: false } }),
      ...rolesPart({ gained, lost: [] }, input),
    },
  ];
}

/** The recorded roles of keys that the service does not show any more. */
function lostWith(prefixes: readonly string[], { state, keys }: OutsideChangeInput): ChangedRoles {
  const lost = prefixes.flatMap((prefix) => {
    const record = baselineOf(prefix, state);
    if (record === undefined || isHeld(keys.get(prefix))) return [];
    return record.readAs ?? record.put;
  });
  return { gained: [], lost: roleSet(lost) };
}

function isHeld(held: UserKey | undefined): boolean {
  return held !== undefined && [held.key, held.holder].every(({ status }) => accountStatus(status) !== "deleted");
}

function changedAccount(address: EmailKey, input: OutsideChangeInput): readonly OutsideChange[] {
  const { roster, state, shown } = input;
  const record = state.users.get(address);
  if (record?.createdAt === undefined || record.account !== roster.users.get(address)?.account) return [];
  const to = shown.get(address)?.account;
  const person = personAt(address, input);
  return [{ is: "account-changed", person, gained: [], lost: [], privileged: [], ...(to === undefined ? {} : { to }) }];
}

/** Fields that the roster still asks for as our creation sent them, and that show otherwise than they were answered. */
function changedProfile(address: EmailKey, input: OutsideChangeInput): readonly OutsideChange[] {
  const profile = input.state.users.get(address)?.profile;
  const wanted: Profile | undefined = input.roster.users.get(address);
  const now: Profile | undefined = input.shown.get(address);
  if (profile === undefined || wanted === undefined || now === undefined) return [];
  const fields = profileFieldNames.filter((field) => {
    const answered = profile.answered[field];
    const isAsked = wanted[field] !== undefined && wanted[field] === profile.sent[field];
    return isAsked && answered !== undefined && now[field] !== undefined && now[field] !== answered;
  });
  if (fields.length === 0) return [];
  return [{ is: "profile-changed", person: personAt(address, input), fields, gained: [], lost: [], privileged: [] }];
}

/** A team that records know by its identifier and under the name that the roster gives it. */
function renamedTeam(team: TeamKey, { roster, state, keys }: OutsideChangeInput): readonly OutsideChange[] {
  const record = state.teams.get(team);
  const { name: wanted, previously = [] } = roster.teams.find(({ key }) => key === team) ?? {};
  if (record?.identifier === undefined || wanted === undefined || foldName(record.name) !== foldName(wanted)) return [];
  const to = [...keys.values()].flatMap(({ key }) =>
    key.team !== undefined && key.team !== "none" && key.team.identifier === record.identifier
      ? (key.team.name ?? [])
      : [],
  )[0];
  const known = [wanted, ...previously.map(({ value }) => value)].map(foldName);
  if (to === undefined || known.includes(foldName(to))) return [];
  return [{ is: "team-renamed", team: record.name, to, gained: [], lost: [], privileged: [] }];
}

function personAt(address: EmailKey, { roster, state, shown }: OutsideChangeInput) {
  const known = roster.users.get(address) ?? shown.get(address) ?? state.users.get(address);
  return { address, email: known?.email ?? address };
}

function teamNameOf(team: TeamKey, { teamNames }: OutsideChangeInput): string {
  return teamNames.get(team) ?? team;
}

/** The key with its holder and team, as the service shows them, else as they are recorded. */
function keyPart(prefix: string, input: OutsideChangeInput): Pick<OutsideChange, "person" | "team" | "key"> {
  const held = input.keys.get(prefix);
  const recorded = input.recordedHolders.get(prefix);
  const address = held?.holder.address ?? recorded?.address ?? input.state.seenKeys?.get(prefix)?.address;
  const shownTeam = held?.key.team === "none" ? undefined : held?.key.team?.name;
  const team =
    shownTeam ?? (recorded === undefined || recorded.of === "own" ? undefined : teamNameOf(recorded.of, input));
  const isShownAsOwn = held !== undefined && shownOwnKey(held.holder)?.prefix === prefix;
  const isOwn = team === undefined && (isShownAsOwn || recorded !== undefined);
  return {
    ...(address === undefined ? {} : { person: personAt(address, input) }),
    ...(team === undefined ? {} : { team }),
    key: { prefix, isOwn },
  };
}
