import { describe, expect, test } from "vitest";
import { type ConcurrencyLimit, concurrencyUpTo } from "../../../src/apply/apply-session.ts";
import { trackWriteBehaviour, type WriteBehaviourTracker } from "../../../src/apply/write-behaviour.ts";
import type { WriteBehaviour } from "../../../src/model/capabilities.ts";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { founding } from "../../support/science-plan.ts";
import { aFailure, type SimulationOptions, tooManyCalls } from "../../support/simulated-service.ts";

function limits(limit: ConcurrencyLimit, ...steps: readonly ("succeeded" | "throttled")[]): readonly number[] {
  return steps.map((step) => {
    limit[step]();
    return limit.limit;
  });
}

test("writes start two at a time and grow one by one up to the bound", () => {
  const limit = concurrencyUpTo(4);
  expect(limit.limit).toBe(2);
  expect(limits(limit, "succeeded", "succeeded", "succeeded")).toEqual([3, 4, 4]);
});

test("throttling halves them, down to one, and they grow again", () => {
  const limit = concurrencyUpTo(9);
  for (let done = 0; done < 9; done += 1) limit.succeeded();
  expect(limits(limit, "throttled", "throttled", "throttled", "throttled", "succeeded")).toEqual([4, 2, 1, 1, 2]);
});

test("where one at a time is the bound, it stays so", () => {
  expect(limits(concurrencyUpTo(1), "succeeded", "throttled", "succeeded")).toEqual([1, 1, 1]);
});

/** Throttles creations until so many have come. */
function throttling(times: number, askAfter?: number): Partial<SimulationOptions> {
  let came = 0;
  return {
    before(call) {
      if (call.route !== "create-user") return undefined;
      came += 1;
      if (came > times) return undefined;
      return { failure: tooManyCalls, ...(askAfter === undefined ? {} : { askAfter }) };
    },
  };
}

describe("a call that is to come back later", () => {
  test("is sent again after the time that the service asks for, and announced before each try", async () => {
    const clock = clockAt(noon);
    const events = await applied([aCreation("ada")], emptyService(throttling(2, 7000)), { clock });
    expect(brief(events).slice(1, 7)).toEqual([
      `intended ${founding}`,
      expect.stringMatching(/^waiting 7[012]\d\d$/u),
      `intended ${founding}`,
      expect.stringMatching(/^waiting 7[0-4]\d\d$/u),
      `intended ${founding}`,
      `succeeded ${founding}`,
    ]);
    const announced = events.flatMap((event) => (event.type === "intended" ? [Date.parse(event.at)] : []));
    expect(announced.map((at) => Math.floor((at - Date.parse(noon)) / 1000))).toEqual([0, 7, 14]);
  });

  test("is announced anew where it replaces roles, too", async () => {
    let refused = 0;
    const simulated = emptyService({
      before(call) {
        if (call.route !== "replace-roles" || refused > 0) return undefined;
        refused += 1;
        return { failure: tooManyCalls, askAfter: 3000 };
      },
    });
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], simulated);
    expect(aboutAction(events, rolesId("ada"))).toEqual([
      `intended ${rolesId("ada")}`,
      `intended ${rolesId("ada")}`,
      `succeeded ${rolesId("ada")}`,
    ]);
  });

  test("and whose run dies in between is settled by the time of its last try", async () => {
    const session = memorySession(emptyState("l"));
    const clock = clockAt(noon);
    const dying = { ...clock, wait: (milliseconds: number) => clock.wait(milliseconds) };
    const simulated = emptyService({
      before: (call) =>
        call.route !== "create-user"
          ? undefined
          : clock.waits.length === 0
            ? { failure: tooManyCalls, askAfter: 20_000 }
            : new Promise(() => undefined),
    });
    void applied([aCreation("ada")], simulated, { session, clock: dying });
    while (simulated.requests.writes < 2) await new Promise((resolve) => setImmediate(resolve));
    const [open] = session.saved().open;
    expect(Date.parse(open?.at ?? "") - Date.parse(noon)).toBeGreaterThanOrEqual(20_000);
  });

  test("again and again, and which reads do not show, had no effect", async () => {
    const simulated = emptyService(throttling(100));
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], simulated, { session });
    expect(brief(events)).toContain(`failed ${founding}: service-error`);
    expect(simulated.requests.writes).toBe(4);
    expect(session.saved().open).toEqual([]);
  });

  test("and is refused as being there already when it is sent again teaches that throttled calls may have been done", async () => {
    let came = 0;
    const simulated = emptyService({
      before({ route }) {
        if (route !== "create-user") return undefined;
        came += 1;
        return { failure: came === 1 ? tooManyCalls : aFailure("conflict") };
      },
    });
    const session = memorySession(emptyState("l"));
    await applied([aCreation("ada")], simulated, { session });
    expect(came).toBe(2);
    expect(session.saved().writes?.throttling).toBe("may-have-effect");
  });

  test("after more time than a call may take is not waited for", async () => {
    const clock = clockAt(noon);
    const simulated = emptyService(throttling(100, 3_600_000));
    const events = await applied([aCreation("ada")], simulated, { clock });
    expect(brief(events)).toContain(`failed ${founding}: service-error`);
    expect(simulated.requests.writes).toBe(1);
    expect(clock.waits).toEqual([500, 1000, 2000, 2000]);
  });

  test("is not sent any more once the run is interrupted, and stays open: it may have had an effect", async () => {
    const stop = new AbortController();
    const session = memorySession(emptyState("l"));
    const simulated = emptyService({
      before: () => {
        stop.abort();
        return { failure: tooManyCalls, askAfter: 7000 };
      },
    });
    const events = await applied([aCreation("ada")], simulated, { session, signal: stop.signal });
    expect(brief(events).slice(1)).toEqual([
      `intended ${founding}`,
      `unknown-outcome ${founding}: service-error`,
      "finished interrupted: the run was interrupted",
    ]);
    expect(simulated.requests.writes).toBe(1);
    expect(session.saved().open).toMatchObject([{ action: founding }]);
  });
});

