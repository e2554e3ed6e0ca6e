import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import { emptyState } from "../../../src/model/state.ts";
import { scheduleOf } from "../../../src/run/run.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  aReplacement,
  createId,
  newPerson,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  teamRef,
} from "../../support/action-builders.ts";
import { applied, emptyService, eventLines, running, runPlan, type Scene } from "../../support/apply-run.ts";
import { memorySession } from "../../support/memory-session.ts";
import { size } from "../../support/property-runs.ts";
import { addressOf } from "../../support/roster-builders.ts";
import {
  adaFoundsScience,
  addition,
  boRoles,
  everything,
  firstMemberRoles,
  science,
  teamCreation,
} from "../../support/science-plan.ts";
import { aFailure, on, tooManyCalls } from "../../support/simulated-service.ts";
import { aWorldOf, worldUser } from "../../support/simulated-world.ts";

const bo = createId("bo");
const oneByOne: Scene = { parallelism: 1 };
/** A call takes a turn of the loop. */
const oneTurn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));

describe("a run in which all goes well", () => {
  test("tells each action's intent and outcome with the keys that it taught, then what reading shows, then its end", async () => {
    const { lines, events } = await runPlan(everything, oneByOne);
    expect(lines).toEqual([
      "run-started",
      ...[teamCreation, firstMemberRoles, bo, rolesId("bo"), addition, boRoles].flatMap((action) => [
        `intended ${action}`,
        `succeeded ${action}`,
      ]),
      "access-seen",
      "key-read k3 as DEVELOPER",
      "key-read k5 as ",
      "key-read k6 as DEVELOPER",
      "verified converged",
      "finished completed",
    ]);
    expect(summarizeRun(events).keys).toMatchObject([
      { prefix: "k3", address: addressOf("ada"), team: "acc-1/science" },
      { prefix: "k5", address: addressOf("bo") },
      { prefix: "k6", address: addressOf("bo"), team: "acc-1/science" },
    ]);
  });

  test("sends one call for each action and one search to check them all", async () => {
    const { simulated, calls, mails } = await runPlan(everything);
    expect([simulated.refusals, simulated.requests, mails]).toEqual([[], { reads: 1, writes: 6 }, ["bo"]]);
    expect([...calls].sort()).toEqual([
      "add u4 to t2",
      "create ada with Science",
      "create bo",
      "search ada bo",
      "set k3 to DEVELOPER",
      "set k5 to ",
      "set k6 to DEVELOPER",
    ]);
  });

  test("names people by what the answers have shown, and leaves out an administrator who is the first member", async () => {
    const withTeam = aCreation("bo", { createsTeam: "Ops", admin: newPerson("ada"), after: [createId("ada")] });
    const actions = [adaFoundsScience, withTeam, anAddition(newTeam("Ops", "bo"), [newPerson("ada")])];
    const { simulated } = await runPlan(actions);
    expect(simulated.calls.filter(({ route }) => route !== "search-users")).toEqual([
      expect.objectContaining({ team: { name: "Science", accessKeyRoles: ["DEVELOPER"] } }),
      expect.objectContaining({ team: { name: "Ops", accessKeyRoles: ["TEAM_ROLE"], adminUserIdentifier: "u1" } }),
      { route: "add-members", team: "t5", identifiers: ["u1"] },
    ]);
  });

  test("names people by address where the service shows no identifiers", async () => {
    expect((await runPlan(everything, { hides: ["user-identifiers"] })).sent).toContain("add bo to t2");
  });

  test("reads and writes nothing where there is nothing to do", async () => {
    const { lines, calls } = await runPlan([]);
    expect([lines, calls]).toEqual([["run-started", "finished completed"], []]);
  });

  test("replaces roles that the answer has shown to be others, or has not shown, and no exact ones", async () => {
    const { id, ...roles } = rolesOfFirstMember("ada", science, ["DEVELOPER"], { ifInexact: true });
    const told = async (scene: Scene) => {
      const run = await runPlan([adaFoundsScience, { id, ...roles }], scene);
      return [run.about(id), run.sent.length, run.events.find(({ type }) => type === "unneeded")];
    };
    for (const scene of [{}, { hides: ["created-key"] } as const])
      expect(await told(scene)).toEqual(["intended, succeeded", 2, undefined]);
    const shown = { prefix: "k3", roles: ["DEVELOPER"] };
    const unneeded = "unneeded: the key already has exactly these roles";
    expect(await told({ grantedAtCreation: [] })).toEqual([unneeded, 1, expect.objectContaining({ shown })]);
  });
});

