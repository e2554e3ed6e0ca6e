import { describe, expect, test } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import { emptyState } from "../../../src/model/state.ts";
import { anAddition, person, rolesOfAdded, teamRef } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService, type RunWish } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { emailOf } from "../../support/roster-builders.ts";
import { aFailure, type ServiceCall, type SimulationOptions } from "../../support/simulated-service.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../support/simulated-world.ts";

const team = teamRef("Ops", "t-ops");

/** People of the service, and the call that adds all of them to Ops. */
function joining(...names: readonly string[]) {
  const world = aWorld();
  putTeam(world, { name: "Ops", identifier: "t-ops" });
  const users = names.map((name) => putUser(world, { email: emailOf(name), identifier: `u-${name}` }));
  return {
    world,
    users,
    action: anAddition(
      team,
      names.map((name) => person(name, `u-${name}`)),
    ),
  };
}

function additionsIn(calls: readonly ServiceCall[]): readonly (readonly string[])[] {
  return calls.flatMap((call) => (call.route === "add-members" ? [call.identifiers] : []));
}

async function outcomesOf(
  wish: ReturnType<typeof joining>,
  options: Partial<SimulationOptions> = {},
  consistency: RunWish["consistency"] = 5000,
) {
  const { world, action } = wish;
  const simulated = emptyService({ world, ...options });
  const session = memorySession(emptyState("l"));
  const clock = clockAt(noon);
  const events = await applied([action], simulated, { session, clock, consistency });
  const outcome = summarizeRun(events).outcomes.get(action.id);
  const members = outcome?.is === "succeeded" && outcome.learned.kind === "add-members" ? outcome.learned.members : [];
  const refused = events.flatMap((event) => (event.type === "member-refused" ? [event] : []));
  const told =
    outcome?.is === "failed"
      ? [
          ...new Map(
            refused.map(({ address, failure }) => [address, `${address.slice(0, 2)} ${failure.code}`]),
          ).values(),
        ]
      : members.map((one) => `${one.address.slice(0, 2)} ${one.outcome.added ? "added" : one.outcome.failure.code}`);
  const mails = simulated.outbox.map(({ email }) => email.slice(0, 2));
  return { simulated, session, clock, events, outcome, told, mails, asked: additionsIn(simulated.calls) };
}

