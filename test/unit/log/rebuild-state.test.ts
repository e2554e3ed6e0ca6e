import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { rebuildState } from "../../../src/log/observed-events.ts";
import { emptyState } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { noon } from "../../support/event-builders.ts";
import { aRoster, aTeam, aUser, type TeamWish } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const team = teamKeyOf("acc-1", "Science");
const users = ["ada", "bo"].map((name) => aUser(name));

/** What is remembered of the team Science and its members where the service shows their keys in teams of these names. */
function rebuilt(wish: TeamWish, shown: Readonly<Record<string, string>>, others: readonly string[] = []) {
  const members = ["ada", "bo"];
  const teams = [aTeam("Science", { members, ...wish }), ...others.map((name) => aTeam(name, { members: ["ada"] }))];
  const people = Object.entries(shown).map(([name, shownAs], index) =>
    aShownUser(name, { keys: [aShownKey(`k${index}`, { identifier: `t-${shownAs}`, name: shownAs })] }),
  );
  const events = rebuildState(aRoster({ users, teams }), aSnapshot({ users: people }), noon);
  const { teams: known, memberships } = applyEvents(emptyState("l-1"), events);
  return {
    identifier: known.get(team)?.identifier,
    prefixes: [...memberships.values()].filter((one) => one.team === team).map(({ prefix }) => prefix),
  };
}

describe("where the state was lost, a team and its members are known again", () => {
  test.each<[string, TeamWish, Readonly<Record<string, string>>, readonly string[], ReturnType<typeof rebuilt>]>([
    ["by the name", {}, { ada: "Science", bo: "Science" }, [], { identifier: "t-Science", prefixes: ["k0", "k1"] }],
    [
      "by a former name, where the service has no other yet",
      { previously: ["Lab", "Research"] },
      { ada: "Research", bo: "Research" },
      [],
      { identifier: "t-Research", prefixes: ["k0", "k1"] },
    ],
    [
      "by the name first, where the service shows a former one too",
      { previously: ["Research"] },
      { ada: "Research", bo: "Science" },
      [],
      { identifier: "t-Science", prefixes: ["k1"] },
    ],
    [
      "but not by a former name that another team has now",
      { previously: ["Research"] },
      { ada: "Research", bo: "Research" },
      ["Research"],
      { identifier: undefined, prefixes: [] },
    ],
  ])("%s", (_, wish, shown, others, expected) => {
    expect(rebuilt(wish, shown, others)).toEqual(expected);
  });
});
