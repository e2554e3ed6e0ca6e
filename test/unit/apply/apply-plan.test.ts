import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/journal/fold-state.ts";
import type { RunEvent } from "../../../src/model/run-event.ts";
import { emptyState } from "../../../src/model/state.ts";
import {
  aCreation,
  addId,
  anAddition,
  aReplacement,
  createId,
  newPerson,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFounder,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { applied, brief, running } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aFailure, type SimulationOptions, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const science = newTeam("Science", "ada");
const everything = [
  aCreation("ada", { founds: "Science", roles: ["DEVELOPER"] }),
  rolesOfFounder("ada", science, ["DEVELOPER"]),
  aCreation("bo", { after: [createId("ada")] }),
  rolesOfOwnKey("bo", []),
  anAddition(science, [newPerson("bo")]),
  rolesOfAdded("bo", science, ["DEVELOPER"]),
];

const [founding, addition] = [createId("ada"), addId("Science")];
const [founderRoles, boRoles] = [rolesId("ada", "Science"), rolesId("bo", "Science")];

function service(options: Partial<SimulationOptions> = {}) {
  return simulatedService({ world: aWorld(), ...options });
}

function aboutAction(events: readonly RunEvent[], action: string): readonly string[] {
  return brief(events.filter((event) => "action" in event && event.action === action));
}

function last(events: readonly RunEvent[], count: number): readonly string[] {
  return brief(events).slice(-count);
}

describe("a run in which all goes well", () => {
  test("tells each action's intent, outcome and what it taught, then what reading shows, then its end", async () => {
    expect(brief(await applied(everything, service(), { parallelism: 1 }))).toEqual([
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
    const simulated = service();
    await applied(everything, simulated);
    expect(simulated.refusals).toEqual([]);
    expect(simulated.requests).toEqual({ reads: 1, writes: 6 });
    expect(simulated.outbox).toEqual([{ email: "bo@acme.example", team: "t2" }]);
  });

  test("names people by what the answers have shown, and leaves out an administrator who is the founder", async () => {
    const simulated = service();
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
    const simulated = service({ hides: ["user-identifiers"] });
    await applied(everything, simulated);
    expect(simulated.calls).toContainEqual({ route: "add-members", team: "t2", identifiers: ["bo@acme.example"] });
  });

  test("reads and writes nothing where there is nothing to do", async () => {
    const simulated = service();
    expect(brief(await applied([], simulated))).toEqual(["run-started", "finished completed"]);
    expect(simulated.requests).toEqual({ reads: 0, writes: 0 });
  });

  test("does not replace roles that the answer has shown to be exact", async () => {
    const simulated = service({ grantedAtCreation: [] });
    const founder = rolesOfFounder("ada", science, ["DEVELOPER"], { unlessExact: true });
    const events = await applied([everything[0] ?? founder, founder], simulated);
    expect(aboutAction(events, founder.id)).toEqual([
      `unneeded ${founder.id}: the key was shown with exactly these roles`,
    ]);
    expect(simulated.requests.writes).toBe(1);
  });

  test("replaces roles that the answer has shown to be others, or has not shown", async () => {
    const founder = rolesOfFounder("ada", science, ["DEVELOPER"], { unlessExact: true });
    for (const options of [{}, { hides: ["created-key"] } as const]) {
      const events = await applied([everything[0] ?? founder, founder], service(options));
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
    const simulated = service({
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
    expect(told).toHaveLength(6);
  });

  test("what was told is what was made durable", async () => {
    const session = memorySession(emptyState("l"));
    expect(await applied(everything, service(), { session })).toEqual(session.durable);
  });

  test("an action does not wait for others that it does not depend on", async () => {
    let letSlowEnd: () => void = () => undefined;
    const slow = new Promise<undefined>((resolve) => {
      letSlowEnd = () => resolve(undefined);
    });
    const simulated = service({
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
    const events = await applied([...everything, aCreation("cy"), aCreation("dee")], service(), { parallelism: 1 });
    const order = brief(events).filter((text) => text.startsWith("intended"));
    expect(order.at(0)).toBe(`intended ${founding}`);
    expect(order.slice(-2)).toEqual([`intended ${createId("cy")}`, `intended ${createId("dee")}`]);
  });

  test("few calls are under way at first, more while the service keeps up, never more than allowed", async () => {
    let [underWay, most] = [0, 0];
    const widths: number[] = [];
    const simulated = service({
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
    const events = await applied(everything, service(refuseBo));
    expect(aboutAction(events, createId("bo"))).toEqual([
      `intended ${createId("bo")}`,
      `failed ${createId("bo")}: refused`,
    ]);
    const because = `because of ${createId("bo")}: the creation of bo@acme.example did not succeed`;
    expect(aboutAction(events, addition)).toEqual([`skipped ${addition} ${because}`]);
    expect(aboutAction(events, boRoles)).toEqual([`skipped ${boRoles} ${because}`]);
    expect(aboutAction(events, founderRoles)).toContain(`succeeded ${founderRoles}`);
    expect(last(events, 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("of a person shrinks the call for their team", async () => {
    const simulated = service(refuseBo);
    const cy = aCreation("cy", { after: [founding] });
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
      service({ world, refusesMembersAlone: true }),
    );
    expect(aboutAction(events, rolesId("ada", "Ops"))).toEqual([
      `skipped ${rolesId("ada", "Ops")} because of ${both.id}: the addition of members to the team Ops did not succeed for ada@acme.example`,
    ]);
    expect(aboutAction(events, rolesId("bo", "Ops"))).toContain(`succeeded ${rolesId("bo", "Ops")}`);
    const outcome = events.find((event) => event.type === "succeeded" && event.action === both.id);
    expect(outcome).toMatchObject({
      learned: {
        members: [{ outcome: { added: false, failure: { code: "conflict" } } }, { outcome: { added: true } }],
      },
    });
  });

  test("with an unknown outcome is not sent again, and what depends on it waits for the next run", async () => {
    const simulated = service({
      after: (call) => (call.route === "create-user" ? { failure: aFailure("unreachable") } : undefined),
    });
    const session = memorySession(emptyState("l"));
    const events = await applied(everything, simulated, { session });
    expect(brief(events).slice(1, 3)).toEqual([`intended ${founding}`, `unknown-outcome ${founding}: unreachable`]);
    expect(brief(events).filter((text) => text.startsWith("skipped"))).toHaveLength(5);
    expect(simulated.requests).toEqual({ reads: 0, writes: 1 });
    expect(session.saved().open).toMatchObject([{ run: "r1", action: founding }]);
  });

  test("that says come back later slows the run down", async () => {
    const widths: number[] = [];
    let underWay = 0;
    const simulated = service({
      before: async (call) => {
        underWay += 1;
        widths.push(underWay);
        await new Promise((resolve) => setImmediate(resolve));
        const throttled = call.route === "create-user" && Number(call.user.email.slice(1, 3)) >= 20;
        if (throttled) underWay -= 1;
        return throttled ? { failure: aFailure("throttled") } : undefined;
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

describe("what an answer does not show", () => {
  test("is learned by one search: the team's identifier and the keys that later calls need", async () => {
    const simulated = service({ hides: ["created-team", "created-key", "added-keys"] });
    const events = await applied(everything, simulated);
    expect(brief(events).filter((text) => /key-learned|team-identified/.test(text))).toEqual([
      "key-learned k3 of ada@acme.example in acc-1/science",
      "team-identified acc-1/science as t2",
      "key-learned k5 of bo@acme.example",
      "key-learned k6 of bo@acme.example in acc-1/science",
    ]);
    expect(simulated.calls.filter(({ route }) => route === "search-users")).toHaveLength(4);
    expect(last(events, 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("is not searched for where no later call needs it", async () => {
    const simulated = service({ hides: ["created-team", "created-key", "added-keys"] });
    await applied([aCreation("ada", { founds: "Science" }), aCreation("bo")], simulated);
    expect(simulated.requests.reads).toBe(1);
  });

  test("nor a read, is a finding with what to write, and only what needs it is skipped", async () => {
    const simulated = service({ hides: ["team-identifiers", "created-key", "keys"] });
    const events = await applied(everything, simulated);
    expect(brief(events).filter((text) => /found|skipped/.test(text))).toEqual([
      `found key-prefix-unknown for member ada@acme.example of team acc-1/science`,
      `found team-identifier-unknown for team acc-1/science`,
      `skipped ${founderRoles} because of ${founding}: the prefix of the key is not known`,
      `found own-key-unknown for user bo@acme.example`,
      `skipped ${rolesId("bo")} because of ${createId("bo")}: the prefix of the key is not known`,
      `skipped ${addition} because of ${founding}: the identifier of the team Science is not known`,
      `skipped ${boRoles} because of ${founding}: the identifier of the team Science is not known`,
    ]);
    expect(simulated.world.users).toHaveLength(2);
    const finding = events.find((event) => event.type === "found" && event.finding.code === "team-identifier-unknown");
    expect(finding).toMatchObject({
      finding: {
        blocking: true,
        class: "unknown",
        suggestedYaml: 'teams:\n  - name: "Science"\n    identifier: IDENTIFIER\n',
      },
    });
  });

  test("is not asked for again once a search has shown that keys are hidden", async () => {
    const simulated = service({ hides: ["keys", "created-key"] });
    await applied([aCreation("ada"), rolesOfOwnKey("ada", []), aCreation("bo"), rolesOfOwnKey("bo", [])], simulated, {
      parallelism: 1,
    });
    expect(simulated.calls.filter(({ route }) => route === "search-users")).toHaveLength(2);
  });

  test("a moment after the call is looked for a second time", async () => {
    let reads = 0;
    const simulated = service({ hides: ["created-key"] });
    const lagging = {
      ...simulated,
      searchUsers: async (...question: Parameters<typeof simulated.searchUsers>) => {
        reads += 1;
        return reads === 1 ? { ok: true as const, value: [] } : simulated.searchUsers(...question);
      },
    };
    const clock = clockAt(noon);
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], lagging, { clock });
    expect(aboutAction(events, rolesId("ada"))).toContain(`succeeded ${rolesId("ada")}`);
    expect(clock.waits).toEqual([1000]);
  });
});

describe("a run that is stopped", () => {
  test("by a refused key starts nothing more, and says of the rest that the run was the cause", async () => {
    const simulated = service({
      before: (call) =>
        call.route === "create-user" ? { failure: aFailure("unauthorized", "the key is refused") } : undefined,
    });
    const events = await applied(everything, simulated);
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${founding}`,
      `failed ${founding}: unauthorized`,
      ...everything
        .slice(1)
        .map(({ id }) => expect.stringMatching(new RegExp(`^skipped ${id} because of ${founding}`))),
      "finished stopped: the key is refused",
    ]);
    const two = await applied(
      [aCreation("x"), aCreation("y"), aCreation("z")],
      service({
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
    const simulated = service();
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { session, parallelism: 1 });
    expect(brief(events)).toEqual([
      "run-started",
      `intended ${founding}`,
      `succeeded ${founding}`,
      "key-learned k2 of ada@acme.example",
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
    const simulated = service({
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
      `intended ${founding}`,
      `succeeded ${founding}`,
      "key-learned k2 of ada@acme.example",
      `skipped ${createId("bo")} because of the run: the run was interrupted`,
      "finished interrupted: the run was interrupted",
    ]);
  });

  test("by a reader who goes away finishes what is under way before the reader is let go", async () => {
    const session = memorySession(emptyState("l"));
    for await (const event of running([aCreation("ada"), aCreation("bo")], service(), { session, parallelism: 1 })) {
      if (event.type === "intended") break;
    }
    expect(brief(session.durable)).toContain(`succeeded ${founding}`);
    expect(brief(session.durable)).not.toContain(`intended ${createId("bo")}`);
    expect(applyEvents(emptyState("l"), session.durable).open).toEqual([]);
  });

  test("by a defect of its own tells it to the reader, after what is under way has ended", async () => {
    const broken = { ...service(), replaceRoles: () => Promise.reject(new Error("a defect")) };
    const key = { of: "prefix", prefix: { known: "observed", value: "k-1", by: "search 1" } } as const;
    await expect(applied([aReplacement("p", key, [])], broken)).rejects.toThrow("a defect");
  });
});

describe("facts that have become old", () => {
  const old = "2026-11-20T11:58:59.000Z";

  test("are checked again in one search for the people of the whole plan", async () => {
    const simulated = service();
    await applied([aCreation("ada"), aCreation("bo"), aCreation("cy")], simulated, { factsAt: old });
    expect(simulated.calls[0]).toEqual({
      route: "search-users",
      identifiers: ["ada@acme.example", "bo@acme.example", "cy@acme.example"],
    });
    expect(simulated.requests.reads).toBe(2);
  });

  test("are not checked again within a minute", async () => {
    const simulated = service();
    await applied([aCreation("ada")], simulated, { factsAt: "2026-11-20T11:59:00.000Z" });
    expect(simulated.requests.reads).toBe(1);
  });

  test("and have moved make their own action stale, and no other", async () => {
    const world = aWorld();
    putUser(world, { email: "ada@acme.example" });
    const simulated = service({ world });
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { factsAt: old });
    expect(aboutAction(events, founding)).toEqual([`stale ${founding}: ada@acme.example is in the service by now`]);
    expect(aboutAction(events, createId("bo"))).toContain(`succeeded ${createId("bo")}`);
  });

  test("of a member who was added by somebody else, or is gone, shrink the call", async () => {
    const world = aWorld();
    const [ada, bo] = [putUser(world, { email: "ada@acme.example" }), putUser(world, { email: "bo@acme.example" })];
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const members = [person("ada", ada.identifier), person("bo", bo.identifier), person("cy", "u-gone")];
    const simulated = service({ world });
    const events = await applied([anAddition(team, members)], simulated, { factsAt: old });
    expect(simulated.outbox).toEqual([
      { email: "bo@acme.example", team: team.identifier.known === "observed" ? team.identifier.value : "" },
    ]);
    expect(events.find((event) => event.type === "intended")).toMatchObject({
      intent: { addresses: [addressOf("bo")] },
    });
    expect(events.find((event) => event.type === "succeeded")).toMatchObject({
      learned: {
        members: [
          { address: addressOf("bo"), outcome: { added: true } },
          { address: addressOf("ada"), outcome: { added: false, failure: { code: "conflict" } } },
          { address: addressOf("cy"), outcome: { added: false, failure: { code: "not-found" } } },
        ],
      },
    });
  });

  test("of every member make the whole call stale", async () => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const action = anAddition(team, [person("ada", ada.identifier)]);
    const events = await applied([action], service({ world }), { factsAt: old });
    expect(aboutAction(events, action.id)).toEqual([`stale ${action.id}: ada@acme.example is a member of Ops by now`]);
  });

  test.each([
    ["roles that somebody else has replaced", ["AUDITOR"], "has other roles by now: TEAM_ROLE", "stale"],
    ["roles that are as they were", ["TEAM_ROLE"], "", "succeeded"],
  ])("of a key: %s", async (_, before, why, outcome) => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const prefix = ada.keys[0]?.prefix ?? "";
    const key = { of: "prefix", prefix: { known: "observed", value: prefix, by: "search 1" } } as const;
    const action = aReplacement("p", key, ["DEVELOPER"], {
      before: { known: "observed", value: before, by: "search 1" },
      owner: person("ada", ada.identifier),
    });
    const told = aboutAction(await applied([action], service({ world }), { factsAt: old }), "p").at(-1);
    expect(told).toBe(outcome === "stale" ? `stale p: the key ${prefix} ${why}` : "succeeded p");
  });

  test("that cannot be read again keep their action from running, and only theirs", async () => {
    const simulated = service({
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    const events = await applied([aCreation("ada")], simulated, { factsAt: old });
    expect(brief(events)).toEqual(["run-started", `failed ${founding}: service-error`, "finished completed"]);
  });

  test("become too old in a long run, and are then checked once for all who still wait", async () => {
    const clock = clockAt(noon);
    const people = Array.from({ length: 6 }, (_, index) => aCreation(`p${index}`));
    const simulated = service({
      before: (call) => {
        if (call.route === "create-user") clock.move(25_000);
        return undefined;
      },
    });
    await applied(people, simulated, { clock, parallelism: 1 });
    expect(simulated.world.users).toHaveLength(6);
    expect(simulated.calls.map(({ route }) => (route === "create-user" ? "c" : "s")).join("")).toBe("cccscccs");
  });
});

describe("what was touched, read again", () => {
  test("is diverged where a role stays in place, which is remembered", async () => {
    const world = aWorld();
    const session = memorySession(emptyState("l"));
    const events = await applied(
      [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])],
      service({ world, sticky: ["TEAM_ROLE"] }),
      { session },
    );
    expect(last(events, 3)).toEqual([
      "key-read k2 as DEVELOPER,TEAM_ROLE",
      "verified diverged: the key k2 of ada@acme.example reads as DEVELOPER, TEAM_ROLE instead of DEVELOPER",
      "finished completed",
    ]);
    expect(session.saved().keys.get("k2")).toEqual({
      prefix: "k2",
      put: ["DEVELOPER"],
      at: noon,
      readAs: ["DEVELOPER", "TEAM_ROLE"],
    });
  });

  test("is settling where it does not show after two more reads", async () => {
    const simulated = service();
    const clock = clockAt(noon);
    const lagging = { ...simulated, searchUsers: async () => ({ ok: true as const, value: [] }) };
    const events = await applied([aCreation("ada")], lagging, { clock });
    expect(last(events, 4)).toEqual([
      "waiting 500",
      "waiting 1500",
      "verified settling: ada@acme.example is not shown yet",
      "finished completed",
    ]);
    expect(clock.waits).toEqual([500, 1500]);
  });

  test("is converged where it shows a moment later", async () => {
    let reads = 0;
    const simulated = service();
    const lagging = {
      ...simulated,
      searchUsers: async (...question: Parameters<typeof simulated.searchUsers>) => {
        reads += 1;
        return reads < 3 ? { ok: true as const, value: [] } : simulated.searchUsers(...question);
      },
    };
    expect(last(await applied([aCreation("ada")], lagging), 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("is unverified where the service hides it, or cannot be read", async () => {
    const hidden = await applied(everything, service({ hides: ["keys", "replaced-roles"] }));
    expect(last(hidden, 2)).toEqual([
      "verified unverified: the service does not show enough to check 5 of 7 things done",
      "finished completed",
    ]);
    const unread = service({
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    expect(last(await applied([aCreation("ada")], unread), 2)).toEqual([
      "verified unverified: it could not be read again: service-error",
      "finished completed",
    ]);
  });
});
