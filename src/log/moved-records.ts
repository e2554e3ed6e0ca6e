import type { EmailKey } from "../model/address.ts";
import type { Intent } from "../model/call.ts";
import { definedFields, groupBy, latest } from "../model/collections.ts";
import type { EventOf } from "../model/event.ts";
import { namesIn } from "../model/fact.ts";
import { isDeleted } from "../model/key.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { type DesiredTeam, membershipKeyOf, type RecordedMembership, teamAliases } from "../model/team.ts";
import type { DesiredUser, ObservedUser, RecordedUser } from "../model/user.ts";
import type { TeamKey } from "../model/values.ts";
import { forgetRefusals } from "./refusals.ts";
import { peopleOf, recordAccess, type StateDraft } from "./state-draft.ts";

/**
 * What the state knows of people and teams under addresses and names that they no longer have: because the roster gives
 * the former ones, and the service shows the new address alone; or because it shows the recorded user under another.
 */
export function recordsMoved(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  at: string,
): EventOf<"records-moved"> | undefined {
  const people = movedPeople(roster, snapshot, state);
  const recorded = new Set([...state.teams.keys(), ...[...state.memberships.values()].map(({ team }) => team)]);
  // A team that no former name leads to by record is not in question; two that the service tells apart are never joined.
  const teams = teamAliases(roster.teams).flatMap(({ team, recordKeys }) =>
    recordKeys
      .filter((from) => from !== team.key && recorded.has(from) && !areDifferentTeams(from, team, state))
      .map((from) => ({ from, to: team.key, name: team.name })),
  );
  return people.length + teams.length === 0 ? undefined : { type: "records-moved", at, people, teams };
}

function movedPeople(roster: Roster, { users }: Snapshot, state: State): EventOf<"records-moved">["people"] {
  if (state.users.size + state.memberships.size + state.open.length === 0) return [];
  const shown = groupBy(users, (user) => (isDeleted(user) ? undefined : user.address));
  const held = [...state.memberships.values()].map(({ address }) => address);
  const called = state.open.flatMap(({ intent }) => (intent.kind === "replace-roles" ? [] : peopleOf(intent)));
  const recorded = new Set([...state.users.keys(), ...held, ...called]);
  const byIdentifier = new Map([...state.users.values()].map(({ identifier, address }) => [identifier, address]));

  /** Whether the user recorded at an address is known to be another one than the one shown. */
  function isKnownAsAnother(address: EmailKey, { identifier }: ObservedUser): boolean {
    const known = state.users.get(address)?.identifier;
    return known !== undefined && identifier !== undefined && known !== identifier;
  }

  function formerAddresses({ address, previously }: Pick<DesiredUser, "address" | "previously">): readonly EmailKey[] {
    const [user, another] = shown.get(address) ?? [];
    if (user === undefined || another !== undefined || isKnownAsAnother(address, user)) return [];
    // The roster's word counts where nothing speaks against it: nobody has the former address, nor had another user it.
    const isFormer = (from: EmailKey) => recorded.has(from) && !shown.has(from) && !isKnownAsAnother(from, user);
    const named = previously.map(({ value }) => value).filter(isFormer);
    const same = user.identifier === undefined ? undefined : byIdentifier.get(user.identifier);
    const isNew = same !== undefined && same !== address && !named.includes(same);
    // Without its record an address that the roster still wants, and nobody has, would be created anew.
    const isStillWanted = isNew && roster.users.has(same) && !shown.has(same);
    return isNew && !isStillWanted ? [...named, same] : named;
  }

  const leavers = [...roster.leavers.values()].map((leaver) => ({ ...leaver, previously: [] }));
  return [...roster.users.values(), ...leavers].flatMap((person) =>
    formerAddresses(person).map((from) => ({ from, to: person.address, email: person.email })),
  );
}

function areDifferentTeams(from: TeamKey, { key, identifier }: DesiredTeam, { teams }: State): boolean {
  const former = teams.get(from)?.identifier;
  const known = identifier?.value ?? teams.get(key)?.identifier;
  return former !== undefined && known !== undefined && former !== known;
}

/** Writes down under an address or a name of today what was recorded under a former one. Nothing of either gets lost. */
export function moveRecords(draft: StateDraft, { people, teams }: EventOf<"records-moved">): void {
  for (const person of people) movePerson(draft, person);
  for (const team of teams) moveTeam(draft, team);
}

type MovedPerson = EventOf<"records-moved">["people"][number];

