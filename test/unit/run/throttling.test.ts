import { describe, expect, test } from "vitest";
import type { WriteBehaviour } from "../../../src/model/capabilities.ts";
import { observed } from "../../../src/model/fact.ts";
import {
  aCreation,
  anAddition,
  aReplacement,
  createId,
  person,
  rolesId,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { runPlan, type Scene, type SeenRun } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aFailure, on, type ServiceCall, tooManyCalls } from "../../support/simulated-service.ts";
import { aWorldOf } from "../../support/simulated-world.ts";
import { virtualTime } from "../../support/virtual-time.ts";

const later = { outcome: "failed", failure: tooManyCalls, askAfter: 1000 } as const;
const creations = (...names: readonly string[]) => names.map((name) => aCreation(name));
const [ada, bo] = [createId("ada"), createId("bo")];
const learnedIn = ({ events }: SeenRun) =>
  events.flatMap((event) => (event.type === "writes-learned" ? [event.writes.throttling] : []));
const knowing = (throttling: WriteBehaviour["throttling"]): Scene => ({ state: { writes: { throttling } } });

/** What a creation or an addition is about. */
function subjectOf(call: ServiceCall): string | undefined {
  if (call.route === "create-user") return call.user.email.replace("@acme.example", "");
  return call.route === "add-members" ? call.identifiers[0] : undefined;
}

/** Asks each creation and addition to come later when it comes for the first time. */
function firstTimesLater(): NonNullable<Scene["before"]> {
  const came = new Set<string>();
  return (call) => {
    const subject = subjectOf(call);
    if (subject === undefined || came.has(subject)) return undefined;
    came.add(subject);
    return later;
  };
}

/** Takes everything but asks to come later where it is about this. */
const laterFor =
  (name: string): NonNullable<Scene["before"]> =>
  (call) =>
    subjectOf(call) === name ? later : undefined;

/** Teams without members, and people who may be added. */
function joining(...pairs: readonly (readonly [team: string, name: string])[]) {
  const named = (name: string) => [name, { identifier: name }] as const;
  const world = aWorldOf({
    users: Object.fromEntries(pairs.map(([, name]) => named(name))),
    teams: Object.fromEntries(pairs.map(([team]) => [team, {}])),
  });
  const actions = pairs.map(([team, name]) =>
    anAddition(teamRef(team, `t-${team.toLowerCase()}`), [person(name, name)]),
  );
  return { world, actions };
}

