import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/model/event.ts";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, createId } from "../../support/action-builders.ts";
import { applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";

const empty = emptyState("l");

describe("a write of an announcement that takes long", () => {
  test.each([
    [900, [undefined]],
    [3000, [undefined, "2026-11-20T12:00:15.000Z"]],
  ] as const)("and takes %i ms is made again only where it says too little", async (takes, until) => {
    const clock = clockAt(noon);
    const session = memorySession(empty, () => clock.move(takes));
    const simulated = emptyService();
    const events = await applied([aCreation("ada")], simulated, { session, clock });
    expect(announcedIn(session.durable).map((event) => event.until)).toEqual(until);
    expect(brief(events).filter((text) => text.startsWith("intended"))).toEqual([`intended ${createId("ada")}`]);
    expect(simulated.requests.writes).toBe(1);
  });

  test("ends the run where no announcement can last so long, and nothing is sent", async () => {
    const clock = clockAt(noon);
    const session = memorySession(empty, () => clock.move(21_000));
    const simulated = emptyService();
    const events = await applied([aCreation("ada")], simulated, { session, clock });
    expect(brief(events).at(-1)).toBe(
      "finished stopped: the store of the log took 21 s to write. That is too slow to record each call before it " +
        "is sent",
    );
    expect(simulated.requests.writes).toBe(0);
    expect(session.saved().open).toEqual([]);
  });
});

function announcedIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === "intended" ? [event] : []));
}
