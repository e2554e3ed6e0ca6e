import { describe, expect, test, vi } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { problem, success } from "../../../src/model/result.ts";
import { callIdOf, emptyState } from "../../../src/model/state.ts";
import { resolveOpen } from "../../../src/run/assess.ts";
import { aCreation, anAddition, newPerson, person, rolesOfOwnKey, teamRef } from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure, type Disturbance, on, type SimulationOptions } from "../../support/simulated-service.ts";
import {
  aWorld,
  aWorldOf,
  giveTeamKey,
  putTeam,
  putUser,
  type World,
  worldUser,
} from "../../support/simulated-world.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const lost = { outcome: "unknown", failure: aFailure("unreachable", "the answer was lost") } as const;
const exists = { outcome: "failed", failure: aFailure("conflict", "exists") } as const;
const [ada, founder] = [[aCreation("ada")], [aCreation("ada", { createsTeam: "Science" })]];
/** A service whose reads show nobody until so long after noon. */
const slow = (lag: number): Pick<Scene, "hides" | "searches"> => ({
  hides: ["account-members"],
  searches: (users, age) => (age < lag ? [] : users),
});

describe("a creation whose answer was lost", () => {
  test("and which reading shows is taken for done, with what it gave, and never sent again", async () => {
    const actions = [...ada, rolesOfOwnKey("ada", ["DEVELOPER"])];
    const run = await runPlan(actions, { ...slow(3000), after: on("create-user", lost) });
    expect(run.about()).toBe("intended, unknown-outcome: unreachable, resolved");
    expect(summarizeRun(run.events).keys).toMatchObject([{ prefix: "k2", address: addressOf("ada") }]);
    expect(run.outcome()).toMatchObject({ is: "succeeded" });
    expect([run.sent, run.open]).toEqual([["create ada", "set k2 to DEVELOPER"], []]);
    expect(run.saved.users.get(addressOf("ada"))).toMatchObject({ identifier: "u1", key: "k2" });
  });

  test("and which no read shows once the settling time is over was not done, and has failed", async () => {
    const run = await runPlan(ada, { before: on("create-user", lost) });
    expect(run.about()).toBe("intended, unknown-outcome: unreachable, resolved, failed: unreachable");
    expect([run.waits, run.open, run.sent.length]).toEqual([[500, 1000, 2000, 2000], [], 1]);
    const why = "then roster reads the service, because the answer was lost";
    expect(run.events.find(({ type }) => type === "waiting")).toMatchObject({ why });
  });

  const accepted: Disturbance = { ...lost, accepted: { askAfter: 10_000 } };
  const absences = new Map([[addressOf("ada"), { proven: false, why: "cut off" } as const]]);

  test.each<[string, Disturbance, Scene, readonly number[] | undefined, object]>([
    [
      "whose absence no read proves",
      lost,
      { people: { read: async () => success({ users: [], absences }) } },
      [500, 1000, 2000, 2000, 5500, 8000, 11_000],
      {},
    ],
    [
      "which the service took for later, which is asked for as often as it says",
      accepted,
      {},
      [10_000, 10_000, 10_000],
      { accepted: true },
    ],
    [
      "which no read shows where the service is known to take calls for later",
      lost,
      { state: { queues: { at: noon } } },
      undefined,
      {},
    ],
  ])("stays open: %s", async (_, told, scene, waits, open) => {
    const run = await runPlan(ada, { ...scene, before: on("create-user", told) });
    expect(run.about()).toMatch(/unknown-outcome: unreachable$/u);
    expect(run.waits).toEqual(waits ?? run.waits);
    expect(run.saved.open).toMatchObject([{ action: teamCreation, ...open }]);
  });

  test("is not waited for once the run is interrupted", async () => {
    const stop = new AbortController();
    const before = () => {
      stop.abort();
      return lost;
    };
    const { lines, waits } = await runPlan(ada, { before, signal: stop.signal });
    expect([waits, lines.at(-1)]).toEqual([[], "finished interrupted: the run was interrupted"]);
  });
});

