import type { ObservedUser } from "../../model/snapshot.ts";
import { unknownName } from "./adopt-people.ts";
import type { ImportInput } from "./adoption.ts";
import type { ShownTeams } from "./gather-teams.ts";

/** What the service does not show, and what that means for the roster, one sentence each. */
export function hiddenDataNotes(
  { snapshot, roles, listedOnly = [] }: ImportInput,
  { teams, nameless }: ShownTeams,
  withoutName: number,
): readonly string[] {
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = snapshot.capabilities;
  return [
    ...(keysOnUsers === "hidden"
      ? ["The service does not show the keys of users: no team, membership or role is adopted."]
      : []),
    ...(keysOnUsers !== "hidden" && teamsOnKeys === "hidden" && teams.length + nameless.length === 0
      ? ["The service does not show the teams of keys: no team is adopted."]
      : []),
    ...(rolesOnKeys === "hidden" && roles === "keep"
      ? ["The service does not show the roles of keys: the roster does not manage them."]
      : []),
    ...nameless.map(
      (name) =>
        `The service shows the team ${name} without its identifier. Look it up, and write the team with \`identifier:\`.`,
    ),
    ...(listedOnly.length === 0
      ? []
      : [`The list of users shows these people, and no search finds them: ${emailList(listedOnly)}.`]),
    ...(withoutName === 0
      ? []
      : [
          `The service does not show the names of ${withoutName} ${withoutName === 1 ? "person" : "people"}; \`${unknownName}\` stands there.`,
        ]),
  ];
}

function emailList(users: readonly ObservedUser[]): string {
  return users.map(({ email }) => email).join(", ");
}