function movePerson(draft: StateDraft, moved: MovedPerson): void {
  const { from, to } = moved;
  const former = draft.users.get(from);
  draft.users.delete(from);
  if (former !== undefined) draft.users.set(to, mergeUserRecords(former, draft.users.get(to), moved));
  moveMemberships(draft, (held) => (held.address === from ? { ...held, address: to } : held));
  for (const [key, team] of draft.teams)
    if (team.firstMember === from) draft.teams.set(key, { ...team, firstMember: to });
  for (const [prefix, access] of draft.access)
    if (access.address === from) recordAccess(draft, { prefix, address: to });
  for (const [prefix, key] of draft.seenKeys)
    if (key.address === from) draft.seenKeys.set(prefix, { ...key, address: to });
  moveOpen(draft, (intent) => intentWithPerson(intent, moved));
  // What was asked for named the former address: it is another request now.
  forgetRefusals(draft, (_, address) => address === from);
}

/** What a creation of ours left is kept together: a key is known as the one of the team that it createdTeam. */
function mergeUserRecords(former: RecordedUser, known: RecordedUser | undefined, { to, email }: MovedPerson) {
  if (known === undefined) return { ...former, address: to, email };
  const [made, met] = known.createdAt === undefined ? [former, known] : [known, former];
  const seenAt = met.seenAt ?? made.seenAt;
  const identifier = known.identifier ?? former.identifier;
  const formerRolesAt = latest(known.formerRolesAt, former.formerRolesAt);
  const key = made.key ?? (made.createdTeam === undefined ? met.key : undefined);
  const kept = definedFields({ identifier, seenAt, key, formerRolesAt });
  return { ...made, address: to, email, account: known.account, ...kept };
}

function moveTeam(draft: StateDraft, { from, to, name }: EventOf<"records-moved">["teams"][number]): void {
  const former = draft.teams.get(from);
  draft.teams.delete(from);
  if (former !== undefined) draft.teams.set(to, { ...former, ...draft.teams.get(to), team: to, name });
  moveMemberships(draft, (held) => (held.team === from ? { ...held, team: to } : held));
  for (const [address, user] of draft.users) {
    if (user.createdTeam === from) draft.users.set(address, { ...user, createdTeam: to });
  }
  for (const [prefix, access] of draft.access)
    if (access.team?.team === from) draft.access.set(prefix, { ...access, team: { team: to, name } });
  moveOpen(draft, (intent) => intentWithTeam(intent, from, to));
  forgetRefusals(draft, (about) => namesIn(about).team === from);
}

function moveMemberships(draft: StateDraft, move: (held: RecordedMembership) => RecordedMembership): void {
  for (const [key, held] of [...draft.memberships]) {
    const moved = move(held);
    if (moved === held) continue;
    draft.memberships.delete(key);
    const place = membershipKeyOf(moved.team, moved.address);
    draft.memberships.set(place, mergeMembershipRecords(moved, draft.memberships.get(place)));
  }
}

/** Of two records of one place the one that tells of a mail counts, the later of both; a prefix of either is kept. */
function mergeMembershipRecords(moved: RecordedMembership, known: RecordedMembership | undefined): RecordedMembership {
  if (known === undefined) return moved;
  const isLater = known.how !== "seen" && (moved.how === "seen" || known.at >= moved.at);
  const prefix = known.prefix ?? moved.prefix;
  return { ...(isLater ? known : moved), prefix };
}

function moveOpen(draft: StateDraft, move: (intent: Intent) => Intent): void {
  for (const calls of [draft.open, draft.presumedUndone]) {
    for (const [key, call] of calls) calls.set(key, { ...call, intent: move(call.intent) });
  }
}

/** The call was sent with the former address; who it was about is known by the one of today. */
function intentWithPerson(intent: Intent, { from, to, email }: MovedPerson): Intent {
  const now = (address: EmailKey) => (address === from ? to : address);
  switch (intent.kind) {
    case "create-user":
      return intent.address === from ? { ...intent, address: to, email } : intent;
    case "add-members": {
      if (!intent.addresses.includes(from)) return intent;
      const requests = intent.requests?.map((request) => ({ ...request, address: now(request.address) }));
      const ownerships = intent.ownerships?.map((one) => ({ ...one, address: now(one.address) }));
      return { ...intent, addresses: intent.addresses.map(now), ...definedFields({ requests, ownerships }) };
    }
    case "replace-roles":
      return intent.owner === from ? { ...intent, owner: to } : intent;
  }
}

/** The call was sent with the former name, by which the service may still know the team. */
function intentWithTeam(intent: Intent, from: TeamKey, to: TeamKey): Intent {
  if (intent.kind !== "create-user") return intent.team === from ? { ...intent, team: to } : intent;
  const { createsTeam } = intent;
  return createsTeam?.team === from ? { ...intent, createsTeam: { ...createsTeam, team: to } } : intent;
}
