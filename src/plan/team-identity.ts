import type { TeamRef } from "../model/action.ts";
import type { Basis } from "../model/fact.ts";
import type { TeamKey } from "../model/names.ts";
import type { RosterTeam } from "../model/roster.ts";
import type { Draft } from "./draft.ts";
import { teamSubject } from "./subjects.ts";

/** What a team of the roster is to the service. */
export type TeamIdentity = KnownTeam | UnidentifiedTeam | NewTeamWanted | UnprovenTeam | WithheldTeam;

interface Common {
  readonly team: RosterTeam;
  /** Folded names under which keys may show it. */
  readonly names: ReadonlySet<string>;
  /** True where its account has another team of its name, so that the name alone does not tell which one is shown. */
  readonly isTwin: boolean;
  /** Keys under which the state may remember it: its own first, then those of its former names. */
  readonly recordKeys: readonly TeamKey[];
}

export interface KnownTeam extends Common {
  readonly is: "known";
  readonly ref: TeamRef;
  readonly identifier: string;
}

/** It is there, but nobody knows by which identifier: nobody can be added, nor is it founded again. */
export interface UnidentifiedTeam extends Common {
  readonly is: "unidentified";
}

/** Proven, or said by a person, to be absent: to be founded. */
export interface NewTeamWanted extends Common {
  readonly is: "new";
  readonly absence: Basis;
}

/** Not shown as such, but not proven to be absent either: nothing is founded, and its founder is kept for it. */
export interface UnprovenTeam extends Common {
  readonly is: "unproven";
  readonly code: "unproven-team" | "incomplete-list" | "ambiguous-team";
  readonly why: string;
}

/** Nothing is done for it; a finding says why. */
interface WithheldTeam extends Common {
  readonly is: "withheld";
}

export type Teams = ReadonlyMap<TeamKey, TeamIdentity>;

export interface JudgedTeam {
  readonly identity: TeamIdentity;
  readonly findings: readonly Draft[];
}

/** A finding about one team, at its place in the roster. */
export function aboutTeam(
  team: RosterTeam,
  finding: Pick<Draft, "code" | "message" | "restsOn" | "suggestedYaml">,
): Draft {
  return {
    subject: teamSubject(team.key),
    because: team.because.slice(0, 1),
    concerns: [{ team: team.key }],
    ...finding,
  };
}