describe("the order of things", () => {
  test("what was told is what was made durable", async () => {
    const session = memorySession(emptyState("l"));
    expect(await applied(everything, emptyService(), { session })).toEqual(session.durable);
  });

  test("an action does not wait for others that it does not depend on", async () => {
    let letSlowEnd: () => void = () => undefined;
    const slow = new Promise<undefined>((resolve) => {
      letSlowEnd = () => resolve(undefined);
    });
    const before: Scene["before"] = (call) =>
      call.route === "create-user" && call.user.email.startsWith("slow") ? slow : undefined;
    const seen: string[] = [];
    for await (const event of running([aCreation("slow"), ...everything], emptyService({ before }))) {
      seen.push(...eventLines([event]));
      if (seen.includes(`succeeded ${boRoles}`)) letSlowEnd();
    }
    expect(seen.indexOf(`succeeded ${boRoles}`)).toBeLessThan(seen.indexOf(`succeeded ${createId("slow")}`));
  });

  test("what waits for nothing starts in the order of the plan, and what completes something begun comes first", async () => {
    const { sent } = await runPlan([...everything, aCreation("cy"), aCreation("dee")], oneByOne);
    expect([sent[0], ...sent.slice(-2)]).toEqual(["create ada with Science", "create cy", "create dee"]);
  });

  test("few calls are under way at first, more while the service keeps up, never more than allowed", async () => {
    let underWay = 0;
    const widths: number[] = [];
    const before = async () => {
      underWay += 1;
      widths.push(underWay);
      return oneTurn();
    };
    const after = () => {
      underWay -= 1;
      return undefined;
    };
    const people = Array.from({ length: 60 }, (_, index) => aCreation(`p${index}`));
    await runPlan(people, { before, after, parallelism: 5 });
    expect(widths.slice(0, 2)).toEqual([1, 2]);
    expect(Math.max(...widths.slice(0, 3))).toBeLessThanOrEqual(3);
    expect(Math.max(...widths)).toBe(5);
  });
});

describe("a plan that is long", () => {
  test("has a chain of skips that is followed without deep recursion", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      aCreation(`p${index}`, { after: index === 0 ? [] : [createId(`p${index - 1}`)] }),
    );
    const schedule = scheduleOf(aPlan(chain));
    const [first] = schedule.begin().ready;
    if (first === undefined) throw new Error("nothing is ready");
    expect(schedule.end(first, { is: "not-done" }).skipped).toHaveLength(19_999);
  });

  test("takes work that grows with the dependencies, not with their square", () => {
    const names = Array.from({ length: size(40_000) }, (_, index) => `p${index}`);
    const [people, team] = [names.map((name) => aCreation(name)), teamRef("Everyone", "t-1")];
    const everyone = anAddition(team, names.map(newPerson));
    const schedule = scheduleOf(aPlan([...people, everyone, ...names.map((name) => rolesOfAdded(name, team, []))]));
    schedule.begin();
    for (const creation of people) schedule.end(creation, { is: "done" });
    expect(schedule.end(everyone, { is: "done" }).ready).toHaveLength(names.length);
  });
});

const refusing = (...names: readonly string[]): Scene => ({
  before: (call) =>
    call.route === "create-user" && names.some((name) => call.user.email.startsWith(`${name}@`))
      ? { failure: aFailure("refused") }
      : undefined,
});

describe("one failure", () => {
  test("takes with it only what depends on it, each naming its cause", async () => {
    const { about, lines } = await runPlan(everything, refusing("bo"));
    expect(about(bo)).toBe("intended, declined: refused, failed: refused");
    for (const action of [addition, boRoles])
      expect(about(action)).toBe(`skipped because of ${bo}: creating bo@acme.example failed`);
    expect(about(firstMemberRoles)).toBe("intended, succeeded");
    expect(lines.slice(-2)).toEqual(["verified converged", "finished completed"]);
  });

  test("of a person shrinks the call for their team, and takes their roles alone", async () => {
    const cy = aCreation("cy", { after: [teamCreation] });
    const actions = [...everything.slice(0, 3), cy, anAddition(science, [newPerson("bo"), newPerson("cy")])];
    const roles = ["bo", "cy"].map((name) => rolesOfAdded(name, science, ["DEVELOPER"]));
    const { about, mails } = await runPlan([...actions, ...roles], refusing("bo"));
    expect([mails, ...roles.map(({ id }) => about(id))]).toEqual([
      ["cy"],
      `skipped because of ${bo}: creating bo@acme.example failed`,
      "intended, succeeded",
    ]);
  });

  test("of a member whom the service will not add skips only what needs their key", async () => {
    const world = aWorldOf({ users: { ada: {}, bo: {} }, teams: { Ops: { members: ["ada"] } } });
    const team = teamRef("Ops", "t-ops");
    const members = ["ada", "bo"].map((name) => person(name, worldUser(world, name).identifier));
    const both = anAddition(team, members);
    const actions = [both, rolesOfAdded("ada", team, []), rolesOfAdded("bo", team, [])];
    const { about, outcome } = await runPlan(actions, { world, refusesMembersAlone: true });
    expect(about(rolesId("ada", "Ops"))).toBe(
      `skipped because of ${both.id}: inviting members to the team Ops failed for ada@acme.example`,
    );
    expect(about(rolesId("bo", "Ops"))).toBe("intended, succeeded");
    const ends = [{ outcome: { added: false, failure: { code: "conflict" } } }, { outcome: { added: true } }];
    expect(outcome(both.id)).toMatchObject({ is: "succeeded", learned: { members: ends } });
  });

  test("with an unknown outcome that reading cannot settle is not sent again, and what depends on it waits for the next run", async () => {
    const { about, lines, sent, open } = await runPlan(everything, {
      after: on("create-user", { failure: aFailure("unreachable") }),
      before: on("search-users", { failure: aFailure("service-error") }),
    });
    expect(about()).toBe("intended, unknown-outcome: unreachable");
    expect(lines.filter((text) => text.startsWith("skipped"))).toHaveLength(5);
    expect([sent, open]).toEqual([["create ada with Science"], [teamCreation]]);
  });

  test("that says come back later slows the run down", async () => {
    const widths: number[] = [];
    let underWay = 0;
    const before: Scene["before"] = async (call) => {
      underWay += 1;
      widths.push(underWay);
      await oneTurn();
      const throttled = call.route === "create-user" && Number(call.user.email.slice(1, 3)) >= 20;
      if (throttled) underWay -= 1;
      return throttled ? { failure: tooManyCalls } : undefined;
    };
    const after = () => {
      underWay -= 1;
      return undefined;
    };
    const people = Array.from({ length: 50 }, (_, index) => aCreation(`p${index + 10}`));
    await runPlan(people, { before, after, parallelism: 8 });
    expect(Math.max(...widths)).toBe(8);
    expect(Math.max(...widths.slice(-20))).toBe(1);
  });
});

