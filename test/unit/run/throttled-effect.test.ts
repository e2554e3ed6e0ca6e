import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/model/event.ts";
import { observed } from "../../../src/model/fact.ts";
import type { WriteBehaviour } from "../../../src/model/recorded.ts";
import { success } from "../../../src/model/result.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { aCreation, anAddition, aReplacement, createId, person, teamRef } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { emailOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure, type ServiceCall, type SimulationOptions, tooManyCalls } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";
import { virtualTime } from "../../support/virtual-time.ts";

const later = { outcome: "failed", failure: tooManyCalls, askAfter: 1000 } as const;

/** What a write is about: the address of a creation, the first name of an addition. */
function subjectOf(call: ServiceCall): string | undefined {
  if (call.route === "create-user") return call.user.email;
  return call.route === "add-members" ? call.identifiers[0] : undefined;
}

/** Asks each creation and addition to come later when it comes for the first time. */
function firstTimesLater(): NonNullable<SimulationOptions["before"]> {
  const came = new Set<string>();
  return (call) => {
    const subject = subjectOf(call);
    if (subject === undefined || came.has(subject)) return undefined;
    came.add(subject);
    return later;
  };
}

/** What is sent and read, in order: `ada` for a write, `?` for a read. */
function inOrder(calls: readonly ServiceCall[]): readonly string[] {
  return calls.map((call) => subjectOf(call)?.replace(/@.*$/u, "") ?? "?");
}

const creations = (...names: readonly string[]) => names.map((name) => aCreation(name));
const learnedIn = (events: readonly RunEvent[]): readonly WriteBehaviour[] =>
  events.flatMap((event) => (event.type === "writes-learned" ? [event.writes] : []));
const knowing = (throttling: NonNullable<WriteBehaviour["throttling"]>): State => ({
  ...emptyState("l"),
  writes: { throttling },
});

