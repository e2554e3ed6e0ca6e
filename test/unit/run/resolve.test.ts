import { describe, expect, test, vi } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import { problem, success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { UserReader } from "../../../src/ports/account-service.ts";
import { aCreation, anAddition, newPerson, person, rolesOfOwnKey, teamRef } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { birthsIn, laggingReads } from "../../support/lagging-reads.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure, type ServiceCall, type SimulationOptions } from "../../support/simulated-service.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../support/simulated-world.ts";

const lost = { outcome: "unknown", failure: aFailure("unreachable", "the answer was lost") } as const;
const onWrites = (told: typeof lost) => (call: ServiceCall) =>
  call.route === "create-user" || call.route === "add-members" ? told : undefined;

/** A service that shows people and keys only so long after they came to be. */
function slowToShow(lag: number, options: Partial<SimulationOptions>) {
  const clock = clockAt(noon);
  const world = options.world ?? aWorld();
  const births = birthsIn(world, clock, lag);
  const simulated = emptyService({
    ...options,
    world,
    after: async (call) => {
      births.note();
      return options.after?.(call);
    },
  });
  return { clock, simulated, service: laggingReads(simulated, births) };
}

describe("a creation whose answer was lost", () => {
  test("and which reading shows is taken for done, with what it gave, and never sent again", async () => {
    const { clock, simulated, service } = slowToShow(3000, { after: onWrites(lost) });
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], service, { clock, session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: unreachable`,
      `resolved ${teamCreation}`,
    ]);
    expect(summarizeRun(events).keys).toMatchObject([{ prefix: "k2", address: addressOf("ada") }]);
    expect(summarizeRun(events).outcomes.get(teamCreation)).toMatchObject({ is: "succeeded" });
    expect(simulated.world.users[0]?.keys[0]?.roles).toEqual(["DEVELOPER"]);
    expect(simulated.calls.filter(({ route }) => route === "create-user")).toHaveLength(1);
    expect(session.saved().open).toEqual([]);
    expect(session.saved().users.get(addressOf("ada"))).toMatchObject({ identifier: "u1", key: "k2" });
  });

  test("and which no read shows once the settling time is over was not done, and has failed", async () => {
    const clock = clockAt(noon);
    const simulated = emptyService({ before: onWrites(lost) });
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], simulated, { clock, session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: unreachable`,
      `resolved ${teamCreation}`,
      `failed ${teamCreation}: unreachable`,
    ]);
    expect(clock.waits).toEqual([500, 1000, 2000, 2000]);
    expect(events.find(({ type }) => type === "waiting")).toMatchObject({
      why: "the answer was lost, and reads do not show the outcome yet",
    });
    expect(session.saved().open).toEqual([]);
    expect(simulated.requests.writes).toBe(1);
  });

  test("and whose absence no read proves stays unknown", async () => {
    const unproven = { proven: false, why: "cut off" } as const;
    const people: UserReader = {
      read: async () => success({ users: [], absences: new Map([[addressOf("ada"), unproven]]) }),
    };
    const session = memorySession(emptyState("l"));
    const clock = clockAt(noon);
    const events = await applied([aCreation("ada")], emptyService({ before: onWrites(lost) }), {
      people,
      session,
      clock,
    });
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`unknown-outcome ${teamCreation}: unreachable`);
    expect(clock.waits.reduce((sum, wait) => sum + wait, 0)).toBe(30_000);
    expect(session.saved().open).toMatchObject([{ action: teamCreation }]);
  });

  test("and which the service took for later is asked for as often as it says, and stays open for long", async () => {
    const accepted = { ...lost, accepted: { askAfter: 10_000 } };
    const clock = clockAt(noon);
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], emptyService({ before: onWrites(accepted) }), { clock, session });
    expect(clock.waits).toEqual([10_000, 10_000, 10_000]);
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`unknown-outcome ${teamCreation}: unreachable`);
    expect(session.saved().open).toMatchObject([{ action: teamCreation, accepted: true }]);
  });

  test("and which no read shows stays unknown where the service is known to take calls for later", async () => {
    const session = memorySession({ ...emptyState("l"), queues: { at: noon } });
    const simulated = emptyService({ before: onWrites(lost) });
    const events = await applied([aCreation("ada")], simulated, { clock: clockAt(noon), session });
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`unknown-outcome ${teamCreation}: unreachable`);
    expect(session.saved().open).toMatchObject([{ action: teamCreation }]);
  });

  test("is not waited for once the run is interrupted", async () => {
    const stop = new AbortController();
    const clock = clockAt(noon);
    const simulated = emptyService({
      before: (call) => {
        stop.abort();
        return onWrites(lost)(call);
      },
    });
    const events = await applied([aCreation("ada")], simulated, { clock, signal: stop.signal });
    expect(clock.waits).toEqual([]);
    expect(brief(events).slice(2)).toEqual([
      `unknown-outcome ${teamCreation}: unreachable`,
      "finished interrupted: the run was interrupted",
    ]);
  });
});

