import type { FoldedAddress } from "../model/address.ts";
import type { RecordsMoved } from "../model/event.ts";
import { ownTeamKeys, type Roster, type RosterTeam, type RosterUser, teamAliases } from "../model/roster.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { TeamKey } from "../model/team.ts";

/**
 * What the state knows of people and teams under addresses and names that they no longer have: because the roster gives
 * the former ones, and the service shows the new address alone; or because it shows the recorded user under another.
 */
export function recordsMoved(roster: Roster, snapshot: Snapshot, state: State, at: string): RecordsMoved | undefined {
  const people = movedPeople(roster, snapshot, state);
  const teams = movedTeams(roster, state);
  return people.length + teams.length === 0 ? undefined : { type: "records-moved", at, people, teams };
}

interface MoveContext {
  readonly roster: Roster;
  readonly state: State;
  /** Without deleted users. */
  readonly shown: ReadonlyMap<FoldedAddress, readonly ObservedUser[]>;
  /** Addresses of which anything is recorded. */
  readonly recorded: ReadonlySet<FoldedAddress>;
  readonly byIdentifier: ReadonlyMap<string, FoldedAddress>;
}

function movedPeople(roster: Roster, snapshot: Snapshot, state: State): RecordsMoved["people"] {
  const ground = buildMoveContext(roster, snapshot, state);
  const leavers = [...roster.leavers.values()].map((leaver) => ({ ...leaver, previously: [] }));
  return [...roster.users.values(), ...leavers].flatMap((person) =>
    formerAddresses(person, ground).map((from) => ({ from, to: person.address, email: person.email })),
  );
}

function buildMoveContext(roster: Roster, { users }: Snapshot, state: State): MoveContext {
  const shown = new Map<FoldedAddress, ObservedUser[]>();
  for (const user of users) {
    if (accountStatus(user.status) !== "deleted") shown.set(user.address, [...(shown.get(user.address) ?? []), user]);
  }
  const held = [...state.memberships.values()].map(({ address }) => address);
  const recorded = new Set([...state.users.keys(), ...held, ...addressesInOpenCalls(state)]);
  const identified = [...state.users.values()].flatMap(({ identifier, address }) =>
    identifier === undefined ? [] : [[identifier, address] as const],
  );
  return { roster, state, shown, recorded, byIdentifier: new Map(identified) };
}

function addressesInOpenCalls({ open }: State): readonly FoldedAddress[] {
  return open.flatMap(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses;
    return intent.kind === "create-user" ? [intent.address] : [];
  });
}

function formerAddresses(
  user: Pick<RosterUser, "address" | "previously">,
  ground: MoveContext,
): readonly FoldedAddress[] {
  const [shown, another] = ground.shown.get(user.address) ?? [];
  if (shown === undefined || another !== undefined || isKnownAsAnother(user.address, shown, ground)) return [];
  const named = user.previously.map(({ value }) => value).filter((from) => isFormerAddress(from, shown, ground));
  const same = shown.identifier === undefined ? undefined : ground.byIdentifier.get(shown.identifier);
  const isNew = same !== undefined && same !== user.address && !named.includes(same);
  return isNew && !isStillWanted(same, ground) ? [...named, same] : named;
}

/** Without its record an address that the roster still wants, and nobody has, would be created anew. */
function isStillWanted(address: FoldedAddress, { roster, shown }: MoveContext): boolean {
  return roster.users.has(address) && !shown.has(address);
}

/** The roster's word counts where nothing speaks against it: nobody has the former address, nor had another user it. */
function isFormerAddress(from: FoldedAddress, shown: ObservedUser, ground: MoveContext): boolean {
  return ground.recorded.has(from) && !ground.shown.has(from) && !isKnownAsAnother(from, shown, ground);
}

/** Whether the user recorded at an address is known to be another one than the one shown. */
function isKnownAsAnother(address: FoldedAddress, { identifier }: ObservedUser, { state }: MoveContext): boolean {
  const known = state.users.get(address)?.identifier;
  return known !== undefined && identifier !== undefined && known !== identifier;
}

/** A team that no former name leads to by record is not in question; two that the service tells apart are never joined. */
function movedTeams({ teams }: Roster, state: State): RecordsMoved["teams"] {
  const own = ownTeamKeys(teams);
  const recorded = new Set<TeamKey>([
    ...state.teams.keys(),
    ...[...state.memberships.values()].map(({ team }) => team),
  ]);
  return teams.flatMap((team) =>
    teamAliases(team, own)
      .recordKeys.filter((from) => from !== team.key && recorded.has(from) && !areDifferentTeams(from, team, state))
      .map((from) => ({ from, to: team.key, name: team.name })),
  );
}

function areDifferentTeams(from: TeamKey, { key, identifier }: RosterTeam, { teams }: State): boolean {
  const former = teams.get(from)?.identifier;
  const known = identifier?.value ?? teams.get(key)?.identifier;
  return former !== undefined && known !== undefined && former !== known;
}
