import { describe, expect, test } from "vitest";
import { observed } from "../../../src/model/fact.ts";
import { emptyState } from "../../../src/model/state.ts";
import { roleSet } from "../../../src/model/values.ts";
import { aCreation, aReplacement, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { emptyService, running, runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt, timesBy } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { aFailure, on, type ServiceCall } from "../../support/simulated-service.ts";
import { aWorldOf, worldUser } from "../../support/simulated-world.ts";

const ada = [aCreation("ada")];
const intents = ({ events }: Awaited<ReturnType<typeof runPlan>>) =>
  events.flatMap((event) => (event.type === "intended" ? [event] : []));

describe("a write of an announcement that takes long", () => {
  test.each([
    [900, [undefined]],
    [3000, [undefined, "2026-11-20T12:00:15.000Z"]],
  ] as const)("and takes %i ms is made again only where it says too little", async (takes, until) => {
    const clock = clockAt(noon);
    const written: (string | undefined)[] = [];
    const run = await runPlan(ada, {
      clock,
      append(events) {
        clock.move(takes);
        for (const event of events) if (event.type === "intended") written.push(event.until);
      },
    });
    expect([written, run.about(), run.sent]).toEqual([until, "intended, succeeded", ["create ada"]]);
  });

  test("ends the run where no announcement can last so long, and nothing is sent", async () => {
    const clock = clockAt(noon);
    const run = await runPlan(ada, { clock, append: () => clock.move(21_000) });
    expect(run.lines.at(-1)).toBe(
      "finished stopped: the store of the log took 21 s to write. That is too slow to record each call before it " +
        "is sent",
    );
    expect([run.sent, run.open]).toEqual([[], []]);
  });
});

describe("a write that may not start yet", () => {
  test("waits until it may before it is announced, however long that takes", async () => {
    const clock = clockAt(noon);
    const started: string[] = [];
    const run = await runPlan([aCreation("ada"), aCreation("bo")], {
      clock,
      parallelism: 1,
      before: ({ route }) => void started.push(route),
      service: () => ({
        async mayStart() {
          started.push("permit");
          clock.move(60_000);
        },
      }),
    });
    expect(started).toEqual(["permit", "create-user", "permit", "create-user", "search-users"]);
    expect(intents(run).map(({ at }) => at)).toEqual(["2026-11-20T12:01:00.000Z", "2026-11-20T12:02:00.000Z"]);
  });

  test("and never may is not announced", async () => {
    const stop = new AbortController();
    const service = () => ({ mayStart: async () => stop.abort() });
    const { about, sent } = await runPlan(ada, { signal: stop.signal, service });
    expect([about(), sent]).toEqual(["skipped because of the run: the run was interrupted", []]);
  });
});

describe("a call is dated", () => {
  const later = (milliseconds: number) => new Date(Date.parse(noon) + milliseconds).toISOString();

  test.each([
    ["by the service", { service: true, store: true }, "service"],
    ["by the store", { service: false, store: true }, "store"],
    ["by nobody where neither shows its time", { service: false, store: false }, undefined],
  ] as const)("%s: until when it may be on its way, and when its answer was lost", async (_, told, by) => {
    const clock = clockAt(noon);
    const times = timesBy(clock);
    const session = { ...memorySession(emptyState("l")), ...(told.store ? { times } : {}) };
    const lost = { outcome: "unknown", failure: aFailure("unreachable") } as const;
    const service = Object.create(emptyService({ before: on("create-user", lost) }), {
      times: { value: told.service ? times : undefined },
    });
    const stop = new AbortController();
    for await (const { type } of running(ada, service, { clock, session, signal: stop.signal }))
      if (type === "intended") stop.abort();
    const dates = session.durable.flatMap((event) =>
      event.type === "intended" || event.type === "unknown-outcome" ? [event.dated] : [],
    );
    const expected = [
      { by, at: later(1000 + 2000 + 30_000) },
      { by, at: noon },
    ];
    expect(dates).toEqual(by === undefined ? [undefined, undefined] : expected);
  });
});

describe("a key that was refused while another one takes its place", () => {
  const renewed = { failure: aFailure("unauthorized"), sendAgain: "new-key" } as const;
  const isWrite = ({ route }: ServiceCall) => ["create-user", "add-members", "replace-roles"].includes(route);

  /** A service whose caller has the key `to` from the first refused write on. */
  function renewing(to: string): Scene {
    let isRefused = false;
    const before = (call: ServiceCall) => {
      if (isRefused || !isWrite(call)) return undefined;
      isRefused = true;
      return renewed;
    };
    return {
      before,
      service: () => ({
        get keyPrefix() {
          return isRefused ? to : "k-old";
        },
      }),
    };
  }

  test("has its call announced anew, and sent at once", async () => {
    const { about, simulated } = await runPlan(ada, renewing("k-new"));
    expect([about(), simulated.world.users.length]).toEqual(["intended, intended, succeeded", 1]);
  });

  test("is sent three times at the most, where each next key is refused as well", async () => {
    const { about } = await runPlan(ada, { before: (call) => (isWrite(call) ? renewed : undefined) });
    expect(about()).toBe("intended, intended, intended, failed: unauthorized");
  });

  async function replacing(roles: readonly string[], scene: Scene = {}) {
    const world = aWorldOf({ users: { root: {} } });
    const [key] = worldUser(world, "root").keys;
    if (key !== undefined) key.roles = ["ACCOUNT_ADMIN"];
    const before = observed(roleSet(["ACCOUNT_ADMIN"]), "search 1");
    const action = aReplacement("p", { of: "prefix", prefix: observed("k2", "search 1") }, roles, { before });
    const run = await runPlan([action], { ...renewing("k2"), ...scene, world });
    return { told: run.about("p"), sent: run.sent.length, roles: key?.roles };
  }

  test("is not used to take its own access away: the call that was announced for the old key is not sent with it", async () => {
    const told = "intended, intended, failed: stale";
    expect(await replacing(["DEVELOPER"])).toEqual({ told, sent: 1, roles: ["ACCOUNT_ADMIN"] });
  });

  test("may be changed where it keeps its access, or where the plan's guards knew it", async () => {
    const told = expect.stringMatching(/succeeded$/u);
    expect(await replacing(["ACCOUNT_ADMIN", "DEVELOPER"])).toMatchObject({ told });
    expect(await replacing(["DEVELOPER"], { forbids: { keys: ["k2"], people: [] } })).toMatchObject({ told });
  });

  test("is no key that a run has learned", async () => {
    const { about, sent } = await runPlan([...ada, rolesOfOwnKey("ada", ["DEVELOPER"])], renewing("k2"));
    expect(about(rolesId("ada"))).not.toContain("succeeded");
    expect(sent.filter((call) => call.startsWith("set"))).toEqual([]);
  });
});

test("every intent is durable before its call is sent, and every outcome before it is told", async () => {
  const trace: string[] = [];
  const session = memorySession(emptyState("l"), (events) => {
    for (const { type } of events) trace.push(`durable ${type}`);
  });
  const simulated = emptyService({ before: ({ route }) => void trace.push(route) });
  for await (const { type } of running([aCreation("ada")], simulated, { session })) trace.push(`told ${type}`);
  expect(trace.filter((text) => !text.startsWith("told")).slice(1, 4)).toEqual([
    "durable intended",
    "create-user",
    "durable succeeded",
  ]);
  const told = trace.flatMap((text) => (text.startsWith("told ") ? [text.slice("told ".length)] : []));
  for (const text of told) expect(trace.indexOf(`durable ${text}`)).toBeLessThan(trace.indexOf(`told ${text}`));
  expect(told).toHaveLength(6);
});
