import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, rolesOfOwnKey } from "../../support/action-builders.ts";
import { applied, emptyService, last } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { everything } from "../../support/science-plan.ts";
import { aFailure } from "../../support/simulated-service.ts";
import { aWorld } from "../../support/simulated-world.ts";

describe("what was touched, read again", () => {
  test("is diverged where a role stays in place, which is remembered", async () => {
    const world = aWorld();
    const session = memorySession(emptyState("l"));
    const events = await applied(
      [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])],
      emptyService({ world, sticky: ["TEAM_ROLE"] }),
      { session },
    );
    expect(last(events, 3)).toEqual([
      "key-read k2 as DEVELOPER,TEAM_ROLE",
      "verified diverged: the key k2 of ada@acme.example reads as DEVELOPER, TEAM_ROLE instead of DEVELOPER",
      "finished completed",
    ]);
    expect(session.saved().keys.get("k2")).toEqual({
      prefix: "k2",
      put: ["DEVELOPER"],
      at: noon,
      readAs: ["DEVELOPER", "TEAM_ROLE"],
    });
  });

  test("is settling where it does not show after two more reads", async () => {
    const simulated = emptyService();
    const clock = clockAt(noon);
    const lagging = { ...simulated, searchUsers: async () => ({ ok: true as const, value: [] }) };
    const events = await applied([aCreation("ada")], lagging, { clock });
    expect(last(events, 4)).toEqual([
      "waiting 500",
      "waiting 1500",
      "verified settling: ada@acme.example is not shown yet",
      "finished completed",
    ]);
    expect(clock.waits).toEqual([500, 1500]);
  });

  test("is converged where it shows a moment later", async () => {
    let reads = 0;
    const simulated = emptyService();
    const lagging = {
      ...simulated,
      searchUsers: async (...question: Parameters<typeof simulated.searchUsers>) => {
        reads += 1;
        return reads < 3 ? { ok: true as const, value: [] } : simulated.searchUsers(...question);
      },
    };
    expect(last(await applied([aCreation("ada")], lagging), 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("is unverified where the service hides it, or cannot be read", async () => {
    const hidden = await applied(everything, emptyService({ hides: ["keys", "replaced-roles"] }));
    expect(last(hidden, 2)).toEqual([
      "verified unverified: the service does not show enough to check 5 of 7 things done",
      "finished completed",
    ]);
    const unread = emptyService({
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    expect(last(await applied([aCreation("ada")], unread), 2)).toEqual([
      "verified unverified: it could not be read again: service-error",
      "finished completed",
    ]);
  });
});