describe("a creation that the service refuses because somebody is there", () => {
  /** ada comes to be there just before the call, as another program would have made her. */
  const adaIsThere = (told?: Disturbance, arrive: (world: World) => void = () => undefined): Scene => {
    const world = aWorldOf({ teams: { Ops: {} } });
    return {
      world,
      before(call) {
        if (call.route !== "create-user") return undefined;
        putUser(world, { email: "ada@acme.example" });
        arrive(world);
        return told;
      },
    };
  };

  test.each([
    ["409", undefined, "conflict"],
    ["400", { failure: aFailure("refused", "a user with this e-mail exists") }, "refused"],
  ])("takes the person over as they are: %s", async (_, told, code) => {
    const run = await runPlan(ada, adaIsThere(told));
    expect(run.about()).toBe(`intended, declined: ${code}, succeeded`);
    expect(run.lines).toContain("found user-adopted for user ada@acme.example");
    expect(run.outcome()).toMatchObject({ learned: { was: "there-before" } });
    const record = run.saved.users.get(addressOf("ada"));
    expect(record).toMatchObject({ identifier: "u1", seenAt: noon });
    expect(record).not.toHaveProperty("createdAt");
    expect(run.sent).toEqual(["create ada"]);
  });

  test("is durable as such before anybody is looked up, so that a run that dies there has met them", async () => {
    const durable: RunEvent[] = [];
    const service = () => ({ searchUsers: () => new Promise<never>(() => undefined) });
    void runPlan(ada, { ...adaIsThere(), service, append: (events) => void durable.push(...events) });
    await vi.waitFor(() => expect(durable.at(-1)?.type).toBe("declined"), 20_000);
    expect(applyEvents(emptyState("l"), durable).open.map(({ declined }) => declined?.code)).toEqual(["conflict"]);
  });

  test("and answers with them as with a success: they are taken over likewise", async () => {
    const run = await runPlan(ada, {
      service: ({ world }) => ({
        async createUser() {
          const { identifier } = putUser(world, { email: "ada@acme.example" });
          return { outcome: "done", value: { identifier, age: 3_600_000, profile: {} } };
        },
      }),
    });
    expect(run.lines).toContain("found user-adopted for user ada@acme.example");
    expect(run.saved.users.get(addressOf("ada"))).not.toHaveProperty("createdAt");
    expect(summarizeRun(run.events).keys).toMatchObject([{ prefix: "k2" }]);
  });

  test("creates no team with them", async () => {
    const message = expect.stringContaining("so roster cannot create the team Science with this user");
    const run = await runPlan(founder, adaIsThere());
    expect(run.outcome()).toMatchObject({ failure: { code: "conflict", message } });
  });

  test.each([
    ["although it has just made them, with their team", 0],
    ["although it has just made them, with a team that shows only after seconds", 4000],
  ])("%s: then it was done", async (_, lag) => {
    const run = await runPlan(founder, { ...slow(lag), after: on("create-user", exists) });
    expect(run.about()).toMatch(/^intended, declined: conflict, (?:unknown-outcome: conflict, )?succeeded$/u);
    expect(run.saved.users.get(addressOf("ada"))).toMatchObject({ createdTeam: "acc-1/science" });
    expect(run.saved.teams.size).toBe(1);
  });

  test("stays open for the next run where nobody could be looked for", async () => {
    const service = () => ({ searchUsers: async () => problem(aFailure("service-error", "later")) });
    const { about, saved } = await runPlan(founder, { after: on("create-user", exists), service });
    expect(about()).toBe("intended, declined: conflict, unknown-outcome: conflict");
    expect(saved.open.map(({ declined }) => declined?.code)).toEqual(["conflict"]);
  });

  test("has failed with the service's words where reading shows nobody, or a deleted user", async () => {
    const refused = { failure: { ...aFailure("conflict"), serviceSays: "email taken" } };
    const hint = expect.stringContaining("show ada@acme.example. A deleted user may");
    expect((await runPlan(ada, { before: on("create-user", refused) })).outcome()).toMatchObject({
      is: "failed",
      failure: { code: "conflict", serviceSays: "email taken", hint },
    });
    const message = expect.stringContaining("as deleted, which blocks the address");
    const world = aWorldOf({ users: { ada: { status: "Deleted" } } });
    expect((await runPlan(ada, { world })).outcome()).toMatchObject({ is: "failed", failure: { message } });
  });

  test("and whose word is a wrong request has failed at once, with one read", async () => {
    const before = on("create-user", { failure: aFailure("refused", "bad title") });
    const { about, waits, simulated } = await runPlan(ada, { before });
    expect(about()).toBe("intended, declined: refused, failed: refused");
    expect([waits, simulated.requests.reads]).toEqual([[], 1]);
  });

  const join = (world: World) => void giveTeamKey(world, worldUser(world, "ada"), "t-ops", []);

  test.each<[string, (world: World) => void, SimulationOptions["hides"], readonly string[], object]>([
    ["who is shown in the team is not added again", join, [], [], { is: "succeeded" }],
    ["who is shown without the team is added", () => undefined, [], ["ada"], { is: "succeeded" }],
    [
      "whose teams are hidden is not added on a doubt",
      () => undefined,
      ["keys"],
      [],
      { is: "failed", failure: { code: "stale" } },
    ],
  ])("%s", async (_, arrive, hides, mails, outcome) => {
    const joining = anAddition(teamRef("Ops", "t-ops"), [newPerson("ada")]);
    const run = await runPlan([...ada, joining], { ...adaIsThere(undefined, arrive), hides: hides ?? [] });
    expect(run.mails).toEqual(mails);
    expect(run.outcome(joining.id)).toMatchObject(outcome);
  });
});

