import type { FoldedAddress } from "../../model/address.ts";
import type { Roster, RosterTeam } from "../../model/roster.ts";
import { joinList, yamlScalar } from "../subjects.ts";
import type { OrphanedTeam } from "./teams-left.ts";

/** A team that the roster does not name, and how many members of a team of the roster are in it, or were. */
export interface RenameCandidate extends OrphanedTeam {
  readonly both: number;
}

/**
 * Of the teams that the roster does not name those which a team of it may be under a new name: they have at least two of its
 * members, and at least half. Of a team that only the service shows, half of those who are in it must be among them too, or
 * else any company-wide team would look renamed.
 */
export function findRenameCandidates(
  team: RosterTeam,
  left: readonly OrphanedTeam[],
  roster: Roster,
): readonly RenameCandidate[] {
  const members = team.members.map(({ address }) => memberAddresses(address, roster));
  return left
    .filter(({ account }) => account === team.account)
    .map((one) => ({ ...one, both: members.filter((known) => known.some((each) => one.members.has(each))).length }))
    .filter((one) => isLikelyRename(team, one));
}

function isLikelyRename(team: RosterTeam, { both, ...left }: RenameCandidate): boolean {
  if (both < 2 || both * 2 < team.members.length) return false;
  return left.known === "recorded" || both * 2 >= left.members.size;
}

/** The former ones as well: a company may change its name, and with it those of its people and teams. */
function memberAddresses(address: FoldedAddress, { users }: Roster): readonly FoldedAddress[] {
  return [address, ...(users.get(address)?.previously ?? []).map(({ value }) => value)];
}

/** Two sentences, of which the first goes on after a colon. */
export function formatRenameCandidates({ members }: RosterTeam, alike: readonly RenameCandidate[]): string {
  const names = alike.map(({ name, both }) => `${name} (${both} of ${members.length})`);
  return (
    `its members are mostly those of ${joinList(names)}, which the roster does not name any more. ` +
    "If the team has only got another name, say so with `previously` or its `identifier`, and it is used as it is."
  );
}

/** The lines that say of the team that it is one of the others. */
export function renameYaml({ name }: RosterTeam, alike: readonly RenameCandidate[]): string {
  const ways = alike.flatMap((left) => [
    `previously: [${yamlScalar(left.name)}]`,
    ...(left.identifier === undefined ? [] : [`identifier: ${yamlScalar(left.identifier)}`]),
  ]);
  return `teams:\n  - name: ${yamlScalar(name)}\n    ${ways.join(" # or ")}\n`;
}
