import { describe, expect, test } from "vitest";
import { trackWriteBehaviour, type WriteBehaviourTracker } from "../../../src/apply/write-learning.ts";
import type { WriteBehaviour } from "../../../src/model/consistency.ts";
import { noon } from "../../support/event-builders.ts";

const minute = 60_000;

function learning(writes: WriteBehaviour = { prompt: 0, longest: 0 }, set?: number): WriteBehaviourTracker {
  return trackWriteBehaviour({ writes }, set);
}

/** A read shows, so many milliseconds after it was answered, a write. */
type Shown = readonly [took: number, when: "at-first-look" | "late"];

function learnedFrom(learned: WriteBehaviourTracker, shown: readonly Shown[]): WriteBehaviour {
  for (const [took, when] of shown) learned.showed(1000, 1000 + took, when);
  return learned.behaviour;
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
    expect(learned.behaviour).toEqual({ prompt: 0, longest: 300 });
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
    expect({ window: learned.window, decidedFrom: learned.decidedFrom(1000) }).toEqual({
      window: 5000,
      decidedFrom: 6000,
    });
  });

  test("is ten minutes at least once the service has taken a call for later, in this run or an earlier one", () => {
    const prompt = { prompt: 50, longest: 0 };
    const learned = learning(prompt);
    const before = learned.decidedFrom(1000);
    learned.recordAccepted();
    const earlier = trackWriteBehaviour({ writes: prompt, queues: { at: noon } }, undefined);
    expect([before, learned.decidedFrom(1000), earlier.decidedFrom(1000)]).toEqual([
      1000 + minute,
      1000 + 10 * minute,
      1000 + 10 * minute,
    ]);
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