describe("an addition whose answer was lost", () => {
  function opsWith(...names: readonly string[]) {
    const users = Object.fromEntries(names.map((name) => [name, { identifier: `u-${name}` }]));
    const members = names.map((name) => person(name, `u-${name}`));
    return { world: aWorldOf({ users, teams: { Ops: {} } }), action: anAddition(teamRef("Ops", "t-ops"), members) };
  }

  test("is told person by person by what reading shows, and nobody is mailed twice", async () => {
    const { world, action } = opsWith("ada", "bo");
    const before: Scene["before"] = ({ route }) => {
      if (route !== "add-members") return undefined;
      giveTeamKey(world, worldUser(world, "ada"), "t-ops", []);
      return lost;
    };
    const { outcome, sent } = await runPlan([action], { world, before });
    expect(outcome(action.id)).toMatchObject({
      is: "succeeded",
      learned: { members: [{ outcome: { added: true } }, { outcome: { added: false } }] },
    });
    expect(sent).toHaveLength(1);
  });

  test("of which reading shows nobody in time has failed", async () => {
    const { world, action } = opsWith("ada");
    const { about } = await runPlan([action], { world, before: on("add-members", lost) });
    expect(about(action.id)).toBe("intended, unknown-outcome: unreachable, resolved, failed: unreachable");
  });

  test("and whom no read can tell stays unknown where keys are hidden: where no time is shown, a command of the log resolves it", async () => {
    const { world, action } = opsWith("ada");
    const scene: Scene = {
      world,
      hides: ["keys"],
      after: on("add-members", lost),
      resolve: "roster state resolve --state x",
    };
    const { outcome, open } = await runPlan([action], { ...scene, service: () => ({ times: undefined }) });
    const hint = expect.stringContaining(`run \`${scene.resolve} ${callIdOf({ run: "r1", action: action.id })}\` with`);
    expect([outcome(action.id), open]).toMatchObject([{ is: "unknown", failure: { hint } }, [action.id]]);
  });
});

const asked = { ...aCreation("ada"), request: "digest" };
const askedWithTeam = { ...aCreation("ada", { createsTeam: "Science" }), request: "digest" };

