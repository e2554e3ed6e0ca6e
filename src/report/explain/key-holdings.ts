import type { FoldedAddress } from "../../model/address.ts";
import { ownTeamKeys, type RosterTeam, teamAliases } from "../../model/roster.ts";
import { accountStatus, type ObservedKey } from "../../model/snapshot.ts";
import { isDisambiguatedTeamKey, keyBelongsToTeam, shownOwnKey, type TeamKey } from "../../model/team.ts";
import type { ExplainContext } from "./explanation.ts";
import { resolvePerson } from "./person-meant.ts";

/** Whose key it is, and in which team of the roster or as which own key, where that is known. */
export interface KeyHolding {
  readonly address: FoldedAddress;
  readonly as:
    | { readonly is: "team-key"; readonly team: RosterTeam }
    | { readonly is: "own-key" }
    | { readonly is: "unclear" };
}

/** What the service shows of who holds a key, else what our record says; the roster need not write its prefix. */
export function keyHoldings(prefix: string, known: ExplainContext): readonly KeyHolding[] {
  const { roster, snapshot } = known;
  const shown = snapshot.users.flatMap((user) => {
    const key = user.keys?.find((one) => one.prefix === prefix);
    if (key === undefined || accountStatus(key.status) === "deleted") return [];
    const team = teamOf(key, known);
    const isOwn = shownOwnKey(user)?.prefix === prefix;
    const as: KeyHolding["as"] = team === undefined ? { is: isOwn ? "own-key" : "unclear" } : { is: "team-key", team };
    return [{ address: resolvePerson(user.address, roster), as }];
  });
  return shown.some(({ as }) => as.is !== "unclear") ? shown : [...shown, ...recorded(prefix, known)];
}

function teamOf(key: ObservedKey, { roster, state }: ExplainContext): RosterTeam | undefined {
  const own = ownTeamKeys(roster.teams);
  return roster.teams.find((team) => {
    const { names } = teamAliases(team, own);
    const identifier = team.identifier?.value ?? state.teams.get(team.key)?.identifier;
    return keyBelongsToTeam(key, { names, identifier, isTwin: isDisambiguatedTeamKey(team.key) }) === "yes";
  });
}

function recorded(prefix: string, { roster, state }: ExplainContext): readonly KeyHolding[] {
  const own = ownTeamKeys(roster.teams);
  const holding = (address: FoldedAddress, team: TeamKey | undefined): readonly KeyHolding[] => {
    const meant = resolvePerson(address, roster);
    if (team === undefined) return [{ address: meant, as: { is: "own-key" } }];
    const found = roster.teams.find((one) => teamAliases(one, own).recordKeys.includes(team));
    return [{ address: meant, as: found === undefined ? { is: "unclear" } : { is: "team-key", team: found } }];
  };
  const places = [...state.memberships.values()].filter((held) => held.prefix === prefix);
  const users = [...state.users.values()].filter(({ key }) => key === prefix);
  const inTeams = places.flatMap(({ address, team }) => holding(address, team));
  return inTeams.length > 0 ? inTeams : users.flatMap(({ address, founded }) => holding(address, founded));
}
