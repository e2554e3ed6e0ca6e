import { describe, expect, test } from "vitest";
import { prefetchIntents, type UpcomingCall } from "../../../src/apply/run-journal.ts";
import { creationIntent, noon, rolesIntent } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";

const ada: UpcomingCall = { action: "a", intent: creationIntent("ada") };
const bo: UpcomingCall = { action: "b", intent: creationIntent("bo") };

function scene(...upcoming: readonly UpcomingCall[]) {
  const clock = clockAt(noon);
  const ahead = prefetchIntents({ run: "r1", clock });
  let soon = upcoming;
  ahead.follow(() => soon);
  return {
    clock,
    ahead,
    letCome: (...next: readonly UpcomingCall[]) => {
      soon = next;
    },
    written() {
      const joined = ahead.join();
      joined.ended("durable");
      return joined.intended;
    },
  };
}

describe("calls that are announced before their turn", () => {
  test("say until when they may be sent, and are announced once", async () => {
    const { ahead, written } = scene(ada, bo);
    const said = { type: "intended", at: noon, until: "2026-11-20T12:00:06.000Z", run: "r1" };
    expect(written()).toEqual([
      { ...said, ...ada },
      { ...said, ...bo },
    ]);
    expect(written()).toEqual([]);
    expect(await ahead.claim(ada)).toBeDefined();
  });

  test("are sent once for each announcement", async () => {
    const { ahead, written, letCome } = scene(ada);
    written();
    letCome();
    expect(await ahead.claim(ada)).toBeDefined();
    expect(await ahead.claim(ada)).toBeUndefined();
  });

  test("are announced again before they lapse, and not sent once they have", async () => {
    const { ahead, clock, written } = scene(ada, bo);
    written();
    clock.move(3000);
    expect(written()).toEqual([]);
    clock.move(1000);
    expect(written().map(({ until }) => until)).toEqual(Array(2).fill("2026-11-20T12:00:10.000Z"));
    clock.move(4000);
    expect(await ahead.claim(ada)).toBeDefined();
    clock.move(1);
    expect(await ahead.claim(bo)).toBeUndefined();
  });

  test("are announced again where they are for something else by now, and not sent as the former", async () => {
    const { ahead, written, letCome } = scene({ action: "k", intent: rolesIntent("k-1", "DEVELOPER") });
    written();
    const other = { action: "k", intent: rolesIntent("k-2", "DEVELOPER") };
    expect(await ahead.claim(other)).toBeUndefined();
    letCome(other);
    expect(written()).toHaveLength(1);
    expect(await ahead.claim(other)).toBeDefined();
  });

  test("wait for the write that announces them, and are not sent where it is lost", async () => {
    for (const how of ["durable", "lost"] as const) {
      const { ahead } = scene(ada);
      const joined = ahead.join();
      const claimed = ahead.claim(ada);
      joined.ended(how);
      expect((await claimed) !== undefined).toBe(how === "durable");
    }
  });

  test("do not wait for a second write where the first one lasts", async () => {
    const { ahead, clock, written } = scene(ada);
    written();
    clock.move(4000);
    const again = ahead.join();
    expect(again.intended).toHaveLength(1);
    expect(await ahead.claim(ada)).toBeDefined();
    again.ended("durable");
    await Promise.resolve();
    expect(await ahead.claim(ada)).toBeUndefined();
  });

  test("are none where nobody says what comes next", async () => {
    const ahead = prefetchIntents({ run: "r1", clock: clockAt(noon) });
    expect(ahead.join().intended).toEqual([]);
    expect(await ahead.claim(ada)).toBeUndefined();
  });
});