describe("throttled writes of a service of which nothing is known", () => {
  test("are read again 5 s after their announcement, before anything is sent a second time", async () => {
    const clock = clockAt(noon);
    const first = firstTimesLater();
    const calls: (readonly [string, number])[] = [];
    const simulated = emptyService({
      before(call) {
        calls.push([call.route, clock.now() - Date.parse(noon)]);
        return first(call);
      },
    });
    await applied(creations("ada"), simulated, { clock });
    expect(calls.slice(0, 4)).toEqual([
      ["create-user", 0],
      ["search-users", 5000],
      ["read-account", 5000],
      ["create-user", 5000],
    ]);
  });

  test("teach that throttling has no effect by three creations, after which nothing is read before", async () => {
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({ before: firstTimesLater() });
    const events = await applied(creations("ada", "bo", "cy", "di"), simulated, { session, parallelism: 1 });
    const [ada, bo, cy] = ["ada", "bo", "cy"].map((name) => [name, "?", "?", name]);
    expect(inOrder(simulated.calls)).toEqual([ada, bo, cy, "di", "di", "?"].flat());
    expect(learnedIn(events)).toEqual([{ throttling: "no-effect" }]);
    expect(session.saved().writes).toEqual({ throttling: "no-effect" });
  });

  test("teach the same by additions", async () => {
    const world = aWorld();
    const additions = ["Ops", "Data", "Art"].map((name) => {
      putTeam(world, { name, identifier: `t-${name}` });
      putUser(world, { email: emailOf(name), identifier: name });
      return anAddition(teamRef(name, `t-${name}`), [person(name, name)]);
    });
    const simulated = emptyService({ world, before: firstTimesLater() });
    const events = await applied(additions, simulated, { parallelism: 1 });
    expect(inOrder(simulated.calls)).toEqual(["Ops", "?", "Ops", "Data", "?", "Data", "Art", "?", "Art", "?"]);
    expect(learnedIn(events).map(({ throttling }) => throttling)).toEqual([undefined, "no-effect"]);
  });

  describe("and whose window is not over", () => {
    /** Two creations at once, the second of which is throttled the first time. `lag`: milliseconds until reads show a user. */
    async function besideAnother(lag: number, consistency: number | "learned" = "learned") {
      const time = virtualTime(
        () => Date.parse(noon),
        () => false,
        2,
      );
      const sent: (readonly [string, number])[] = [];
      const first = firstTimesLater();
      const since = () => time.now() - Date.parse(noon);
      const created = new Map<string, number>();
      const simulated = emptyService({
        before(call) {
          if (call.route !== "create-user") return undefined;
          sent.push([call.user.email, since()]);
          if (call.user.email === emailOf("bo")) return first(call);
          created.set(call.user.email, since());
          return undefined;
        },
      });
      const service: AccountService = {
        ...simulated,
        async searchUsers(...asked) {
          const found = await simulated.searchUsers(...asked);
          if (!found.ok) return found;
          const shown = found.value.filter(({ email }) => since() - (created.get(email) ?? -lag) >= lag);
          return { ...found, value: shown };
        },
      };
      const session = memorySession(emptyState("l"));
      await applied(creations("ada", "bo"), service, { clock: time.clock().clock, session, consistency });
      return {
        bo: sent.filter(([email]) => email === emailOf("bo")).map(([, at]) => Math.floor(at / 1000)),
        open: session.saved().open,
      };
    }

    test("are sent again once two reads show a write of the same moment, and not this one", async () => {
      expect(await besideAnother(0)).toEqual({ bo: [0, 10], open: [] });
    });

    test("are not sent again where reads show no such write", async () => {
      const { bo, open } = await besideAnother(60_000);
      expect([bo, open.map(({ action }) => action)]).toEqual([[0], [createId("bo")]]);
    });

    test("are sent again where a person has set a shorter window", async () => {
      expect(await besideAnother(60_000, 4000)).toEqual({ bo: [0, 5], open: [] });
    });
  });

  test("are sent once where no other write tells how late reads are", async () => {
    const world = aWorld();
    putTeam(world, { name: "Ops", identifier: "t-Ops" });
    putUser(world, { email: emailOf("ada"), identifier: "ada" });
    const simulated = emptyService({ world, before: firstTimesLater() });
    const session = memorySession(emptyState("l"));
    const addition = anAddition(teamRef("Ops", "t-Ops"), [person("ada", "ada")]);
    await applied([addition], simulated, { session, consistency: "learned" });
    expect(simulated.calls.filter(({ route }) => route === "add-members")).toHaveLength(1);
    expect(session.saved().open).toHaveLength(1);
  });

  test.each([
    ["keys are not shown", { hides: ["keys"] as const }],
    ["reads do not show another write of this run", { hides: [], lags: true }],
  ])(
    "are not sent again where they are additions and %s",
    async (_, { hides, lags = false }: { hides: readonly "keys"[]; lags?: boolean }) => {
      const world = aWorld();
      putTeam(world, { name: "Ops", identifier: "t-Ops" });
      putUser(world, { email: emailOf("ada"), identifier: "ada" });
      const addition = anAddition(teamRef("Ops", "t-Ops"), [person("ada", "ada")]);
      const simulated = emptyService({
        world,
        hides,
        before: ({ route }) => (route === "add-members" ? later : undefined),
      });
      const lagging: AccountService = {
        ...simulated,
        async searchUsers(...asked) {
          const found = await simulated.searchUsers(...asked);
          return found.ok && lags
            ? { ...found, value: found.value.filter(({ email }) => email === emailOf("ada")) }
            : found;
        },
      };
      const actions = [aCreation("bo"), { ...addition, dependsOn: [createId("bo")] }];
      await applied(actions, lagging, { parallelism: 1, consistency: "learned" });
      expect(simulated.calls.filter(({ route }) => route === "add-members")).toHaveLength(1);
    },
  );
});

test("roles that are throttled every time may have been replaced all the same", async () => {
  const simulated = emptyService({ before: ({ route }) => (route === "replace-roles" ? later : undefined) });
  const key = { of: "prefix", prefix: observed("k-1", "search 1") } as const;
  const ends = [{}, { throttling: "no-effect" } as const].map(async (wish) => {
    const events = await applied([aReplacement("x", key, ["DEVELOPER"])], simulated, wish);
    return events.flatMap(({ type }) => (type === "failed" || type === "unknown-outcome" ? [type] : []));
  });
  expect(await Promise.all(ends)).toEqual([["unknown-outcome"], ["failed"]]);
});

