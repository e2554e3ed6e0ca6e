import { describe, expect, test } from "vitest";
import { virtualClock } from "../../../src/rehearse/virtual-clock.ts";

const noon = Date.UTC(2026, 10, 20, 12);

describe("a clock that jumps", () => {
  test("n waits one after another take just n times as long", async () => {
    const clock = virtualClock(noon);
    for (let call = 0; call < 1000; call += 1) await clock.wait(80);
    expect(clock.now() - noon).toBe(80_000);
  });

  test("waits at once end in the order of their times, and as a whole take the longest", async () => {
    const clock = virtualClock(noon);
    const ended: string[] = [];
    const wait = async (name: string, milliseconds: number) => {
      await clock.wait(milliseconds);
      ended.push(`${name} at ${clock.now() - noon}`);
    };
    await Promise.all([wait("c", 30), wait("a", 10), wait("b", 10), wait("d", 86_400_000)]);
    expect(ended).toEqual(["a at 10", "b at 10", "c at 30", "d at 86400000"]);
  });

  test("work between two waits takes no time, however many promises it is made of", async () => {
    const clock = virtualClock(noon);
    const busy = async () => {
      for (let step = 0; step < 500; step += 1) await Promise.resolve();
      await clock.wait(10);
      return clock.now() - noon;
    };
    const other = clock.wait(1000).then(() => clock.now() - noon);
    expect([await busy(), await busy(), await other]).toEqual([10, 20, 1000]);
  });

  test("no wait, and one that is aborted, are over at once", async () => {
    const clock = virtualClock(noon);
    const stop = new AbortController();
    const waiting = clock.wait(1000, stop.signal);
    stop.abort();
    await Promise.all([waiting, clock.wait(1000, stop.signal), clock.wait(0), clock.wait(-5)]);
    expect(clock.now()).toBe(noon);
    await clock.wait(20);
    expect(clock.now() - noon).toBe(20);
  });
});
