import type { TeamRef } from "../model/action.ts";
import type { Basis } from "../model/fact.ts";
import type { RosterTeam } from "../model/roster.ts";
import type { TeamKey } from "../model/team.ts";
import type { FindingDraft } from "./draft.ts";
import { teamSubject } from "./subjects.ts";

/** What a team of the roster is to the service. */
export type TeamIdentity = KnownTeam | UnidentifiedTeam | TeamToFound | UnprovenTeam | BlockedTeam;

interface TeamIdentityFields {
  readonly team: RosterTeam;
  /** Folded names under which keys may show it. */
  readonly names: ReadonlySet<string>;
  /** True where its account has another team of its name, so that the name alone does not tell which one is shown. */
  readonly isTwin: boolean;
  /** Keys under which the state may remember it: its own first, then those of its former names. */
  readonly recordKeys: readonly TeamKey[];
}

export interface KnownTeam extends TeamIdentityFields {
  readonly is: "known";
  readonly ref: TeamRef;
  readonly identifier: string;
}

/** It is there, but nobody knows by which identifier: nobody can be added, nor is it founded again. */
export interface UnidentifiedTeam extends TeamIdentityFields {
  readonly is: "unidentified";
}

/** Proven, or said by a person, to be absent: to be founded. */
export interface TeamToFound extends TeamIdentityFields {
  readonly is: "new";
  readonly absence: Basis;
}

/** Not shown as such, but not proven to be absent either: nothing is founded, and its founder is kept for it. */
export interface UnprovenTeam extends TeamIdentityFields {
  readonly is: "unproven";
  readonly code: "unproven-team" | "incomplete-list" | "ambiguous-team";
  readonly why: string;
}

/** Nothing is done for it; a finding says why. */
interface BlockedTeam extends TeamIdentityFields {
  readonly is: "withheld";
}

export type TeamIdentities = ReadonlyMap<TeamKey, TeamIdentity>;

export interface ClassifiedTeam {
  readonly identity: TeamIdentity;
  readonly findings: readonly FindingDraft[];
}

/** A finding about one team, at its place in the roster. */
export function teamFinding(
  team: RosterTeam,
  finding: Pick<FindingDraft, "code" | "message" | "restsOn" | "suggestedYaml">,
): FindingDraft {
  return {
    subject: teamSubject(team.key),
    because: team.because.slice(0, 1),
    concerns: [{ team: team.key }],
    ...finding,
  };
}
