import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import { emptyState } from "../../../src/model/state.ts";
import {
  aCreation,
  anAddition,
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
import { aboutAction, applied, brief, emptyService, last, running } from "../../support/apply-run.ts";
import { memorySession } from "../../support/memory-session.ts";
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
import { aFailure, type SimulationOptions, tooManyCalls } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

describe("a run in which all goes well", () => {
  test("tells each action's intent and outcome with the keys that it taught, then what reading shows, then its end", async () => {
    const events = await applied(everything, emptyService(), { parallelism: 1 });
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${teamCreation}`,
      `succeeded ${teamCreation}`,
      `intended ${firstMemberRoles}`,
      `succeeded ${firstMemberRoles}`,
      `intended ${createId("bo")}`,
      `succeeded ${createId("bo")}`,
      `intended ${rolesId("bo")}`,
      `succeeded ${rolesId("bo")}`,
      `intended ${addition}`,
      `succeeded ${addition}`,
      `intended ${boRoles}`,
      `succeeded ${boRoles}`,
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
    const simulated = emptyService();
    await applied(everything, simulated);
    expect(simulated.refusals).toEqual([]);
    expect(simulated.requests).toEqual({ reads: 1, writes: 6 });
    expect(simulated.outbox).toEqual([{ email: "bo@acme.example", team: "t2" }]);
  });

  test("names people by what the answers have shown, and leaves out an administrator who is the first member", async () => {
    const simulated = emptyService();
    const firstMember = aCreation("bo", { createsTeam: "Ops", admin: newPerson("ada"), after: [createId("ada")] });
    await applied(
      [...everything.slice(0, 1), firstMember, anAddition(newTeam("Ops", "bo"), [newPerson("ada")])],
      simulated,
    );
    expect(simulated.calls.filter(({ route }) => route !== "search-users")).toEqual([
      expect.objectContaining({ team: { name: "Science", accessKeyRoles: ["DEVELOPER"] } }),
      expect.objectContaining({ team: { name: "Ops", accessKeyRoles: ["TEAM_ROLE"], adminUserIdentifier: "u1" } }),
      { route: "add-members", team: "t5", identifiers: ["u1"] },
    ]);
  });

  test("names people by address where the service shows no identifiers", async () => {
    const simulated = emptyService({ hides: ["user-identifiers"] });
    await applied(everything, simulated);
    expect(simulated.calls).toContainEqual({ route: "add-members", team: "t2", identifiers: ["bo@acme.example"] });
  });

  test("reads and writes nothing where there is nothing to do", async () => {
    const simulated = emptyService();
    expect(brief(await applied([], simulated))).toEqual(["run-started", "finished completed"]);
    expect(simulated.requests).toEqual({ reads: 0, writes: 0 });
  });

  test("does not replace roles that the answer has shown to be exact", async () => {
    const simulated = emptyService({ grantedAtCreation: [] });
    const firstMember = rolesOfFirstMember("ada", science, ["DEVELOPER"], { ifInexact: true });
    const events = await applied([adaFoundsScience, firstMember], simulated);
    expect(aboutAction(events, firstMember.id)).toEqual([
      `unneeded ${firstMember.id}: the key already has exactly these roles`,
    ]);
    expect(simulated.requests.writes).toBe(1);
    const [key] = simulated.world.users[0]?.keys ?? [];
    const shown = { prefix: key?.prefix, roles: ["DEVELOPER"] };
    expect(events.find(({ type }) => type === "unneeded")).toMatchObject({ shown });
  });

  test("replaces roles that the answer has shown to be others, or has not shown", async () => {
    const firstMember = rolesOfFirstMember("ada", science, ["DEVELOPER"], { ifInexact: true });
    for (const options of [{}, { hides: ["created-key"] } as const]) {
      const events = await applied([adaFoundsScience, firstMember], emptyService(options));
      expect(aboutAction(events, firstMember.id)).toContain(`succeeded ${firstMember.id}`);
    }
  });
});

describe("the order of things", () => {
  test("every intent is durable before its call is sent, and every outcome before it is told", async () => {
    const trace: string[] = [];
    const session = memorySession(emptyState("l"), (events) => {
      trace.push(...brief(events).map((text) => `durable ${text}`));
    });
    const simulated = emptyService({
      before: (call) => {
        if (call.route === "create-user") trace.push(`call ${createId(call.user.email)}`);
        return undefined;
      },
    });
    for await (const event of running([aCreation("ada")], simulated, { session })) trace.push(`told ${brief([event])}`);
    const happened = trace.filter((text) => !text.startsWith("told")).slice(1, 4);
    expect(happened).toEqual([
      `durable intended ${teamCreation}`,
      `call ${teamCreation}`,
      `durable succeeded ${teamCreation}`,
    ]);
    const told = trace.flatMap((text) => (text.startsWith("told ") ? [text.slice("told ".length)] : []));
    for (const text of told) expect(trace.indexOf(`durable ${text}`)).toBeLessThan(trace.indexOf(`told ${text}`));
    expect(told).toHaveLength(6);
  });

  test("what was told is what was made durable", async () => {
    const session = memorySession(emptyState("l"));
    expect(await applied(everything, emptyService(), { session })).toEqual(session.durable);
  });

  test("an action does not wait for others that it does not depend on", async () => {
    let letSlowEnd: () => void = () => undefined;
    const slow = new Promise<undefined>((resolve) => {
      letSlowEnd = () => resolve(undefined);
    });
    const simulated = emptyService({
      before: (call) => (call.route === "create-user" && call.user.email.startsWith("slow") ? slow : undefined),
    });
    const seen: string[] = [];
    for await (const event of running([aCreation("slow"), ...everything], simulated)) {
      seen.push(...brief([event]));
      if (seen.includes(`succeeded ${boRoles}`)) letSlowEnd();
    }
    expect(seen.indexOf(`succeeded ${boRoles}`)).toBeLessThan(seen.indexOf(`succeeded ${createId("slow")}`));
  });

  test("what completes something begun comes before new creations", async () => {
    const events = await applied([...everything, aCreation("cy"), aCreation("dee")], emptyService(), {
      parallelism: 1,
    });
    const order = brief(events).filter((text) => text.startsWith("intended"));
    expect(order.at(0)).toBe(`intended ${teamCreation}`);
    expect(order.slice(-2)).toEqual([`intended ${createId("cy")}`, `intended ${createId("dee")}`]);
  });

  test("few calls are under way at first, more while the service keeps up, never more than allowed", async () => {
    let [underWay, most] = [0, 0];
    const widths: number[] = [];
    const simulated = emptyService({
      before: async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        widths.push(underWay);
        await new Promise((resolve) => setImmediate(resolve));
        return undefined;
      },
      after: () => {
        underWay -= 1;
        return undefined;
      },
    });
    await applied(
      Array.from({ length: 60 }, (_, index) => aCreation(`p${index}`)),
      simulated,
      { parallelism: 5 },
    );
    expect(widths.slice(0, 2)).toEqual([1, 2]);
    expect(Math.max(...widths.slice(0, 3))).toBeLessThanOrEqual(3);
    expect(most).toBe(5);
  });
});

describe("one failure", () => {
  const refuseBo: Partial<SimulationOptions> = {
    before: (call) =>
      call.route === "create-user" && call.user.email.startsWith("bo") ? { failure: aFailure("refused") } : undefined,
  };

  test("takes with it only what depends on it, each naming its cause", async () => {
    const events = await applied(everything, emptyService(refuseBo));
    expect(aboutAction(events, createId("bo"))).toEqual([
      `intended ${createId("bo")}`,
      `declined ${createId("bo")}: refused`,
      `failed ${createId("bo")}: refused`,
    ]);
    const because = `because of ${createId("bo")}: creating bo@acme.example failed`;
    expect(aboutAction(events, addition)).toEqual([`skipped ${addition} ${because}`]);
    expect(aboutAction(events, boRoles)).toEqual([`skipped ${boRoles} ${because}`]);
    expect(aboutAction(events, firstMemberRoles)).toContain(`succeeded ${firstMemberRoles}`);
    expect(last(events, 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("of a person shrinks the call for their team", async () => {
    const simulated = emptyService(refuseBo);
    const cy = aCreation("cy", { after: [teamCreation] });
    await applied([...everything.slice(0, 3), cy, anAddition(science, [newPerson("bo"), newPerson("cy")])], simulated);
    expect(simulated.outbox).toEqual([{ email: "cy@acme.example", team: "t2" }]);
  });

  test("of a member whom the service will not add skips only what needs their key", async () => {
    const world = aWorld();
    const [ada, bo] = [putUser(world, { email: "ada@acme.example" }), putUser(world, { email: "bo@acme.example" })];
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const both = anAddition(team, [person("ada", ada.identifier), person("bo", bo.identifier)]);
    const events = await applied(
      [both, rolesOfAdded("ada", team, []), rolesOfAdded("bo", team, [])],
      emptyService({ world, refusesMembersAlone: true }),
    );
    expect(aboutAction(events, rolesId("ada", "Ops"))).toEqual([
      `skipped ${rolesId("ada", "Ops")} because of ${both.id}: adding members to the team Ops failed for ` +
        "ada@acme.example",
    ]);
    expect(aboutAction(events, rolesId("bo", "Ops"))).toContain(`succeeded ${rolesId("bo", "Ops")}`);
    const outcome = events.find((event) => event.type === "succeeded" && event.action === both.id);
    expect(outcome).toMatchObject({
      learned: {
        members: [{ outcome: { added: false, failure: { code: "conflict" } } }, { outcome: { added: true } }],
      },
    });
  });

  test("with an unknown outcome that reading cannot settle is not sent again, and what depends on it waits for the next run", async () => {
    const simulated = emptyService({
      after: (call) => (call.route === "create-user" ? { failure: aFailure("unreachable") } : undefined),
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    const session = memorySession(emptyState("l"));
    const events = await applied(everything, simulated, { session });
    expect(brief(events).slice(1, 3)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: unreachable`,
    ]);
    expect(brief(events).filter((text) => text.startsWith("skipped"))).toHaveLength(5);
    expect(simulated.requests.writes).toBe(1);
    expect(session.saved().open).toMatchObject([{ run: "r1", action: teamCreation }]);
  });

  test("that says come back later slows the run down", async () => {
    const widths: number[] = [];
    let underWay = 0;
    const simulated = emptyService({
      before: async (call) => {
        underWay += 1;
        widths.push(underWay);
        await new Promise((resolve) => setImmediate(resolve));
        const throttled = call.route === "create-user" && Number(call.user.email.slice(1, 3)) >= 20;
        if (throttled) underWay -= 1;
        return throttled ? { failure: tooManyCalls } : undefined;
      },
      after: () => {
        underWay -= 1;
        return undefined;
      },
    });
    const people = Array.from({ length: 50 }, (_, index) => aCreation(`p${index + 10}`));
    await applied(people, simulated, { parallelism: 8 });
    expect(Math.max(...widths)).toBe(8);
    expect(Math.max(...widths.slice(-20))).toBe(1);
  });
});

