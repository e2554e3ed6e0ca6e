import type { ReadName } from "../model/fact.ts";
import { byCodeUnit } from "../model/role-set.ts";
import { observedAccount, type SnapshotIndex, type UserKey } from "./facts.ts";

/** A team that keys show under a name. */
export interface TeamCandidate {
  /** Absent where no key shows it. */
  readonly identifier?: string;
  readonly by: ReadName;
}

/**
 * The distinct teams that keys show under a folded name, apart from those that belong to others: teams whose
 * holders are all known to be in other accounts, and identifiers that are taken. One team that some keys show
 * without its identifier is one team.
 */
export function teamCandidates(
  name: string,
  account: string,
  isTaken: (identifier: string) => boolean,
  facts: SnapshotIndex,
): readonly TeamCandidate[] {
  const held = facts.byTeamName.get(name) ?? [];
  const byIdentifier = new Map<string | undefined, UserKey[]>();
  for (const one of held) {
    const identifier = identifierShown(one);
    const group = byIdentifier.get(identifier);
    if (group === undefined) byIdentifier.set(identifier, [one]);
    else group.push(one);
  }
  const candidates = [...byIdentifier]
    .filter(
      ([identifier, keys]) =>
        (identifier === undefined || !isTaken(identifier)) && keys.some((one) => mayBeOfAccount(account, one, facts)),
    )
    .map(([identifier, keys]) => toCandidate(identifier, keys));
  const identified = candidates.filter((one) => one.identifier !== undefined);
  return identified.length > 0 ? identified.sort(byIdentifierOrder) : candidates;
}

function identifierShown({ key }: UserKey): string | undefined {
  return key.team === undefined || key.team === "none" ? undefined : key.team.identifier;
}

function mayBeOfAccount(account: string, { holder }: UserKey, facts: SnapshotIndex): boolean {
  const shown = observedAccount(holder, facts);
  return shown === undefined || shown === account;
}

function toCandidate(identifier: string | undefined, keys: readonly UserKey[]): TeamCandidate {
  const by = keys.map(({ holder }) => holder.by).sort(byCodeUnit)[0] ?? "";
  return identifier === undefined ? { by } : { identifier, by };
}

function byIdentifierOrder(a: TeamCandidate, b: TeamCandidate): number {
  return byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}