describe("a run that is stopped", () => {
  const refused = { failure: aFailure("unauthorized", "the key is refused") };

  test("by a refused key starts nothing more, and says of the rest that the run was the cause", async () => {
    const { lines } = await runPlan(everything, { before: on("create-user", refused) });
    expect(lines).toEqual([
      "run-started",
      `intended ${teamCreation}`,
      `failed ${teamCreation}: unauthorized`,
      ...everything
        .slice(1)
        .map(({ id }) => expect.stringMatching(new RegExp(`^skipped ${id} because of ${teamCreation}`))),
      "finished stopped: the key is refused",
    ]);
    const others = await runPlan([aCreation("x"), aCreation("y"), aCreation("z")], {
      before: () => refused,
      ...oneByOne,
    });
    expect(others.lines.slice(-3)).toEqual([
      `skipped ${createId("y")} because of the run: the key is refused`,
      `skipped ${createId("z")} because of the run: the key is refused`,
      "finished stopped: the key is refused",
    ]);
  });

  const both = [aCreation("ada"), aCreation("bo")];
  const adaAlone = (end: string, why: string) => [
    "run-started",
    `intended ${teamCreation}`,
    `succeeded ${teamCreation}`,
    `skipped ${bo} because of the run: ${why}`,
    `finished ${end}: ${why}`,
  ];

  test("by a full disk sends no call whose intent is not durable, and still tells what was done", async () => {
    const full = (isFull: (type: string) => boolean): Scene => ({
      ...oneByOne,
      append(events) {
        if (events.some(({ type }) => isFull(type))) throw new Error("the disk is full");
      },
    });
    const { lines, calls, events } = await runPlan(
      both,
      full((type) => type === "succeeded"),
    );
    expect([lines, calls]).toEqual([adaAlone("stopped", "the disk is full"), ["create ada"]]);
    expect(events.at(-1)).toMatchObject({ type: "run-finished", logLost: true });
    expect(
      (
        await runPlan(
          [aCreation("cy")],
          full(() => true),
        )
      ).calls,
    ).toEqual([]);
  });

  test("by an interrupt lets what is under way finish and starts nothing more", async () => {
    const stop = new AbortController();
    const { lines } = await runPlan(both, { ...oneByOne, signal: stop.signal, before: () => void stop.abort() });
    expect(lines).toEqual(adaAlone("interrupted", "the run was interrupted"));
  });

  test("by a reader who goes away finishes what is under way before the reader is let go", async () => {
    const session = memorySession(emptyState("l"));
    const before = () => oneTurn().then(oneTurn).then(oneTurn).then(oneTurn);
    for await (const event of running(both, emptyService({ before }), { session, parallelism: 1 })) {
      if (event.type === "intended") break;
    }
    expect(eventLines(session.durable)).toContain(`succeeded ${teamCreation}`);
    expect(eventLines(session.durable)).not.toContain(`intended ${bo}`);
    expect(applyEvents(emptyState("l"), session.durable).open).toEqual([]);
  });

  test("by a defect of its own tells it to the reader, after what is under way has ended", async () => {
    const broken = { ...emptyService(), replaceRoles: () => Promise.reject(new Error("a defect")) };
    const key = { of: "prefix", prefix: { known: "observed", value: "k-1", by: "search 1" } } as const;
    await expect(applied([aReplacement("p", key, [])], broken)).rejects.toThrow("a defect");
  });
});
