import type { ReadName } from "../model/fact.ts";
import { byCodeUnit } from "../model/role-set.ts";
import { accountShownFor, type Facts, type HeldKey } from "./facts.ts";

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
export function candidatesNamed(
  name: string,
  account: string,
  isTaken: (identifier: string) => boolean,
  facts: Facts,
): readonly TeamCandidate[] {
  const held = facts.byTeamName.get(name) ?? [];
  const byIdentifier = new Map<string | undefined, HeldKey[]>();
  for (const one of held) {
    const identifier = identifierOf(one);
    const group = byIdentifier.get(identifier);
    if (group === undefined) byIdentifier.set(identifier, [one]);
    else group.push(one);
  }
  const candidates = [...byIdentifier]
    .filter(
      ([identifier, keys]) =>
        (identifier === undefined || !isTaken(identifier)) && keys.some((one) => mayBeOf(account, one, facts)),
    )
    .map(([identifier, keys]) => candidate(identifier, keys));
  const identified = candidates.filter((one) => one.identifier !== undefined);
  return identified.length > 0 ? identified.sort(byIdentifierOrder) : candidates;
}

function identifierOf({ key }: HeldKey): string | undefined {
  return key.team === undefined || key.team === "none" ? undefined : key.team.identifier;
}

function mayBeOf(account: string, { holder }: HeldKey, facts: Facts): boolean {
  const shown = accountShownFor(holder, facts);
  return shown === undefined || shown === account;
}

function candidate(identifier: string | undefined, keys: readonly HeldKey[]): TeamCandidate {
  const by = keys.map(({ holder }) => holder.by).sort(byCodeUnit)[0] ?? "";
  return identifier === undefined ? { by } : { identifier, by };
}

function byIdentifierOrder(a: TeamCandidate, b: TeamCandidate): number {
  return byCodeUnit(a.identifier ?? "", b.identifier ?? "");
}
