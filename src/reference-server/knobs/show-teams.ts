import type { Knobs } from "../knobs.ts";

interface RenderedTeam {
  readonly identifier: string | number;
  readonly name: string;
}

/** On what occasion something is shown: by a list or a search, or by the call that made it. */
export type RenderedFor = "listed" | "made";

export function teamField(how: Knobs["showTeams"], team: RenderedTeam | null, on: RenderedFor): object {
  switch (how) {
    case "full":
      return { team };
    case "identifier":
      return { team: team && { identifier: team.identifier } };
    case "name":
      return { team: team && { name: team.name } };
    case "text":
      return { team: team?.identifier ?? null };
    case "flat":
      return { teamIdentifier: team?.identifier ?? null, teamName: team?.name ?? null };
    case "teamId":
      return { teamId: team?.identifier ?? null };
    case "teamName":
      return { teamName: team?.name ?? null };
    case "created-only":
      return on === "made" ? { team } : {};
    case "none":
      return {};
  }
}
