import type { Year, YearEvent } from "./year.ts";
import type { Edition, EditionTeam } from "./year-edition.ts";

/** Slips that happen only where none is under way that stops everything, and so would hide them. */
export function oneAtATime(slips: Readonly<Record<string, YearEvent>>): Readonly<Record<string, YearEvent>> {
  const alone = (slip: YearEvent) => (year: Year) => {
    if (!year.hidesSlips()) slip(year);
  };
  return Object.fromEntries(Object.entries(slips).map(([name, slip]) => [name, alone(slip)]));
}

export function mapTeam(edition: Edition, id: number, change: (team: EditionTeam) => EditionTeam): Edition {
  return { ...edition, teams: edition.teams.map((team) => (team.id === id ? change(team) : team)) };
}
