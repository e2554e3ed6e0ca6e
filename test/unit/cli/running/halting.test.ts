import { describe, expect, test } from "vitest";
import type { Host } from "../../../../src/cli/host.ts";
import { type Halting, startHalting } from "../../../../src/cli/running/halting.ts";
import { insideHost } from "../../../support/inside.ts";

/** A clock on which a wait ends when the test says so. */
function heldClock() {
  const ends: (() => void)[] = [];
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    wait: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push(milliseconds);
        ends.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  return { clock, waits, pass: () => void ends.map((end) => end()) };
}

function started(host: Host, deadline?: string): Halting {
  const halting = startHalting({ deadline }, host);
  if (!halting.ok) throw new Error("it was refused");
  return halting.value;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("what ends a command early", () => {
  test("is its deadline, which says so", async () => {
    const { clock, waits, pass } = heldClock();
    const halting = started(insideHost({ cwd: "/", clock }), "20m");
    expect({ waits, aborted: halting.signal.aborted, late: halting.outOfTime() }).toEqual({
      waits: [1_200_000],
      aborted: false,
      late: undefined,
    });
    pass();
    await settled();
    expect([halting.signal.aborted, halting.deadline.aborted]).toEqual([true, true]);
    expect(halting.outOfTime()).toEqual({
      reason: "failed",
      problem: {
        code: "deadline",
        message: "the 20m that --deadline gives were over before anything was done",
        hint: "give it more time, and run again",
      },
    });
  });

  test("is an interrupt, which is no deadline", () => {
    const host = insideHost({ cwd: "/" });
    const halting = started(host);
    host.interrupt("SIGTERM");
    expect([halting.signal.aborted, halting.deadline.aborted, halting.outOfTime()]).toEqual([true, false, undefined]);
  });

  test("does not come after the end", async () => {
    const { clock } = heldClock();
    const halting = started(insideHost({ cwd: "/", clock }), "1s");
    halting.end();
    await settled();
    expect(halting.signal.aborted).toBe(false);
  });

  test("comes from the variable where no flag is given", () => {
    const { clock, waits } = heldClock();
    started(insideHost({ cwd: "/", clock, env: { ROSTER_DEADLINE: "1h" } }));
    expect(waits).toEqual([3_600_000]);
  });
});