describe("a call that could not leave in its time", () => {
  const late = { failure: aFailure("unreachable"), sendAgain: "too-late" } as const;

  test("is announced anew, and sent at once", async () => {
    const clock = clockAt(noon);
    let came = 0;
    const before: SimulationOptions["before"] = ({ route }) => {
      if (route !== "create-user" || came > 0) return undefined;
      came += 1;
      return late;
    };
    const events = await applied([aCreation("ada")], emptyService({ before }), { clock });
    expect(brief(events).slice(1, 4)).toEqual([
      `intended ${founding}`,
      `intended ${founding}`,
      `succeeded ${founding}`,
    ]);
    expect(clock.waits).toEqual([]);
  });

  test("again and again has failed without an effect", async () => {
    const before: SimulationOptions["before"] = ({ route }) => (route === "create-user" ? late : undefined);
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], emptyService({ before }), { session });
    expect(brief(events)).toContain(`failed ${founding}: unreachable`);
    expect(session.saved().open).toEqual([]);
  });
});

const minute = 60_000;

function learning(writes: WriteBehaviour = { prompt: 0, longest: 0 }, set?: number): WriteBehaviourTracker {
  return trackWriteBehaviour({ writes }, { consistency: set });
}

/** A read shows, so many milliseconds after it was answered, a write. */
type Shown = readonly [took: number, when: "at-first-look" | "late"];

function learnedFrom(learned: WriteBehaviourTracker, shown: readonly Shown[]): WriteBehaviour {
  for (const [took, when] of shown) learned.showed(1000, 1000 + took, when);
  return learned.known;
}

