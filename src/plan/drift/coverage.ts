import type { FoldedAddress } from "../../model/address.ts";
import type { Coverage, CoverageCount } from "../../model/drift.ts";
import type { Roster } from "../../model/roster.ts";
import {
  accountStatus,
  type ObservedKey,
  type ObservedTeam,
  type ObservedUser,
  type Snapshot,
} from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { UserKey } from "../facts.ts";
import { indexRoster, type RosterIndex } from "../unlisted/named-keys.ts";

/** How much of the people, teams and keys that a snapshot shows the roster names; the deleted do not count. */
export function computeCoverage(snapshot: Snapshot, roster: Roster, state: State): Coverage {
  const names = indexRoster(roster, state);
  const users = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const isNamed = (address: FoldedAddress) => names.userAt(address) !== undefined || names.isLeaver(address);
  const people = countCovered(users, ({ address }) => isNamed(address));
  if (users.every(({ keys }) => keys === undefined)) return { users: people };
  const held = users.flatMap((holder) => keysNotDeleted(holder).map((key) => ({ holder, key })));
  const keys = countCovered(held, (one) => isNamedKey(one, names));
  const teams = coveredTeams(held, names);
  return { users: people, ...(teams === undefined ? {} : { teams }), keys };
}

function keysNotDeleted({ keys = [] }: ObservedUser): readonly ObservedKey[] {
  return keys.filter(({ status }) => accountStatus(status) !== "deleted");
}

function isNamedKey({ holder, key }: UserKey, names: RosterIndex): boolean {
  const naming = names.coverage(key, holder);
  return naming === "managed" || naming === "named";
}

function countCovered<T>(shown: readonly T[], isNamed: (one: T) => boolean): CoverageCount {
  return { shown: shown.length, named: shown.filter(isNamed).length };
}

/** Teams that keys show, each once; nothing where no key shows whether it has one. */
function coveredTeams(held: readonly UserKey[], names: RosterIndex): CoverageCount | undefined {
  if (held.every(({ key }) => key.team === undefined)) return undefined;
  const teams = new Map<string, boolean>();
  for (const { holder, key } of held) {
    if (key.team === undefined || key.team === "none") continue;
    const name = teamIdentityKey(key.team, holder);
    teams.set(name, teams.get(name) === true || names.teamOf(key) !== undefined);
  }
  return countCovered([...teams.values()], (isNamed) => isNamed);
}

function teamIdentityKey({ identifier, name }: ObservedTeam, { account }: ObservedUser): string {
  return identifier === undefined ? JSON.stringify([account ?? null, foldName(name ?? "")]) : identifier;
}
