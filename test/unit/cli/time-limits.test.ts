import { describe, expect, test } from "vitest";
import { type Cancellation, cancellationAfter, readDeadline } from "../../../src/cli/flags.ts";
import type { Host } from "../../../src/cli/host.ts";
import { systemClock } from "../../../src/library/environment.ts";
import { readDuration, showDuration } from "../../../src/yaml/duration.ts";
import { pairsOf } from "../../support/cases.ts";
import { insideHost } from "../../support/inside.ts";

describe("a duration", () => {
  const read = "90s=90000 20m=1200000 1h30m=5400000 2d=172800000 1d2h3m4s=93784000 0=0 0s=0 24d=2073600000";
  test.each(Object.entries(pairsOf(read)))("%s is %s milliseconds", (written, milliseconds) => {
    expect(readDuration(written)).toEqual({ ok: true, value: Number(milliseconds) });
  });

  const whole = "a duration has whole numbers with d, h, m and s, in this order, such as 90s, 1h30m or 2d";
  test.each([
    ["20", "a duration has a unit, such as 20s or 20m"],
    ["-5m", "a duration cannot be negative"],
    ["1.5h", "a duration is made of whole numbers: write 1h30m for one and a half hours"],
    ["25d", "a duration is at most 24d"],
    ["99999999999999999999d", "a duration is at most 24d"],
    ...["", "m", "30m1h", "1h1h", "5 m", "5M", "5ms", "PT5M"].map((written) => [written, whole]),
  ])("%j is none", (written = "", why = "") => {
    expect(readDuration(written)).toEqual({ ok: false, error: why });
  });

  const shown = "5400000=1h30m 45400=45s 120000=2m 400=0s 86400000=1d";
  test.each(Object.entries(pairsOf(shown)))("of %s milliseconds is shown as %s", (milliseconds, text) => {
    expect(showDuration(Number(milliseconds))).toBe(text);
  });
});

/** A clock on which a wait ends when the test says so, and that it moves. */
function heldClock() {
  const ends: (() => void)[] = [];
  const waits: number[] = [];
  let time = 0;
  const clock = {
    now: () => time,
    monotonic: () => 0,
    wait: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push(milliseconds);
        ends.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  const pass = (milliseconds: number) => {
    time += milliseconds;
    for (const end of ends.splice(0)) end();
    return settled();
  };
  return { clock, waits, pass };
}

function started(host: Host, deadline?: string): Cancellation {
  return cancellationAfter(readDeadline({ deadline }), host);
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("what ends a command early", () => {
  test("is its deadline, which says so", async () => {
    const { clock, waits, pass } = heldClock();
    const halting = started(insideHost({ cwd: "/", clock }), "20m");
    await pass(1_199_900);
    expect({ waits, aborted: halting.signal.aborted, late: halting.outOfTime() }).toEqual({
      waits: [500, 100],
      aborted: false,
      late: undefined,
    });
    await pass(100);
    expect([halting.signal.aborted, halting.deadline.aborted]).toEqual([true, true]);
    expect(halting.outOfTime()).toMatchObject({
      reason: "failed",
      code: "aborted",
      message: "the command did not end within the --deadline of 20m. Nothing was changed",
      hint: "run it again with a longer --deadline, or without one",
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

  test("may be waited for by many calls at once, of which Node does not warn", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const host = insideHost({ cwd: "/" });
    const { signal } = started(host);
    const waits = Array.from({ length: 30 }, () => systemClock.wait(60_000, signal));
    host.interrupt("SIGINT");
    await Promise.all(waits);
    await settled();
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("comes soon after a machine wakes that slept beyond it, since timers stand still meanwhile", async () => {
    const { clock, waits, pass } = heldClock();
    const halting = started(insideHost({ cwd: "/", clock }), "20m");
    await pass(7_200_000);
    expect([waits, halting.deadline.aborted]).toEqual([[500], true]);
  });
});
