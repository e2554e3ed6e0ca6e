import { choice, type ValueOf } from "./knob.ts";

export const showTeams = choice("How a key, and the creation of a user with a team, tells of the team.", "full", {
  full: "as an object with identifier and name, null where a key has none",
  identifier: "as an object with its identifier",
  name: "as an object with its name",
  text: "as its bare identifier",
  flat: "in two fields, teamIdentifier and teamName; both are null where a key has none",
  teamId: "in the field teamId alone, which is null where a key has none",
  teamName: "in the field teamName alone, which is null where a key has none",
  "created-only": "as an object with identifier and name where a user is created or added, and nowhere else",
  none: "not at all",
});

interface ToldTeam {
  readonly identifier: string | number;
  readonly name: string;
}

/** On what occasion something is shown: by a list or a search, or by the call that made it. */
export type Occasion = "listed" | "made";

export function teamField(how: ValueOf<typeof showTeams>, team: ToldTeam | null, on: Occasion): object {
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
