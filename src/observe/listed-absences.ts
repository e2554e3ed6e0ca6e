import type { FoldedAddress } from "../model/address.ts";
import type { Roster } from "../model/roster.ts";
import type { Absence, Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { addressesToRead } from "./asked-addresses.ts";

/** A snapshot that says of everybody in question whether they are there. */
export interface CompletedSnapshot {
  readonly snapshot: Snapshot;
  /** Whose absence the complete list of users alone shows. */
  readonly unsearched: ReadonlySet<FoldedAddress>;
}

/**
 * What a snapshot that was read without this roster says of its people: nobody can be searched for any more, so that whoever was
 * not searched for then is taken for absent where the complete list lacks them and no other read shows them. That is enough to
 * foresee a creation, and not to do it.
 */
export function withListedAbsences(snapshot: Snapshot, roster: Roster, state: State): CompletedSnapshot {
  const there = new Set(snapshot.users.map(({ address }) => address));
  const shownBy = accountMembers(snapshot);
  const absences = new Map(snapshot.absences);
  const unsearched = new Set<FoldedAddress>();
  for (const { address } of addressesToRead(roster, state)) {
    if (there.has(address) || absences.has(address)) continue;
    const absence = listedAbsence(snapshot, shownBy.get(address));
    absences.set(address, absence);
    if (absence.proven) unsearched.add(address);
  }
  return { snapshot: { ...snapshot, absences }, unsearched };
}

function accountMembers({ accounts }: Snapshot): ReadonlyMap<FoldedAddress, string> {
  return new Map([...accounts.values()].flatMap(({ members = [], by }) => members.map((one) => [one, by] as const)));
}

function listedAbsence({ everyone }: Snapshot, shownBy: string | undefined): Absence {
  if (everyone.read !== "complete") return { proven: false, why: "the users were not read completely" };
  if (shownBy === undefined) return { proven: true, by: everyone.by };
  return { proven: false, why: `the read "${shownBy}" shows this address, and the list of users does not` };
}
