import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { emptyState } from "../../../src/model/state.ts";
import { resolveOpen } from "../../../src/run/assess.ts";
import { aCreation } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { emailOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure } from "../../support/simulated-service.ts";
import { aWorld, giveTeamKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const request = "digest";
const creation = { ...aCreation("ada"), request };
const teamCreationScience = { ...aCreation("ada", { createsTeam: "Science" }), request };

/** A service that answers a creation with 409 after so many milliseconds, where it has this by then; by default nobody has set a window. */
async function refused(
  action: typeof creation,
  has: (world: World) => void,
  { takes = 0, consistency = "learned" }: { readonly takes?: number; readonly consistency?: number | "learned" } = {},
) {
  const world = aWorld();
  const clock = clockAt(noon);
  const simulated = emptyService({
    world,
    async before(call) {
      if (call.route !== "create-user") return undefined;
      await clock.wait(takes);
      has(world);
      return { failure: aFailure("conflict", "exists") };
    },
  });
  const session = memorySession(emptyState("l"));
  const events = await applied([action], simulated, { session, clock, consistency });
  const told = aboutAction(events, teamCreation).slice(1);
  const decidedFrom = events.flatMap((event) => (event.type === "unknown-outcome" ? [event.decidedFrom] : []));
  return { told, decidedFrom, state: session.saved(), writes: simulated.requests.writes };
}

const nobody = () => undefined;
const ada = (world: World) => putUser(world, { email: emailOf("ada") });
const adaOfScience = (world: World) => {
  putTeam(world, { name: "Science", identifier: "t-1" });
  giveTeamKey(world, ada(world), "t-1", []);
};

describe("a creation that is answered with 409, within the window", () => {
  const declined = `declined ${teamCreation}: conflict`;

  test.each([
    [
      "has failed where the person is shown without the team",
      teamCreationScience,
      ada,
      `failed ${teamCreation}: conflict`,
    ],
    ["was done where they are shown with the team", teamCreationScience, adaOfScience, `succeeded ${teamCreation}`],
    ["has met the person where no team was asked for", creation, ada, `succeeded ${teamCreation}`],
  ])("%s", async (_, action, has, ends) => {
    const { told, decidedFrom, state, writes } = await refused(action, has);
    expect({ told, decidedFrom, open: state.open, writes }).toEqual({
      told: [declined, ends],
      decidedFrom: [],
      open: [],
      writes: 1,
    });
  });

  test.each([
    ["a creation", creation],
    ["a creation of a team", teamCreationScience],
  ])("stays unknown where nobody is shown, and says from when on it can be decided: %s", async (_, action) => {
    const { told, decidedFrom, state, writes } = await refused(action, nobody);
    expect({ told, decidedFrom, open: state.open.map(({ declined: why }) => why?.code), writes }).toEqual({
      told: [declined, `unknown-outcome ${teamCreation}: conflict`],
      decidedFrom: ["2026-11-20T12:15:05.500Z"],
      open: ["conflict"],
      writes: 1,
    });
  });

  test("counts the window from the answer, since the call may have taken effect as late as that", async () => {
    const { told, decidedFrom } = await refused(creation, nobody, { takes: 20_000, consistency: 10_000 });
    expect({ told, decidedFrom }).toEqual({
      told: [declined, `unknown-outcome ${teamCreation}: conflict`],
      decidedFrom: ["2026-11-20T12:00:35.500Z"],
    });
  });
});

describe("a creation of a team that was answered with 409 while nobody was shown, in a later run", () => {
  const science = { identifier: "t-1", name: "Science" };
  const withKey = (...team: readonly Parameters<typeof aShownKey>[1][]) => ({
    users: [aShownUser("ada", { keys: team.map((one, index) => aShownKey(`k-${index}`, one)) })],
  });
  const early = "2026-11-20T12:15:05.499Z";
  const late = "2026-11-20T12:15:05.500Z";

  test.each([
    ["stays open before the window is over", { absent: ["ada"] }, early, { open: 1, teams: [], refusals: [] }],
    [
      "was not done once it is over: somebody who is hidden holds the address",
      { absent: ["ada"] },
      late,
      { open: 0, teams: [], refusals: ["team acc-1/science conflict"] },
    ],
    ["stays open where nobody's absence is proven", {}, late, { open: 1, teams: [], refusals: [] }],
    [
      "was not done where the person is shown without the team, at once",
      withKey("none"),
      early,
      { open: 0, teams: [], refusals: ["team acc-1/science conflict"] },
    ],
    ["stays open where the person is shown without keys", withKey(), early, { open: 1, teams: [], refusals: [] }],
    [
      "was done where the team is shown with the person",
      withKey("none", science),
      early,
      { open: 0, teams: ["Science"], refusals: [] },
    ],
  ])("%s", async (_, shown, readAt, becomes) => {
    const { state } = await refused(teamCreationScience, nobody);
    const events = resolveOpen(state, aSnapshot({ ...shown, readAt }), { at: readAt, consistency: undefined });
    const after = applyEvents(state, events);
    expect({
      open: after.open.length,
      teams: [...after.teams.values()].map(({ name }) => name),
      refusals: [...after.refusals.values()].map(({ subject, failure }) => `${subject} ${failure.code}`),
    }).toEqual(becomes);
  });
});
