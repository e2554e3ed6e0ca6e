import { choice } from "./knob.ts";

export const credentialScope = choice("Which users the list of users shows to an administrator.", "all", {
  all: "all of the account, or of every account",
  team: "only whoever shares a team with the administrator; a search finds everybody",
});
