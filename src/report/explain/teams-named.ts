import { foldName, teamKeyOf } from "../../model/names.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { ObservedTeam } from "../../model/snapshot.ts";
import type { Known, NamedTeam } from "./explanation.ts";

interface Shown {
  readonly team: ObservedTeam;
  /** Of whoever holds the key; undefined where it is not shown. */
  readonly account: string | undefined;
}

/** The teams that a person may mean by a name, a former one or an identifier: of the roster, else of the state, else as keys show them. */
export function teamsNamed(written: string, known: Known): readonly NamedTeam[] {
  const { roster, state } = known;
  const inRoster = roster.teams.map((team) => ofRoster(team, known));
  const inState = [...state.teams.values()].map(({ team: key, name, identifier }) => ({ key, name, identifier }));
  const named = [...inRoster, ...inState].filter((team) => isCalled(team, written));
  const once = [...new Map(named.toReversed().map((team) => [team.key, team])).values()].toReversed();
  if (once.length > 0) return once;
  const former = roster.teams.filter((team) => wasCalled(team, written));
  if (former.length > 0) return former.map((team) => ofRoster(team, known));
  const [shown] = shownTeams(known).filter(({ team }) => isCalled(team, written));
  return shown === undefined ? [] : [ofShown(shown, written, known)];
}

function ofRoster({ key, name, identifier }: RosterTeam, { state }: Known): NamedTeam {
  return { key, name, identifier: identifier?.value ?? state.teams.get(key)?.identifier };
}

function isCalled({ name, identifier }: Partial<Omit<NamedTeam, "key">>, written: string): boolean {
  return identifier === written || (name !== undefined && foldName(name) === foldName(written));
}

function wasCalled({ previously }: RosterTeam, written: string): boolean {
  return previously.some(({ value }) => foldName(value) === foldName(written));
}

function shownTeams({ snapshot }: Known): readonly Shown[] {
  return snapshot.users.flatMap(({ keys = [], account }) =>
    keys.flatMap(({ team }) => (team === undefined || team === "none" ? [] : [{ team, account }])),
  );
}

/** The team of the roster that a shown one is, where its identifier, its name or a former name tells. */
function ofShown({ team, account }: Shown, written: string, known: Known): NamedTeam {
  const { name = written, identifier } = team;
  const near = known.roster.teams.filter((one) => account === undefined || one.account === account);
  const meant = near.find((one) => {
    const own = ofRoster(one, known);
    if (own.identifier !== undefined && identifier !== undefined) return own.identifier === identifier;
    return isCalled({ name: own.name }, name) || wasCalled(one, name);
  });
  if (meant !== undefined) return { ...ofRoster(meant, known), identifier };
  return { key: teamKeyOf(account ?? "", name), name, identifier };
}
