import { describe, expect, test } from "vitest";
import { trackServerTimes } from "../../../src/http/server-times.ts";
import { elapsedSince, momentOf } from "../../../src/ports/clock.ts";

/** A machine whose two counts a test moves on its own. */
function machine() {
  const time = { wall: 0, monotonic: 0 };
  const clock = { now: () => time.wall, monotonic: () => time.monotonic };
  return {
    clock,
    pass(milliseconds: number) {
      time.wall += milliseconds;
      time.monotonic += milliseconds;
    },
    /** The machine sleeps, or somebody sets its clock. */
    step(milliseconds: number) {
      time.wall += milliseconds;
    },
  };
}

const minute = 60_000;

/** What answers tell, in order: each so many milliseconds after the one before it, with a time. */
function told(...answers: readonly (readonly [after: number, time: number])[]) {
  const { clock, pass, step } = machine();
  const times = trackServerTimes(clock);
  const earliest = times.reading();
  for (const [after, time] of answers) {
    const sent = momentOf(clock);
    pass(after);
    times.told(time, { sent, roundedTo: 1000 });
  }
  return { times, earliest, pass, step };
}

test("elapsed time is what the clock says that says more", () => {
  const { clock, pass, step } = machine();
  const start = momentOf(clock);
  pass(1000);
  step(-3_600_000);
  expect(elapsedSince(start, clock)).toBe(1000);
  step(3_600_000 + 20 * minute);
  expect(elapsedSince(start, clock)).toBe(1000 + 20 * minute);
});

describe("the time of a server", () => {
  test("is not known as long as no answer tells it", () => {
    const { times, earliest } = told();
    expect([times.latest(), earliest()]).toEqual([undefined, undefined]);
  });

  test("may be a second and the time of the call later than it was told, and goes on", () => {
    const { times, pass } = told([200, 50_000]);
    pass(300);
    expect(times.latest()).toBe(50_000 + 1000 + 200 + 300);
  });

  test("at the beginning of a read is what the answer tells, without the time that it took", () => {
    expect(told([200, 50_000]).earliest()).toBe(50_000 - 200);
  });

  test("goes on while the machine sleeps", () => {
    const { times, step } = told([0, 50_000]);
    step(20 * minute);
    expect(times.latest()).toBe(51_000 + 20 * minute);
  });

  test.each<[string, readonly (readonly [number, number])[], { readonly latest: number; readonly earliest: number }]>([
    [
      "stands still",
      [
        [0, 50_000],
        [30_000, 50_000],
      ],
      { latest: 51_000 + 30_000, earliest: 20_000 },
    ],
    [
      "jumps back",
      [
        [0, 3_600_000],
        [1000, 1000],
      ],
      { latest: 3_601_000 + 1000, earliest: 0 },
    ],
    [
      "runs ahead of ours",
      [
        [0, 50_000],
        [1000, 50_000 + 16 * minute],
      ],
      { latest: 52_000 + 16 * minute, earliest: 50_000 },
    ],
  ])(
    "that %s is believed in the careful way: as late for what was sent, as early for what was read",
    (_, answers, bounds) => {
      const { times, earliest } = told(...answers);
      expect({ latest: times.latest(), earliest: earliest() }).toEqual(bounds);
    },
  );
});