describe("a call that is to come back later", () => {
  test("is sent again after the time that the service asks for, and announced before each try", async () => {
    const before = on("create-user", ...Array(2).fill({ failure: tooManyCalls, askAfter: 7000 }), undefined);
    const { about, events, waits } = await runPlan([aCreation("ada")], { before });
    expect(about()).toBe("intended, intended, intended, succeeded");
    expect(waits.slice(0, 2).map((wait) => Math.floor(wait / 500))).toEqual([14, 14]);
    const announced = events.flatMap((event) => (event.type === "intended" ? [Date.parse(event.at)] : []));
    expect(announced.map((at) => Math.floor((at - Date.parse(noon)) / 1000))).toEqual([0, 7, 14]);
  });

  test("is announced anew where it replaces roles, too", async () => {
    const before = on("replace-roles", { failure: tooManyCalls, askAfter: 3000 }, undefined);
    const { about } = await runPlan([aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], { before });
    expect(about(rolesId("ada"))).toBe("intended, intended, succeeded");
  });

  test("and whose run dies in between is resolved by the time of its last try", async () => {
    const clock = clockAt(noon);
    const dies = new Promise<undefined>(() => undefined);
    const throttled = { failure: tooManyCalls, askAfter: 20_000 };
    const announced: string[] = [];
    void runPlan([aCreation("ada")], {
      clock,
      append: (events) => void announced.push(...events.flatMap((one) => (one.type === "intended" ? [one.at] : []))),
      before({ route }) {
        if (route !== "create-user") return undefined;
        return clock.waits.length === 0 ? throttled : dies;
      },
    });
    while (announced.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(Date.parse(announced[1] ?? "") - Date.parse(noon)).toBeGreaterThanOrEqual(20_000);
  });

  test.each([
    ["again and again, and which reads do not show, had no effect", undefined, 4, undefined],
    ["after more time than a call may take is not waited for", 3_600_000, 1, [500, 1000, 2000, 2000]],
  ])("%s", async (_, askAfter, count, waits) => {
    const told = { failure: tooManyCalls, ...(askAfter === undefined ? {} : { askAfter }) };
    const run = await runPlan([aCreation("ada")], { before: on("create-user", told) });
    expect(run.about()).toMatch(/failed: service-error$/u);
    expect([run.sent.length, run.open, run.waits]).toEqual([count, [], waits ?? run.waits]);
  });

  test("is not sent any more once the run is interrupted, and stays open: it may have had an effect", async () => {
    const stop = new AbortController();
    const before = () => {
      stop.abort();
      return { failure: tooManyCalls, askAfter: 7000 };
    };
    const { about, lines, sent, open } = await runPlan([aCreation("ada")], { signal: stop.signal, before });
    expect(about()).toBe("intended, unknown-outcome: service-error");
    expect([lines.at(-1), sent, open]).toEqual([
      "finished interrupted: the run was interrupted",
      ["create ada"],
      [ada],
    ]);
  });
});

describe("a call that could not leave in its time", () => {
  const late = { failure: aFailure("unreachable"), sendAgain: "too-late" } as const;

  test.each([
    ["is announced anew, and sent at once", [late, undefined], "intended, intended, succeeded"],
    ["again and again has failed without an effect", [late], `${"intended, ".repeat(8)}failed: unreachable`],
  ])("%s", async (_, told, becomes) => {
    const { about, waits, open } = await runPlan([aCreation("ada")], { before: on("create-user", ...told) });
    expect([about(), waits, open]).toEqual([becomes, [], []]);
  });
});

describe("throttled writes of a service of which nothing is known", () => {
  test("are read again 5 s after their announcement, before anything is sent a second time", async () => {
    const clock = clockAt(noon);
    const first = firstTimesLater();
    const came: string[] = [];
    await runPlan([aCreation("ada")], {
      clock,
      before(call) {
        came.push(`${call.route} ${clock.now() - Date.parse(noon)}`);
        return first(call);
      },
    });
    expect(came.slice(0, 4)).toEqual(["create-user 0", "search-users 5000", "read-account 5000", "create-user 5000"]);
  });

  test("teach that throttling has no effect by three creations, after which nothing is read before", async () => {
    const scene: Scene = { before: firstTimesLater(), parallelism: 1 };
    const run = await runPlan(creations("ada", "bo", "cy", "di"), scene);
    // Each search asks for those who were created at that time as well: do reads show them?
    const taught = ["ada", "bo ada", "cy bo"].flatMap((asked) => {
      const [name] = asked.split(" ");
      return [`create ${name}`, `search ${asked}`, "read acc-1", `create ${name}`];
    });
    expect(run.calls).toEqual([...taught, "create di", "create di", "search ada bo cy di"]);
    expect([learnedIn(run), run.saved.writes]).toEqual([["no-effect"], { throttling: "no-effect" }]);
  });

  test("teach the same by additions", async () => {
    const { world, actions } = joining(["Ops", "ada"], ["Data", "bo"], ["Art", "cy"]);
    const run = await runPlan(actions, { world, before: firstTimesLater(), parallelism: 1 });
    expect(run.calls.map((call) => call.replace(/^search.*/u, "?").replace(/^.*t-/u, ""))).toEqual(
      ["ops ? ops", "data ? data", "art ? art ?"].join(" ").split(" "),
    );
    expect(learnedIn(run)).toEqual([undefined, "no-effect"]);
  });

  describe("and whose window is not over", () => {
    /** Two creations at once, the second of which is throttled the first time. `lag`: milliseconds until reads show ada. */
    async function besideAnother(lag: number, consistency: number | "learned" = "learned") {
      const time = virtualTime(
        () => Date.parse(noon),
        () => false,
        2,
      );
      const since = () => time.now() - Date.parse(noon);
      const first = on("create-user", later, undefined);
      const sent: number[] = [];
      let madeAt = Number.POSITIVE_INFINITY;
      const { open } = await runPlan(creations("ada", "bo"), {
        clock: time.clock().clock,
        consistency,
        before(call) {
          if (subjectOf(call) === "ada") madeAt = since();
          if (subjectOf(call) !== "bo") return undefined;
          sent.push(Math.floor(since() / 1000));
          return first(call);
        },
        searches: (users) => users.filter(({ address }) => address !== addressOf("ada") || since() - madeAt >= lag),
      });
      return { bo: sent, open };
    }

    test.each([
      ["are sent again once two reads show a write of the same moment, and not this one", 0, "learned", [0, 10], []],
      ["are not sent again where reads show no such write", 60_000, "learned", [0], [bo]],
      ["are sent again where a person has set a shorter window", 60_000, 4000, [0, 5], []],
    ] as const)("%s", async (_, lag, consistency, sent, open) => {
      expect(await besideAnother(lag, consistency)).toEqual({ bo: sent, open });
    });
  });

  test("are sent once where no other write tells how late reads are", async () => {
    const { world, actions } = joining(["Ops", "ada"]);
    const { sent, open } = await runPlan(actions, { world, before: firstTimesLater(), consistency: "learned" });
    expect([sent.length, open.length]).toEqual([1, 1]);
  });

  test.each<[string, Scene]>([
    ["keys are not shown", { hides: ["keys"] }],
    [
      "reads do not show another write of this run",
      { searches: (users) => users.filter(({ address }) => address === addressOf("ada")) },
    ],
  ])("are not sent again where they are additions and %s", async (_, scene) => {
    const { world, actions } = joining(["Ops", "ada"]);
    const all = [aCreation("bo"), ...actions.map((one) => ({ ...one, dependsOn: [bo] }))];
    const before = on("add-members", later);
    const { sent } = await runPlan(all, { ...scene, world, before, parallelism: 1, consistency: "learned" });
    expect(sent).toEqual(["create bo", "add ada to t-ops"]);
  });
});

test("roles that are throttled every time may have been replaced all the same", async () => {
  const key = { of: "prefix", prefix: observed("k-1", "search 1") } as const;
  const ends = async (scene: Scene) =>
    (await runPlan([aReplacement("x", key, ["DEVELOPER"])], { ...scene, before: on("replace-roles", later) })).outcome(
      "x",
    )?.is;
  expect([await ends({}), await ends({ throttling: "no-effect" })]).toEqual(["unknown", "failed"]);
});

describe("a throttled write that was done all the same", () => {
  test("and which a read shows is done, and teaches that others may be as well", async () => {
    const { about, sent, saved } = await runPlan(creations("ada"), { after: laterFor("ada") });
    expect(about()).toBe("intended, unknown-outcome: service-error, resolved");
    expect([sent, saved.writes?.throttling]).toEqual([["create ada"], "may-have-effect"]);
  });

  test("leaves every later throttled write unknown, which is never sent again", async () => {
    const scene: Scene = { before: laterFor("bo"), after: laterFor("ada"), parallelism: 1, consistency: "learned" };
    const { about, sent, open } = await runPlan(creations("ada", "bo"), scene);
    expect(about(bo)).toBe("intended, unknown-outcome: service-error");
    expect([sent, open]).toEqual([["create ada", "create bo"], [bo]]);
  });

  test("and which only the second try tells, by a conflict and a read, teaches the same", async () => {
    const clock = clockAt(noon);
    const took = on("create-user", later, undefined);
    let came = 0;
    const { about, saved, simulated } = await runPlan(creations("ada"), {
      clock,
      hides: ["account-members"],
      before({ route }) {
        if (route === "create-user" && came > 0) clock.move(2000);
        return undefined;
      },
      after(call) {
        if (call.route === "create-user") came += 1;
        return took(call);
      },
      searches: (users, age) => (age < 6000 ? [] : users),
    });
    expect(about()).toBe("intended, intended, unknown-outcome: conflict, resolved");
    expect([saved.writes?.throttling, simulated.world.users.length]).toEqual(["may-have-effect", 1]);
  });

  test("and which only the age of the user in the second answer tells, teaches the same", async () => {
    const run = await runPlan(creations("ada"), {
      before: firstTimesLater(),
      service: ({ createUser }) => ({
        async createUser(...asked) {
          const written = await createUser(...asked);
          return written.outcome === "done" ? { ...written, value: { ...written.value, age: 6000 } } : written;
        },
      }),
    });
    expect(run.about()).toMatch(/succeeded$/u);
    expect(learnedIn(run)).toEqual(["may-have-effect"]);
  });

  test("and whose second try meets a conflict that no read explains stays unknown, and teaches that the first may have been done", async () => {
    const run = await runPlan(creations("ada"), {
      before: on("create-user", later, { failure: aFailure("conflict") }),
    });
    expect(run.about()).toMatch(/^intended, intended, unknown-outcome: conflict/u);
    expect([learnedIn(run), run.saved.writes?.throttling, run.sent.length]).toEqual([
      ["may-have-effect"],
      "may-have-effect",
      2,
    ]);
  });

  test("and whose second try is refused in other words, as no read explains, stays unknown", async () => {
    const before = on("create-user", later, { failure: { ...aFailure("refused"), status: 400 } });
    expect((await runPlan(creations("ada"), { before, consistency: "learned" })).open).toEqual([ada]);
  });

  test("and whom no read can tell is not sent again", async () => {
    const before: Scene["before"] = ({ route }) =>
      route === "create-user" ? later : route === "search-users" ? { failure: aFailure("service-error") } : undefined;
    expect((await runPlan(creations("ada"), { before })).sent).toEqual(["create ada"]);
  });
});

describe("what was learned or set of throttling", () => {
  const asSet = { throttling: "no-effect", consistency: "learned" } as const;

  test.each<[string, Scene, string | undefined]>([
    ["an earlier run has learned", knowing("no-effect"), "no-effect"],
    ["a person has set", asSet, undefined],
  ])(
    "that it has no effect: a throttled write is sent again at the time that is named, unread (%s)",
    async (_, scene, known) => {
      const { calls, waits, about, saved } = await runPlan(creations("ada"), { ...scene, before: firstTimesLater() });
      expect(calls).toEqual(["create ada", "create ada", "search ada"]);
      expect(waits.map((wait) => Math.floor(wait / 1000))).toEqual([1]);
      expect(about()).toMatch(/succeeded$/u);
      expect(saved.writes?.throttling).toBe(known);
    },
  );

  test("that it has no effect: a write that is throttled again and again has failed, and is not open", async () => {
    const scene = { ...knowing("no-effect"), before: on("create-user", later), consistency: "learned" } as const;
    const { about, sent, open } = await runPlan(creations("ada"), scene);
    expect(about()).toMatch(/failed: service-error$/u);
    expect([sent.length, open]).toEqual([4, []]);
  });

  test.each<[string, Scene]>([
    ["a throttled write is unknown at once, and never sent again", { consistency: "learned" }],
    ["it counts more than what a person has set", asSet],
  ])("that it may have one: %s", async (_, scene) => {
    const run = await runPlan(creations("ada"), { ...knowing("may-have-effect"), ...scene, before: firstTimesLater() });
    expect(run.about()).toBe("intended, unknown-outcome: service-error");
    expect([run.sent.length, run.open]).toEqual([1, [ada]]);
  });

  test("where it stays unknown what became of a write, the setting is named, unless it was learned what throttling does", async () => {
    const hint = async (scene: Scene) => {
      const run = await runPlan(creations("ada"), {
        ...scene,
        before: on("create-user", later),
        consistency: "learned",
      });
      return run.events.flatMap((event) => (event.type === "unknown-outcome" ? [event.failure.hint ?? ""] : []));
    };
    const named = "set `service.throttling: no-effect` in the settings";
    expect(await hint({})).toEqual([expect.stringContaining(named)]);
    expect(await hint(knowing("may-have-effect"))).toEqual([expect.not.stringContaining(named)]);
  });
});

test("a write that the service answers with 503, and no time to come back, is unknown at once and not sent again", async () => {
  const broken = { outcome: "unknown", failure: { ...aFailure("service-error"), status: 503 } } as const;
  const run = await runPlan(creations("ada"), { before: on("create-user", broken), consistency: "learned" });
  expect([run.about(), run.sent]).toEqual(["intended, unknown-outcome: service-error", ["create ada"]]);
});