describe("an addition that the service refuses as a whole because of one", () => {
  test("who is a member by now is made for the others one by one, and nobody is mailed twice", async () => {
    const wish = joining("ada", "bo", "cy");
    const [ada] = wish.users;
    if (ada !== undefined) giveTeamKey(wish.world, ada, "t-ops", []);
    const { told, mails, asked, session } = await outcomesOf(wish);
    expect({ told, mails, asked }).toEqual({
      told: ["ad added", "bo added", "cy added"],
      mails: ["bo", "cy"],
      asked: [["u-ada", "u-bo", "u-cy"], ["u-bo"], ["u-cy"]],
    });
    expect(session.saved().memberships.size).toBe(3);
    expect(session.saved().open).toEqual([]);
  });

  test("who is gone is made for the others, and told of that one", async () => {
    const wish = joining("ada", "bo");
    wish.world.users.splice(0, 1);
    const { told, mails } = await outcomesOf(wish);
    expect({ told, mails }).toEqual({ told: ["ad not-found", "bo added"], mails: ["bo"] });
  });

  test("keeps what needs the keys of those who were added", async () => {
    const wish = joining("ada", "bo");
    wish.world.users.splice(0, 1);
    const roles = [rolesOfAdded("ada", team, ["DEVELOPER"]), rolesOfAdded("bo", team, ["DEVELOPER"])];
    const events = await applied([wish.action, ...roles], emptyService({ world: wish.world }));
    expect(roles.map(({ id }) => aboutAction(events, id).at(-1))).toEqual([
      expect.stringMatching(/^skipped .* failed for ada@acme.example$/u),
      expect.stringMatching(/^succeeded/u),
    ]);
  });

  test("and then everybody in the same words is not asked for person by person without end", async () => {
    const refuse = (call: ServiceCall) =>
      call.route === "add-members" ? { failure: aFailure("not-found", "no such team") } : undefined;
    const { told, asked } = await outcomesOf(joining("ada", "bo", "cy", "di", "ed"), { before: refuse });
    expect(asked.map(([first, ...others]) => [first, others.length])).toEqual([
      ["u-ada", 4],
      ...["ada", "bo", "cy"].flatMap((name) => [
        [`${name}@acme.example`, 0],
        [`u-${name}`, 0],
      ]),
    ]);
    expect(told).toEqual(["ad", "bo", "cy", "di", "ed"].map((name) => `${name} not-found`));
  });

  test("who is the only one has failed, or is a member by now", async () => {
    const refuse = (call: ServiceCall) =>
      call.route === "add-members" ? { failure: aFailure("conflict", "no") } : undefined;
    const { outcome, asked } = await outcomesOf(joining("ada"), { before: refuse });
    expect({ outcome, asked }).toMatchObject({ outcome: { is: "failed" }, asked: [["u-ada"]] });
    const member = joining("ada");
    if (member.users[0] !== undefined) giveTeamKey(member.world, member.users[0], "t-ops", []);
    expect((await outcomesOf(member)).told).toEqual(["ad added"]);
  });

  test("stops where it is not known whether one was added, who alone stays open", async () => {
    const wish = joining("ada", "bo", "cy");
    const [ada] = wish.users;
    if (ada !== undefined) giveTeamKey(wish.world, ada, "t-ops", []);
    const lostForBo: SimulationOptions["before"] = (call) =>
      call.route === "add-members" && call.identifiers[0] === "u-bo"
        ? { outcome: "unknown", failure: aFailure("unreachable", "lost") }
        : undefined;
    const { outcome, asked, session } = await outcomesOf(wish, { before: lostForBo }, "learned");
    expect(asked).toEqual([["u-ada", "u-bo", "u-cy"], ["u-bo"]]);
    expect(outcome?.is).toBe("unknown");
    expect(session.saved().open).toMatchObject([{ intent: { addresses: ["bo@acme.example"] } }]);
  });

  test("and which is killed in between leaves open only whom it asked for last", async () => {
    const wish = joining("ada", "bo", "cy");
    wish.world.users.splice(2, 1);
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({
      world: wish.world,
      before: (call) =>
        call.route === "add-members" && call.identifiers.length === 1 && call.identifiers[0] === emailOf("bo")
          ? new Promise(() => undefined)
          : undefined,
    });
    void applied([wish.action], simulated, { session });
    while (simulated.requests.writes < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(session.saved().open).toMatchObject([{ intent: { addresses: ["bo@acme.example"] } }]);
    expect([...session.saved().memberships.values()].map(({ address }) => address)).toEqual(["ada@acme.example"]);
  });
});

describe("an addition that is answered without naming everybody", () => {
  test("is told by what reading shows, with the keys", async () => {
    const { told, events, clock } = await outcomesOf(joining("ada", "bo"), { hides: ["added-members"] });
    expect(told).toEqual(["ad added", "bo added"]);
    expect(summarizeRun(events).keys.map(({ prefix }) => prefix)).toEqual(["k3", "k4"]);
    expect(clock.waits).toEqual([]);
  });

  test("and which reading does not show in time did not reach them", async () => {
    const wish = joining("ada");
    const simulated = emptyService({ world: wish.world });
    const silent = { ...simulated, addMembers: async () => ({ outcome: "done", value: { members: [] } }) as const };
    const events = await applied([wish.action], silent);
    expect(summarizeRun(events).outcomes.get(wish.action.id)).toEqual({
      is: "failed",
      failure: {
        code: "refused",
        message: "the answer does not name this user, and reads show that they were not added",
      },
    });
  });

  test("counts as done for them where keys are hidden, so that nobody is mailed twice", async () => {
    const { told } = await outcomesOf(joining("ada", "bo"), { hides: ["added-members", "keys"] });
    expect(told).toEqual(["ad added", "bo added"]);
  });

  /** Ada and Bo are sent; the answer names Ada alone, and Bo is added or not. */
  function namingAda(options: Partial<SimulationOptions>, isBoAdded: boolean) {
    const wish = joining("ada", "bo");
    const simulated = emptyService({ world: wish.world, ...options });
    const addMembers: typeof simulated.addMembers = async (team, names, ...rest) => {
      await simulated.addMembers(team, isBoAdded ? names : names.slice(0, 1), ...rest);
      return { outcome: "done", value: { members: [{ identifier: "u-ada" }] } };
    };
    const session = memorySession(emptyState("l"));
    const roles = rolesOfAdded("bo", team, ["DEVELOPER"]);
    const run = () => applied([wish.action, roles], { ...simulated, addMembers }, { session, consistency: "learned" });
    return { wish, session, roles, run };
  }

  test("but names some is told for the others by what reading shows", async () => {
    const { wish, session, run } = namingAda({}, true);
    await run();
    expect([session.saved().open, session.saved().memberships.size]).toEqual([[], 2]);
    expect(wish.users.map(({ keys }) => keys.at(-1)?.roles)).toEqual([expect.anything(), ["DEVELOPER"]]);
  });

  test("but names some did not reach the others where reads show those who are named, and not them", async () => {
    const { wish, run } = namingAda({}, false);
    const outcome = summarizeRun(await run()).outcomes.get(wish.action.id);
    const members =
      outcome?.is === "succeeded" && outcome.learned.kind === "add-members" ? outcome.learned.members : [];
    expect(members.map(({ address, outcome }) => [address, outcome.added])).toEqual([
      ["ada@acme.example", true],
      ["bo@acme.example", false],
    ]);
  });

  test("but names some is unknown for the others where no read tells of them, who alone stay open", async () => {
    const { wish, session, roles, run } = namingAda({ hides: ["keys"] }, true);
    const { outcomes } = summarizeRun(await run());
    expect([outcomes.get(wish.action.id), outcomes.get(roles.id)?.is]).toEqual([
      { is: "unknown", failure: expect.objectContaining({ code: "service-error" }) },
      "skipped",
    ]);
    expect(session.saved().open).toMatchObject([{ intent: { addresses: ["bo@acme.example"] } }]);
    expect([...session.saved().memberships.values()].map(({ address }) => address)).toEqual(["ada@acme.example"]);
  });

  test("but refuses some, and lists nobody as added, is unknown for the others where no read tells of them", async () => {
    const wish = joining("ada", "bo");
    const simulated = emptyService({ world: wish.world, hides: ["keys"] });
    const failure = { code: "not-found", message: "no such user" } as const;
    const members = [{ identifier: "u-ada", failure }];
    const addMembers = async () => ({ outcome: "done", value: { members, listsAdded: true } }) as const;
    const session = memorySession(emptyState("l"));
    const events = await applied([wish.action], { ...simulated, addMembers }, { session, consistency: "learned" });
    const message = "The answer names other users, and not bo@acme.example";
    expect(summarizeRun(events).outcomes.get(wish.action.id)).toMatchObject({ is: "unknown", failure: { message } });
    expect(session.saved().open).toMatchObject([{ intent: { addresses: ["bo@acme.example"] } }]);
    expect(session.saved().memberships.size).toBe(0);
  });

  test("but names somebody who is not known by that name counts as done for the others, whoever reads show beside them", async () => {
    const wish = joining("ada", "bo");
    const simulated = emptyService({ world: wish.world });
    const members = [{ identifier: "u-ada" }, { identifier: "4711" }];
    const addMembers: typeof simulated.addMembers = async (team, names, ...rest) => {
      // No read of this run shows Bo's key.
      await simulated.addMembers(team, names.slice(0, 1), ...rest);
      return { outcome: "done", value: { members } };
    };
    const session = memorySession(emptyState("l"));
    const events = await applied([wish.action], { ...simulated, addMembers }, { session, consistency: "learned" });
    const outcome = summarizeRun(events).outcomes.get(wish.action.id);
    expect(outcome).toMatchObject({
      is: "succeeded",
      learned: { members: [{ outcome: { added: true } }, { outcome: { added: true } }] },
    });
  });
});
