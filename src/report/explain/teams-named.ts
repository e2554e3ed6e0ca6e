import type { RosterTeam } from "../../model/roster.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import { foldName, teamKeyOf } from "../../model/team.ts";
import type { ExplainContext, ResolvedTeam } from "./explanation.ts";

interface ShownTeam {
  readonly team: ObservedTeam;
  /** Of whoever holds the key; undefined where it is not shown. */
  readonly account: string | undefined;
}

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
export function findTeams(written: string, known: ExplainContext): readonly ResolvedTeam[] {
  const { roster, state } = known;
  const inRoster = roster.teams.map((team) => teamOfRoster(team, known));
  const inState = [...state.teams.values()].map(({ team: key, name, identifier }) => ({ key, name, identifier }));
  const named = [...inRoster, ...inState].filter((team) => hasName(team, written));
  const once = [...new Map(named.toReversed().map((team) => [team.key, team])).values()].toReversed();
  if (once.length > 0) return once;
  const former = roster.teams.filter((team) => hadName(team, written));
  if (former.length > 0) return former.map((team) => teamOfRoster(team, known));
  const [shown] = shownTeams(known).filter(({ team }) => hasName(team, written));
  return shown === undefined ? [] : [teamOfShown(shown, written, known)];
}

function teamOfRoster({ key, name, identifier }: RosterTeam, { state }: ExplainContext): ResolvedTeam {
  return { key, name, identifier: identifier?.value ?? state.teams.get(key)?.identifier };
}

function hasName({ name, identifier }: Partial<Omit<ResolvedTeam, "key">>, written: string): boolean {
  return identifier === written || (name !== undefined && foldName(name) === foldName(written));
}

function hadName({ previously }: RosterTeam, written: string): boolean {
  return previously.some(({ value }) => foldName(value) === foldName(written));
}

function shownTeams({ snapshot }: ExplainContext): readonly ShownTeam[] {
  return snapshot.users.flatMap(({ keys = [], account }) =>
    keys.flatMap(({ team }) => (team === undefined || team === "none" ? [] : [{ team, account }])),
  );
}

/** The team of the roster that a shown one is, where its identifier, its name or a former name tells. */
function teamOfShown({ team, account }: ShownTeam, written: string, known: ExplainContext): ResolvedTeam {
  const { name = written, identifier } = team;
  const near = known.roster.teams.filter((one) => account === undefined || one.account === account);
  const meant = near.find((one) => {
    const own = teamOfRoster(one, known);
    if (own.identifier !== undefined && identifier !== undefined) return own.identifier === identifier;
    return hasName({ name: own.name }, name) || hadName(one, name);
  });
  if (meant !== undefined) return { ...teamOfRoster(meant, known), identifier };
  return { key: teamKeyOf(account ?? "", name), name, identifier };
}
