import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../src/model/key.ts";
import { success } from "../../../src/model/result.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { aCreation, rolesOfOwnKey } from "../../support/action-builders.ts";
import { applied, brief, emptyService, last } from "../../support/apply-run.ts";
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
      "verified diverged: the key k2 of ada@acme.example has DEVELOPER, TEAM_ROLE instead of DEVELOPER",
      "finished completed",
    ]);
    expect(session.saved().keys.get("k2")).toEqual({
      prefix: "k2",
      setRoles: ["DEVELOPER"],
      at: noon,
      observedRoles: ["DEVELOPER", "TEAM_ROLE"],
    });
  });

  test("is settling where it does not show within the settling time, and each matter is told once", async () => {
    const simulated = emptyService();
    const clock = clockAt(noon);
    const lagging = { ...simulated, searchUsers: async () => ({ ok: true as const, value: [] }) };
    const events = await applied([aCreation("ada", { createsTeam: "Science" })], lagging, { clock });
    expect(last(events, 5)).toEqual([
      "waiting 500",
      "waiting 1500",
      "waiting 3000",
      "verified pending: the service does not show ada@acme.example yet",
      "finished completed",
    ]);
    expect(clock.waits).toEqual([500, 1500, 3000]);
  });

  test("is remembered as seen where it shows, users and members alike, and is not where it does not", async () => {
    const session = memorySession(emptyState("l"));
    await applied(everything, emptyService(), { session });
    const { users, memberships } = session.saved();
    expect([...users.values(), ...memberships.values()].map(({ seenAt }) => seenAt)).toEqual(Array(4).fill(noon));
    const hidden = memorySession(emptyState("l"));
    await applied(everything, { ...emptyService(), searchUsers: async () => success([]) }, { session: hidden });
    const unseen = [...hidden.saved().users.values(), ...hidden.saved().memberships.values()];
    expect(unseen.flatMap(({ seenAt }) => seenAt ?? [])).toEqual([]);
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
      "verified unverified: the service does not show enough to check 5 of 7 changes",
      "finished completed",
    ]);
    const unread = emptyService({
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    expect(last(await applied([aCreation("ada")], unread), 2)).toEqual([
      "verified unverified: roster could not read the service again: service-error",
      "finished completed",
    ]);
  });

  /** A service whose searches show the roles of keys as they were, until so long after noon. */
  function showingOldRoles(until: number, options: Parameters<typeof emptyService>[0]) {
    const simulated = emptyService(options);
    const clock = clockAt(noon);
    const isLate = () => clock.now() - Date.parse(noon) >= until;
    const service: AccountService = {
      ...simulated,
      async searchUsers(...question) {
        const found = await simulated.searchUsers(...question);
        if (!found.ok || isLate()) return found;
        const old = (key: ObservedKey): ObservedKey => ({ ...key, roles: ["ACCOUNT_ADMIN", "DEVELOPER"] });
        return success(found.value.map((user) => ({ ...user, keys: (user.keys ?? []).map(old) })));
      },
    };
    return { service, clock };
  }

  const wanted = [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])];

  test("that shows otherwise than the answer is read until it agrees, and never remembered before", async () => {
    const { service, clock } = showingOldRoles(2000, {});
    const session = memorySession(emptyState("l"));
    const events = await applied(wanted, service, { clock, session });
    expect(last(events, 6)).toEqual([
      "waiting 500",
      "waiting 1500",
      "access-seen",
      "key-read k2 as DEVELOPER",
      "verified converged",
      "finished completed",
    ]);
    expect(session.saved().keys.get("k2")?.observedRoles).toEqual(["DEVELOPER"]);
  });

  test("that shows otherwise than the answer to the end of the wait is remembered, since it has had its time", async () => {
    const { service, clock } = showingOldRoles(60_000, {});
    const events = await applied(wanted, service, { clock });
    expect(clock.waits).toEqual([500, 1500, 3000]);
    expect(last(events, 4)).toEqual([
      "key-read k2 as ACCOUNT_ADMIN,DEVELOPER",
      "found roles-kept-by-service for key k2",
      "verified diverged: the key k2 of ada@acme.example has ACCOUNT_ADMIN, DEVELOPER instead of DEVELOPER",
      "finished completed",
    ]);
  });

  test.each([
    ["what an earlier run asked for", roleSet(["ACCOUNT_ADMIN", "DEVELOPER"])],
    ["what was before an earlier run", roleSet(["AUDITOR"])],
  ])("that may be %s is settling, however long the wait", async (_, setRoles) => {
    const { service, clock } = showingOldRoles(60_000, {});
    // By a machine whose clock was behind.
    const keys = new Map([["k2", { prefix: "k2", setRoles, at: "2020-01-01T00:00:00.000Z" }]]);
    const session = memorySession({ ...emptyState("l"), keys });
    const events = await applied(wanted, service, { clock, session, consistency: 60_000 });
    expect(last(events, 3)).toEqual([
      "key-read k2 as ACCOUNT_ADMIN,DEVELOPER, provisional",
      "verified pending: the key k2 of ada@acme.example has ACCOUNT_ADMIN, DEVELOPER instead of DEVELOPER",
      "finished completed",
    ]);
  });

  test("that cannot wait is settling, and remembered as read too early", async () => {
    const { service, clock } = showingOldRoles(60_000, {});
    const events = await applied(wanted, service, { clock: { ...clock, wait: async () => undefined } });
    expect(brief(events)).toContain("key-read k2 as ACCOUNT_ADMIN,DEVELOPER, provisional");
    expect(last(events, 2)).toEqual([
      "verified pending: the key k2 of ada@acme.example has ACCOUNT_ADMIN, DEVELOPER instead of DEVELOPER",
      "finished completed",
    ]);
  });

  test("of a service that does not answer with roles is remembered after its time: one write, then stable", async () => {
    const clock = clockAt(noon);
    const simulated = emptyService({ hides: ["replaced-roles"], sticky: ["TEAM_ROLE"] });
    const events = await applied(wanted, simulated, { clock });
    expect(clock.waits).toEqual([500, 1500, 3000]);
    expect(brief(events)).toContain("key-read k2 as DEVELOPER,TEAM_ROLE");
  });

  test("where a read shows no roles, the answer that repeats what was sent verifies nothing, and is counted", async () => {
    const simulated = emptyService();
    const service: AccountService = {
      ...simulated,
      async searchUsers(...question) {
        const found = await simulated.searchUsers(...question);
        if (!found.ok) return found;
        const bare = ({ roles: _hidden, ...key }: ObservedKey): ObservedKey => key;
        return success(found.value.map((user) => ({ ...user, keys: (user.keys ?? []).map(bare) })));
      },
    };
    const events = await applied(wanted, service);
    expect(last(events, 2)).toEqual([
      "verified unverified: the service does not show enough to check 1 of 2 changes",
      "finished completed",
    ]);
    expect(brief(events).filter((told) => told.startsWith("key-read"))).toEqual([]);
  });
});