describe("a throttled write that was done all the same", () => {
  const doneThough =
    (name: string): NonNullable<SimulationOptions["after"]> =>
    (call) =>
      subjectOf(call) === emailOf(name) ? later : undefined;

  test("and which a read shows is done, and teaches that others may be as well", async () => {
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({ after: doneThough("ada") });
    const events = await applied(creations("ada"), simulated, { session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: service-error`,
      `resolved ${teamCreation}`,
    ]);
    expect(simulated.requests.writes).toBe(1);
    expect(session.saved().writes?.throttling).toBe("may-have-effect");
  });

  test("leaves every later throttled write unknown, which is never sent again", async () => {
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({
      before: (call) => (subjectOf(call) === emailOf("bo") ? later : undefined),
      after: doneThough("ada"),
    });
    const events = await applied(creations("ada", "bo"), simulated, {
      session,
      parallelism: 1,
      consistency: "learned",
    });
    expect(aboutAction(events, createId("bo"))).toEqual([
      `intended ${createId("bo")}`,
      `unknown-outcome ${createId("bo")}: service-error`,
    ]);
    expect(inOrder(simulated.calls).filter((name) => name !== "?")).toEqual(["ada", "bo"]);
    expect(session.saved().open.map(({ action }) => action)).toEqual([createId("bo")]);
  });

  /** Shows nobody within 6 s; ada was created by her first call, and her second one takes 2 s. */
  function tellingLate() {
    const time = virtualTime(
      () => Date.parse(noon),
      () => false,
      2,
    );
    let came = 0;
    const simulated = emptyService({
      hides: ["account-members"],
      async before(call) {
        if (subjectOf(call) === emailOf("bo")) return { ...later, askAfter: 5500 };
        if (call.route === "create-user" && came > 0) await time.pass(2000);
        return undefined;
      },
      after(call) {
        if (subjectOf(call) !== emailOf("ada")) return undefined;
        came += 1;
        return came === 1 ? later : undefined;
      },
    });
    const service: AccountService = {
      ...simulated,
      async searchUsers(...asked) {
        const found = await simulated.searchUsers(...asked);
        return found.ok && time.now() - Date.parse(noon) < 6000 ? success([]) : found;
      },
    };
    return { simulated, service, ports: { clock: time.clock().clock, session: memorySession(emptyState("l")) } };
  }

  test("and which only the second try tells, by a conflict and a read, teaches the same", async () => {
    const { simulated, service, ports } = tellingLate();
    const events = await applied(creations("ada"), service, ports);
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: conflict`,
      `resolved ${teamCreation}`,
    ]);
    expect(ports.session.saved().writes?.throttling).toBe("may-have-effect");
    expect(simulated.world.users).toHaveLength(1);
  });

  test("and which only the age of the user in the second answer tells, teaches the same", async () => {
    const simulated = emptyService({ before: firstTimesLater() });
    const aged: AccountService = {
      ...simulated,
      async createUser(...asked) {
        const written = await simulated.createUser(...asked);
        return written.outcome === "done" ? { ...written, value: { ...written.value, age: 6000 } } : written;
      },
    };
    const events = await applied(creations("ada"), aged);
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`succeeded ${teamCreation}`);
    expect(learnedIn(events).map(({ throttling }) => throttling)).toEqual(["may-have-effect"]);
  });

  test("and whose second try meets a conflict that no read explains stays unknown, and teaches that the first may have been done", async () => {
    let came = 0;
    const simulated = emptyService({
      before(call) {
        if (call.route !== "create-user") return undefined;
        came += 1;
        return came === 1 ? later : { failure: aFailure("conflict") };
      },
    });
    const session = memorySession(emptyState("l"));
    const events = await applied(creations("ada"), simulated, { session });
    expect(aboutAction(events, teamCreation).slice(0, 3)).toEqual([
      `intended ${teamCreation}`,
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: conflict`,
    ]);
    expect(learnedIn(events)).toEqual([{ throttling: "may-have-effect" }]);
  });

  test("and whose second try is refused in other words, as no read explains, stays unknown", async () => {
    let came = 0;
    const simulated = emptyService({
      before(call) {
        if (call.route !== "create-user") return undefined;
        came += 1;
        return came === 1 ? later : { failure: { ...aFailure("refused"), status: 400 } };
      },
    });
    const session = memorySession(emptyState("l"));
    await applied(creations("ada"), simulated, { session, consistency: "learned" });
    expect(session.saved().open.map(({ action }) => action)).toEqual([teamCreation]);
  });

  test("and whom no read can tell is not sent again", async () => {
    const simulated = emptyService({
      before({ route }) {
        if (route === "create-user") return later;
        return route === "search-users" ? { failure: aFailure("service-error") } : undefined;
      },
    });
    await applied(creations("ada"), simulated);
    expect(simulated.requests.writes).toBe(1);
  });
});

describe("what an earlier run has learned of throttling", () => {
  test("that it has no effect: a throttled write is sent again at the time that is named, unread", async () => {
    const clock = clockAt(noon);
    const session = memorySession(knowing("no-effect"));
    const simulated = emptyService({ before: firstTimesLater() });
    const events = await applied(creations("ada"), simulated, { session, clock });
    expect(inOrder(simulated.calls)).toEqual(["ada", "ada", "?"]);
    expect(clock.waits.map((wait) => Math.floor(wait / 1000))).toEqual([1]);
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`succeeded ${teamCreation}`);
  });

  test("that it has no effect: a write that is throttled again and again has failed, and is not open", async () => {
    const session = memorySession(knowing("no-effect"));
    const simulated = emptyService({ before: (call) => (call.route === "create-user" ? later : undefined) });
    const events = await applied(creations("ada"), simulated, { session, consistency: "learned" });
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`failed ${teamCreation}: service-error`);
    expect({ writes: simulated.requests.writes, open: session.saved().open }).toEqual({ writes: 4, open: [] });
  });

  test("that it may have one: a throttled write is unknown at once, and never sent again", async () => {
    const session = memorySession(knowing("may-have-effect"));
    const simulated = emptyService({ before: firstTimesLater() });
    const events = await applied(creations("ada"), simulated, { session, consistency: "learned" });
    expect(brief(events).slice(1, 3)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: service-error`,
    ]);
    expect({ writes: simulated.requests.writes, open: session.saved().open.length }).toEqual({ writes: 1, open: 1 });
  });
});

