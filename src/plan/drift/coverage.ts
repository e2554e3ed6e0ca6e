import type { FoldedAddress } from "../../model/address.ts";
import type { Coverage, CoverageCount } from "../../model/drift.ts";
import { foldName } from "../../model/names.ts";
import type { Roster } from "../../model/roster.ts";
import {
  accountStatus,
  type ObservedKey,
  type ObservedTeam,
  type ObservedUser,
  type Snapshot,
} from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { HeldKey } from "../facts.ts";
import { type RosterNames, rosterNames } from "../unlisted/named-keys.ts";

/** How much of the people, teams and keys that a snapshot shows the roster names; the deleted do not count. */
export function coverageOf(snapshot: Snapshot, roster: Roster, state: State): Coverage {
  const names = rosterNames(roster, state);
  const users = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const isNamed = (address: FoldedAddress) => names.userAt(address) !== undefined || names.isLeaver(address);
  const people = counted(users, ({ address }) => isNamed(address));
  if (users.every(({ keys }) => keys === undefined)) return { users: people };
  const held = users.flatMap((holder) => keysOf(holder).map((key) => ({ holder, key })));
  const keys = counted(held, (one) => isNamedKey(one, names));
  const teams = teamsIn(held, names);
  return { users: people, ...(teams === undefined ? {} : { teams }), keys };
}

function keysOf({ keys = [] }: ObservedUser): readonly ObservedKey[] {
  return keys.filter(({ status }) => accountStatus(status) !== "deleted");
}

function isNamedKey({ holder, key }: HeldKey, names: RosterNames): boolean {
  const naming = names.naming(key, holder);
  return naming === "managed" || naming === "named";
}

function counted<T>(shown: readonly T[], isNamed: (one: T) => boolean): CoverageCount {
  return { shown: shown.length, named: shown.filter(isNamed).length };
}

/** Teams that keys show, each once; nothing where no key shows whether it has one. */
function teamsIn(held: readonly HeldKey[], names: RosterNames): CoverageCount | undefined {
  if (held.every(({ key }) => key.team === undefined)) return undefined;
  const teams = new Map<string, boolean>();
  for (const { holder, key } of held) {
    if (key.team === undefined || key.team === "none") continue;
    const name = sameness(key.team, holder);
    teams.set(name, teams.get(name) === true || names.teamOf(key) !== undefined);
  }
  return counted([...teams.values()], (isNamed) => isNamed);
}

function sameness({ identifier, name }: ObservedTeam, { account }: ObservedUser): string {
  return identifier === undefined ? JSON.stringify([account ?? null, foldName(name ?? "")]) : identifier;
}