describe("a run that is stopped", () => {
  test("by a refused key starts nothing more, and says of the rest that the run was the cause", async () => {
    const simulated = emptyService({
      before: (call) =>
        call.route === "create-user" ? { failure: aFailure("unauthorized", "the key is refused") } : undefined,
    });
    const events = await applied(everything, simulated);
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${teamCreation}`,
      `failed ${teamCreation}: unauthorized`,
      ...everything
        .slice(1)
        .map(({ id }) => expect.stringMatching(new RegExp(`^skipped ${id} because of ${teamCreation}`))),
      "finished stopped: the key is refused",
    ]);
    const two = await applied(
      [aCreation("x"), aCreation("y"), aCreation("z")],
      emptyService({
        before: () => ({ failure: aFailure("unauthorized", "the key is refused") }),
      }),
      { parallelism: 1 },
    );
    expect(brief(two).slice(-3)).toEqual([
      `skipped ${createId("y")} because of the run: the key is refused`,
      `skipped ${createId("z")} because of the run: the key is refused`,
      "finished stopped: the key is refused",
    ]);
  });

  test("by a full disk sends no call whose intent is not durable, and still tells what was done", async () => {
    const session = memorySession(emptyState("l"), (events) => {
      if (events.some((event) => event.type === "succeeded")) throw new Error("the disk is full");
    });
    const simulated = emptyService();
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { session, parallelism: 1 });
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${teamCreation}`,
      `succeeded ${teamCreation}`,
      `skipped ${createId("bo")} because of the run: the disk is full`,
      "finished stopped: the disk is full",
    ]);
    expect(simulated.requests).toEqual({ reads: 0, writes: 1 });
    const never = memorySession(emptyState("l"), () => {
      throw new Error("the disk is full");
    });
    await applied([aCreation("cy")], simulated, { session: never });
    expect(simulated.requests.writes).toBe(1);
  });

  test("by an interrupt lets what is under way finish and starts nothing more", async () => {
    const stop = new AbortController();
    const simulated = emptyService({
      before: () => {
        stop.abort();
        return undefined;
      },
    });
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, {
      signal: stop.signal,
      parallelism: 1,
    });
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${teamCreation}`,
      `succeeded ${teamCreation}`,
      `skipped ${createId("bo")} because of the run: the run was interrupted`,
      "finished interrupted: the run was interrupted",
    ]);
  });

  /** A call takes a turn of the loop. */
  const oneTurn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));

  test("by a reader who goes away finishes what is under way before the reader is let go", async () => {
    const session = memorySession(emptyState("l"));
    for await (const event of running([aCreation("ada"), aCreation("bo")], emptyService({ before: oneTurn }), {
      session,
      parallelism: 1,
    })) {
      if (event.type === "intended") break;
    }
    expect(brief(session.durable)).toContain(`succeeded ${teamCreation}`);
    expect(brief(session.durable)).not.toContain(`intended ${createId("bo")}`);
    expect(applyEvents(emptyState("l"), session.durable).open).toEqual([]);
  });

  test("by a defect of its own tells it to the reader, after what is under way has ended", async () => {
    const broken = { ...emptyService(), replaceRoles: () => Promise.reject(new Error("a defect")) };
    const key = { of: "prefix", prefix: { known: "observed", value: "k-1", by: "search 1" } } as const;
    await expect(applied([aReplacement("p", key, [])], broken)).rejects.toThrow("a defect");
  });
});
