import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure, type SimulationOptions, tooManyCalls } from "../../support/simulated-service.ts";

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
      `intended ${teamCreation}`,
      expect.stringMatching(/^waiting 7[012]\d\d$/u),
      `intended ${teamCreation}`,
      expect.stringMatching(/^waiting 7[0-4]\d\d$/u),
      `intended ${teamCreation}`,
      `succeeded ${teamCreation}`,
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

  test("and whose run dies in between is resolved by the time of its last try", async () => {
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
    expect(brief(events)).toContain(`failed ${teamCreation}: service-error`);
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
    expect(brief(events)).toContain(`failed ${teamCreation}: service-error`);
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
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: service-error`,
      "finished interrupted: the run was interrupted",
    ]);
    expect(simulated.requests.writes).toBe(1);
    expect(session.saved().open).toMatchObject([{ action: teamCreation }]);
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
      `intended ${teamCreation}`,
      `intended ${teamCreation}`,
      `succeeded ${teamCreation}`,
    ]);
    expect(clock.waits).toEqual([]);
  });

  test("again and again has failed without an effect", async () => {
    const before: SimulationOptions["before"] = ({ route }) => (route === "create-user" ? late : undefined);
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada")], emptyService({ before }), { session });
    expect(brief(events)).toContain(`failed ${teamCreation}: unreachable`);
    expect(session.saved().open).toEqual([]);
  });
});
