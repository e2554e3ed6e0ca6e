import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import {
  aCreation,
  anAddition,
  createId,
  newPerson,
  newTeam,
  rolesId,
  rolesOfFounder,
} from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService, running } from "../../support/apply-run.ts";
import { memorySession } from "../../support/memory-session.ts";
import {
  adaFoundsScience,
  addition,
  boRoles,
  everything,
  founderRoles,
  founding,
  science,
} from "../../support/science-plan.ts";

describe("a run in which all goes well", () => {
  test("tells each action's intent, outcome and what it taught, then what reading shows, then its end", async () => {
    expect(brief(await applied(everything, emptyService(), { parallelism: 1 }))).toEqual([
      "run-started",
      `intended ${founding}`,
      `succeeded ${founding}`,
      "key-learned k3 of ada@acme.example in acc-1/science",
      "team-identified acc-1/science as t2",
      `intended ${founderRoles}`,
      `succeeded ${founderRoles}`,
      `intended ${createId("bo")}`,
      `succeeded ${createId("bo")}`,
      "key-learned k5 of bo@acme.example",
      `intended ${rolesId("bo")}`,
      `succeeded ${rolesId("bo")}`,
      `intended ${addition}`,
      `succeeded ${addition}`,
      "key-learned k6 of bo@acme.example in acc-1/science",
      `intended ${boRoles}`,
      `succeeded ${boRoles}`,
      "key-read k3 as DEVELOPER",
      "key-read k5 as ",
      "key-read k6 as DEVELOPER",
      "verified converged",
      "finished completed",
    ]);
  });

  test("sends one call for each action and one search to check them all", async () => {
    const simulated = emptyService();
    await applied(everything, simulated);
    expect(simulated.refusals).toEqual([]);
    expect(simulated.requests).toEqual({ reads: 1, writes: 6 });
    expect(simulated.outbox).toEqual([{ email: "bo@acme.example", team: "t2" }]);
  });

  test("names people by what the answers have shown, and leaves out an administrator who is the founder", async () => {
    const simulated = emptyService();
    const founder = aCreation("bo", { founds: "Ops", admin: newPerson("ada"), after: [createId("ada")] });
    await applied(
      [...everything.slice(0, 1), founder, anAddition(newTeam("Ops", "bo"), [newPerson("ada")])],
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
    const founder = rolesOfFounder("ada", science, ["DEVELOPER"], { unlessExact: true });
    const events = await applied([adaFoundsScience, founder], simulated);
    expect(aboutAction(events, founder.id)).toEqual([
      `unneeded ${founder.id}: the key was shown with exactly these roles`,
    ]);
    expect(simulated.requests.writes).toBe(1);
    const [key] = simulated.world.users[0]?.keys ?? [];
    const shown = { prefix: key?.prefix, roles: ["DEVELOPER"] };
    expect(events.find(({ type }) => type === "unneeded")).toMatchObject({ shown });
  });

  test("replaces roles that the answer has shown to be others, or has not shown", async () => {
    const founder = rolesOfFounder("ada", science, ["DEVELOPER"], { unlessExact: true });
    for (const options of [{}, { hides: ["created-key"] } as const]) {
      const events = await applied([adaFoundsScience, founder], emptyService(options));
      expect(aboutAction(events, founder.id)).toContain(`succeeded ${founder.id}`);
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
    const happened = trace.filter((text) => !text.startsWith("told")).slice(1, 5);
    expect(happened).toEqual([
      `durable intended ${founding}`,
      `call ${founding}`,
      `durable succeeded ${founding}`,
      "durable key-learned k2 of ada@acme.example",
    ]);
    const told = trace.flatMap((text) => (text.startsWith("told ") ? [text.slice("told ".length)] : []));
    for (const text of told) expect(trace.indexOf(`durable ${text}`)).toBeLessThan(trace.indexOf(`told ${text}`));
    expect(told).toHaveLength(7);
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
    expect(order.at(0)).toBe(`intended ${founding}`);
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