describe("that a person has set that throttling has no effect", () => {
  const asSet = { throttling: "no-effect", consistency: "learned" } as const;

  test("a throttled write is sent again at the time that is named, unread, and the state learns nothing of it", async () => {
    const clock = clockAt(noon);
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({ before: firstTimesLater() });
    const events = await applied(creations("ada"), simulated, { ...asSet, session, clock });
    expect(inOrder(simulated.calls)).toEqual(["ada", "ada", "?"]);
    expect(aboutAction(events, teamCreation).at(-1)).toBe(`succeeded ${teamCreation}`);
    expect(session.saved().writes?.throttling).toBeUndefined();
  });

  test("counts less than that a run has learned that it may have one", async () => {
    const session = memorySession(knowing("may-have-effect"));
    const simulated = emptyService({ before: firstTimesLater() });
    await applied(creations("ada"), simulated, { ...asSet, session });
    expect({ writes: simulated.requests.writes, open: session.saved().open.length }).toEqual({ writes: 1, open: 1 });
  });
});

test("a throttled write whose outcome stays unknown names the setting, unless it was learned what throttling does", async () => {
  const hintOf = async (state: State) => {
    const simulated = emptyService({ before: (call) => (call.route === "create-user" ? later : undefined) });
    const wish = { session: memorySession(state), consistency: "learned" } as const;
    const events = await applied(creations("ada"), simulated, wish);
    return events.flatMap((event) => (event.type === "unknown-outcome" ? [event.failure.hint ?? ""] : []));
  };
  const named = "set `service.throttling: no-effect` in the settings";
  expect(await hintOf(emptyState("l"))).toEqual([expect.stringContaining(named)]);
  expect(await hintOf(knowing("may-have-effect"))).toEqual([expect.not.stringContaining(named)]);
});

test("a write that the service answers with 503, and no time to come back, is unknown at once and not sent again", async () => {
  const broken = { outcome: "unknown", failure: { ...aFailure("service-error"), status: 503 } } as const;
  const simulated = emptyService({ before: (call) => (call.route === "create-user" ? broken : undefined) });
  const events = await applied(creations("ada"), simulated, { consistency: "learned" });
  expect(aboutAction(events, teamCreation)).toEqual([
    `intended ${teamCreation}`,
    `unknown-outcome ${teamCreation}: service-error`,
  ]);
  expect(simulated.requests.writes).toBe(1);
});