describe("a creation that the service refuses because somebody is there", () => {
  /** ada comes to be there just before the call, as another program would have made her. */
  const adaIsThere = (refusal?: Parameters<typeof aFailure>): Partial<SimulationOptions> => {
    const world = aWorld();
    return {
      world,
      before(call) {
        if (call.route !== "create-user") return undefined;
        putUser(world, { email: "ada@acme.example" });
        return refusal === undefined ? undefined : { failure: aFailure(...refusal) };
      },
    };
  };

  test.each([
    ["409", undefined],
    ["400", ["refused", "a user with this e-mail exists"]],
  ] as const)("takes the person over as they are: %s", async (_, refusal) => {
    const simulated = emptyService(adaIsThere(refusal as Parameters<typeof aFailure> | undefined));
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], simulated, { session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `declined ${teamCreation}: ${refusal?.[0] ?? "conflict"}`,
      `succeeded ${teamCreation}`,
    ]);
    expect(brief(events)).toContain("found user-adopted for user ada@acme.example");
    expect(summarizeRun(events).outcomes.get(teamCreation)).toMatchObject({ learned: { was: "there-before" } });
    const record = session.saved().users.get(addressOf("ada"));
    expect(record).toMatchObject({ identifier: "u1", seenAt: noon });
    expect(record).not.toHaveProperty("createdAt");
    expect(simulated.requests.writes).toBe(1);
  });

  test("is durable as such before anybody is looked up, so that a run that dies there has met them", async () => {
    const simulated = emptyService(adaIsThere());
    const died = new Promise<never>(() => undefined);
    const dying = { ...simulated, searchUsers: () => died };
    const session = memorySession(emptyState("l"));
    void applied([aCreation("ada")], dying, { session });
    await vi.waitFor(() => expect(session.durable.at(-1)?.type).toBe("declined"), 20_000);
    expect(session.saved().open.map(({ declined }) => declined?.code)).toEqual(["conflict"]);
  });

  test("and answers with them as with a success: they are taken over likewise", async () => {
    const simulated = emptyService();
    const answering = {
      ...simulated,
      createUser: async () => {
        const user = putUser(simulated.world, { email: "ada@acme.example" });
        const value = { identifier: user.identifier, age: 3_600_000, profile: {} } as const;
        return { outcome: "done", value } as const;
      },
    };
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], answering, { session });
    expect(brief(events)).toContain("found user-adopted for user ada@acme.example");
    expect(session.saved().users.get(addressOf("ada"))).not.toHaveProperty("createdAt");
    expect(summarizeRun(events).keys).toMatchObject([{ prefix: "k2" }]);
  });

  test("creates no team with them", async () => {
    const events = await applied([aCreation("ada", { createsTeam: "Science" })], emptyService(adaIsThere()));
    const failed = events.find((event) => event.type === "failed");
    expect(failed).toMatchObject({
      failure: {
        code: "conflict",
        message: expect.stringContaining("so roster cannot create the team Science with them"),
      },
    });
  });

  test("although it has just made them, with their team: then it was done", async () => {
    const simulated = emptyService({
      after: (call) =>
        call.route === "create-user" ? { outcome: "failed", failure: aFailure("conflict", "exists") } : undefined,
    });
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada", { createsTeam: "Science" })], simulated, { session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `declined ${teamCreation}: conflict`,
      `succeeded ${teamCreation}`,
    ]);
    expect(session.saved().users.get(addressOf("ada"))).toMatchObject({
      createdAt: noon,
      createdTeam: "acc-1/science",
    });
  });

  const thoughCreated: Pick<SimulationOptions, "after"> = {
    after: (call) =>
      call.route === "create-user" ? { outcome: "failed", failure: aFailure("conflict", "exists") } : undefined,
  };

  test("although it has just made them, with a team that shows only after seconds: then it was done", async () => {
    const { clock, service } = slowToShow(4000, thoughCreated);
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada", { createsTeam: "Science" })], service, { clock, session });
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`succeeded ${teamCreation}`);
    expect(session.saved().teams.size).toBe(1);
  });

  test("stays open for the next run where nobody could be looked for", async () => {
    const simulated = emptyService(thoughCreated);
    const blind = { ...simulated, searchUsers: async () => problem(aFailure("service-error", "later")) };
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada", { createsTeam: "Science" })], blind, {
      session,
      clock: clockAt(noon),
    });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `declined ${teamCreation}: conflict`,
      `unknown-outcome ${teamCreation}: conflict`,
    ]);
    expect(session.saved().open.map(({ declined }) => declined?.code)).toEqual(["conflict"]);
  });

  test("has failed with the service's words where reading shows nobody, or a deleted user", async () => {
    const refusing = emptyService({
      before: (call) =>
        call.route === "create-user" ? { failure: { ...aFailure("conflict"), serviceSays: "email taken" } } : undefined,
    });
    const nobody = (await applied([aCreation("ada")], refusing)).find((event) => event.type === "failed");
    expect(nobody).toMatchObject({
      failure: {
        code: "conflict",
        serviceSays: "email taken",
        hint: expect.stringContaining("show ada@acme.example. A deleted user may"),
      },
    });
    const world = aWorld();
    putUser(world, { email: "ada@acme.example", status: "Deleted" });
    const deleted = await applied([aCreation("ada")], emptyService({ world }));
    expect(deleted.find((event) => event.type === "failed")).toMatchObject({
      failure: { message: expect.stringContaining("as deleted, which blocks the address") },
    });
  });

  test("and whose word is a wrong request has failed at once, with one read", async () => {
    const clock = clockAt(noon);
    const simulated = emptyService({
      before: (call) => (call.route === "create-user" ? { failure: aFailure("refused", "bad title") } : undefined),
    });
    const events = await applied([aCreation("ada")], simulated, { clock });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `declined ${teamCreation}: refused`,
      `failed ${teamCreation}: refused`,
    ]);
    expect({ waits: clock.waits, reads: simulated.requests.reads }).toEqual({ waits: [], reads: 1 });
  });

  test.each([
    ["who is shown in the team is not added again", ["Ops"], undefined, [], true],
    ["who is shown without the team is added", [], undefined, ["ada@acme.example"], true],
    ["whose teams are hidden is not added on a doubt", [], ["keys"] as const, [], false],
  ])("%s", async (_, teams, hides, mails, added) => {
    const world = aWorld();
    const ops = putTeam(world, { name: "Ops", identifier: "t-ops" });
    const simulated = emptyService({
      world,
      ...(hides === undefined ? {} : { hides }),
      before(call) {
        if (call.route !== "create-user") return undefined;
        const ada = putUser(world, { email: "ada@acme.example" });
        if (teams.length > 0) giveTeamKey(world, ada, ops.identifier, []);
        return undefined;
      },
    });
    const joining = anAddition(teamRef("Ops", "t-ops"), [newPerson("ada")]);
    const events = await applied([aCreation("ada"), joining], simulated);
    expect(simulated.outbox.map(({ email }) => email)).toEqual(mails);
    expect(summarizeRun(events).outcomes.get(joining.id)).toMatchObject(
      added ? { is: "succeeded" } : { is: "failed", failure: { code: "stale" } },
    );
  });
});