/** A service that answers a creation with 409 after so many milliseconds, where it has this by then; by default nobody has set a window. */
async function refused(
  action: typeof asked,
  has: (world: World) => void,
  takes = 0,
  consistency: number | "learned" = "learned",
) {
  const [world, clock] = [aWorld(), clockAt(noon)];
  const before: Scene["before"] = ({ route }) => {
    if (route !== "create-user") return undefined;
    clock.move(takes);
    has(world);
    return exists;
  };
  const { about, events, saved, sent } = await runPlan([action], { world, clock, before, consistency });
  const decidedFrom = events.flatMap((event) => (event.type === "unknown-outcome" ? [event.decidedFrom] : []));
  expect(sent).toHaveLength(1);
  return { told: about().replace("intended, declined: conflict, ", ""), decidedFrom, saved };
}

const nobody = () => undefined;
const putAda = (world: World) => putUser(world, { email: emailOf("ada") });
const putFounder = (world: World) => {
  putTeam(world, { name: "Science", identifier: "t-1" });
  giveTeamKey(world, putAda(world), "t-1", []);
};

describe("a creation that is answered with 409, within the window", () => {
  test.each([
    ["has failed where the person is shown without the team", askedWithTeam, putAda, "failed: conflict"],
    ["was done where they are shown with the team", askedWithTeam, putFounder, "succeeded"],
    ["has met the person where no team was asked for", asked, putAda, "succeeded"],
  ])("%s", async (_, action, has, ends) => {
    const { told, decidedFrom, saved } = await refused(action, has);
    expect([told, decidedFrom, saved.open]).toEqual([ends, [], []]);
  });

  test.each([
    ["a creation", asked],
    ["a creation of a team", askedWithTeam],
  ])("stays unknown where nobody is shown, and says from when on it can be decided: %s", async (_, action) => {
    const { told, decidedFrom, saved } = await refused(action, nobody);
    expect([told, decidedFrom]).toEqual(["unknown-outcome: conflict", ["2026-11-20T12:15:05.500Z"]]);
    expect(saved.open.map(({ declined }) => declined?.code)).toEqual(["conflict"]);
  });

  test("counts the window from the answer, since the call may have taken effect as late as that", async () => {
    const { told, decidedFrom } = await refused(asked, nobody, 20_000, 10_000);
    expect([told, decidedFrom]).toEqual(["unknown-outcome: conflict", ["2026-11-20T12:00:35.500Z"]]);
  });
});

describe("a creation of a team that was answered with 409 while nobody was shown, in a later run", () => {
  const withKeys = (...teams: readonly Parameters<typeof aShownKey>[1][]) => ({
    users: [aShownUser("ada", { keys: teams.map((team, index) => aShownKey(`k-${index}`, team)) })],
  });
  const [early, late] = ["2026-11-20T12:15:05.499Z", "2026-11-20T12:15:05.500Z"];
  const [open, notDone] = ["open", "refused team acc-1/science conflict"];

  test.each([
    ["stays open before the window is over", { absent: ["ada"] }, early, open],
    ["was not done once it is over: somebody who is hidden holds the address", { absent: ["ada"] }, late, notDone],
    ["stays open where nobody's absence is proven", {}, late, open],
    ["was not done where the person is shown without the team, at once", withKeys("none"), early, notDone],
    ["stays open where the person is shown without keys", withKeys(), early, open],
    [
      "was done where the team is shown with the person",
      withKeys("none", { identifier: "t-1", name: "Science" }),
      early,
      "Science",
    ],
  ])("%s", async (_, shown, readAt, becomes) => {
    const { saved } = await refused(askedWithTeam, nobody);
    const events = resolveOpen(saved, aSnapshot({ ...shown, readAt }), { at: readAt, consistency: undefined });
    const after = applyEvents(saved, events);
    expect([
      ...after.open.map(() => "open"),
      ...[...after.teams.values()].map(({ name }) => name),
      ...[...after.refusals.values()].map(({ subject, failure }) => `refused ${subject} ${failure.code}`),
    ]).toEqual([becomes]);
  });
});