describe("what a run learns of how writes show", () => {
  test.each<readonly [string, readonly Shown[], WriteBehaviour]>([
    ["a write that the first look shows in time is prompt", [[0, "at-first-look"]], { prompt: 8, longest: 300 }],
    ["a write that shows after 5 s sharp is prompt", [[5000, "at-first-look"]], { prompt: 8, longest: 300 }],
    ["a late first look tells nothing of the service", [[60_000, "at-first-look"]], { prompt: 7, longest: 300 }],
    [
      "a write that shows at a second look in time is prompt, and its time counts",
      [[2000, "late"]],
      { prompt: 8, longest: 2000 },
    ],
    ["a write that shows after 5 s cuts the count back", [[5001, "late"]], { prompt: 0, longest: 5001 }],
    [
      "the slowest write counts, not the last",
      [
        [9000, "late"],
        [1000, "late"],
      ],
      { prompt: 1, longest: 9000 },
    ],
    ["a read before its write by another clock counts as at once", [[-500, "late"]], { prompt: 8, longest: 300 }],
  ])("%s", (_, shown, behaviour) => {
    expect(learnedFrom(learning({ prompt: 7, longest: 300 }), shown)).toEqual(behaviour);
  });

  test("is counted up to 50 prompt writes and no further", () => {
    const many = Array.from({ length: 60 }, (): Shown => [100, "at-first-look"]);
    expect(learnedFrom(learning(), many)).toEqual({ prompt: 50, longest: 0 });
  });

  test("is cut back by a write that no look showed", () => {
    const learned = learning({ prompt: 50, longest: 300 });
    learned.showedNothing();
    expect(learned.known).toEqual({ prompt: 0, longest: 300 });
  });
});

describe("the window that a run waits out", () => {
  test("is a minute from the fiftieth prompt write on, and a quarter of an hour again after a late one", () => {
    const learned = learning({ prompt: 49, longest: 0 });
    const windows = [learned.window];
    learned.showed(0, 100, "at-first-look");
    windows.push(learned.window);
    learned.showed(0, 6000, "late");
    windows.push(learned.window);
    expect(windows).toEqual([15 * minute, minute, 15 * minute]);
  });

  test("is ten times the slowest write where that is longer", () => {
    const learned = learning();
    learned.showed(0, 2 * minute, "late");
    expect(learned.window).toBe(20 * minute);
  });

  test("is what a person has set, whatever is learned", () => {
    const learned = learning(undefined, 5000);
    learned.showed(0, 2 * minute, "late");
    expect({ window: learned.window, decidedAfter: learned.decidedAfter }).toEqual({
      window: 5000,
      decidedAfter: 5000,
    });
  });

  test("is ten minutes at least once the service has taken a call for later, in this run or an earlier one", () => {
    const prompt = { prompt: 50, longest: 0 };
    const learned = learning(prompt);
    const before = learned.decidedAfter;
    learned.recordAccepted();
    const earlier = trackWriteBehaviour({ writes: prompt, queues: { at: noon } }, {});
    expect([before, learned.decidedAfter, earlier.decidedAfter]).toEqual([minute, 10 * minute, 10 * minute]);
  });
});

describe("what is to be remembered", () => {
  test("is nothing where nothing was learned", () => {
    expect(learning({ prompt: 3, longest: 300, throttling: "no-effect" }).learnedEvent(noon)).toBeUndefined();
  });

  test.each<readonly [string, (learned: WriteBehaviourTracker) => void, Partial<WriteBehaviour>]>([
    ["prompt writes", (learned) => learned.showed(0, 1, "at-first-look"), { prompt: 4 }],
    ["the slowest write", (learned) => learned.showed(0, 4000, "late"), { prompt: 4, longest: 4000 }],
    ["a write that was never shown", (learned) => learned.showedNothing(), { prompt: 0 }],
    ["throttling", (learned) => learned.learnThrottling("may-have-effect"), { throttling: "may-have-effect" }],
    ["the name of members", (learned) => learned.learnMemberNames("email"), { membersNamedBy: "email" }],
  ])("is told once: %s", (_, learn, more) => {
    const known = { prompt: 3, longest: 300 };
    const learned = learning(known);
    learn(learned);
    expect([learned.learnedEvent(noon), learned.learnedEvent(noon)]).toEqual([
      { type: "writes-learned", at: noon, writes: { ...known, ...more } },
      undefined,
    ]);
  });

  test("is told again where more was learned", () => {
    const learned = learning();
    learned.learnMemberNames("email");
    learned.learnedEvent(noon);
    learned.learnThrottling("no-effect");
    expect(learned.learnedEvent(noon)?.writes).toEqual({
      prompt: 0,
      longest: 0,
      membersNamedBy: "email",
      throttling: "no-effect",
    });
  });
});