describe("an addition whose answer was lost", () => {
  function opsWith(...names: readonly string[]) {
    const world = aWorld();
    const people = names.map((name) => putUser(world, { email: emailOf(name) }));
    putTeam(world, { name: "Ops", identifier: "t-ops" });
    const members = people.map((user, index) => person(names[index] ?? "", user.identifier));
    return { world, people, action: anAddition(teamRef("Ops", "t-ops"), members) };
  }

  test("is told person by person by what reading shows, and nobody is mailed twice", async () => {
    const { world, people, action } = opsWith("ada", "bo");
    const [ada] = people;
    const simulated = emptyService({
      world,
      before(call) {
        if (call.route !== "add-members" || ada === undefined) return undefined;
        giveTeamKey(world, ada, "t-ops", []);
        return lost;
      },
    });
    const events = await applied([action], simulated);
    expect(summarizeRun(events).outcomes.get(action.id)).toMatchObject({
      is: "succeeded",
      learned: { members: [{ outcome: { added: true } }, { outcome: { added: false } }] },
    });
    expect(simulated.requests.writes).toBe(1);
  });

  test("of which reading shows nobody in time has failed", async () => {
    const { world, action } = opsWith("ada");
    const events = await applied([action], emptyService({ world, before: onWrites(lost) }));
    expect(aboutAction(events, action.id).slice(1)).toEqual([
      `unknown-outcome ${action.id}: unreachable`,
      `resolved ${action.id}`,
      `failed ${action.id}: unreachable`,
    ]);
  });

  test("and whom no read can tell stays unknown where keys are hidden", async () => {
    const { world, action } = opsWith("ada");
    const session = memorySession(emptyState("l"));
    const hidden = { world, hides: ["keys"], after: onWrites(lost) } as const;
    const events = await applied([action], emptyService(hidden), { session });
    expect(summarizeRun(events).outcomes.get(action.id)).toMatchObject({ is: "unknown" });
    expect(session.saved().open).toMatchObject([{ action: action.id }]);
  });
});
