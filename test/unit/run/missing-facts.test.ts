import { describe, expect, test } from "vitest";
import { accessWasRefused, summarizeRun } from "../../../src/log/summary.ts";
import { aCreation, createId, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService, last } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addition, boRoles, everything, firstMemberRoles, teamCreation } from "../../support/science-plan.ts";
import { aFailure } from "../../support/simulated-service.ts";

describe("what an answer does not show", () => {
  test("is learned by one search: the team's identifier and the keys that later calls need", async () => {
    const simulated = emptyService({ hides: ["created-team", "created-key", "added-keys"] });
    const events = await applied(everything, simulated);
    expect(brief(events).filter((text) => /key-learned|team-identified/.test(text))).toEqual([
      "key-learned k3 of ada@acme.example in acc-1/science",
      "team-identified acc-1/science as t2",
      "key-learned k5 of bo@acme.example",
      "key-learned k6 of bo@acme.example in acc-1/science",
    ]);
    expect(simulated.calls.filter(({ route }) => route === "search-users")).toHaveLength(4);
    expect(last(events, 2)).toEqual(["verified converged", "finished completed"]);
  });

  test("is not searched for where no later call needs it", async () => {
    const simulated = emptyService({ hides: ["created-team", "created-key", "added-keys"] });
    await applied([aCreation("ada", { createsTeam: "Science" }), aCreation("bo")], simulated);
    expect(simulated.requests.reads).toBe(1);
  });

  test("nor a read, is a finding with what to write, and only what needs it is skipped", async () => {
    const simulated = emptyService({ hides: ["team-identifiers", "created-key", "keys"] });
    const events = await applied(everything, simulated);
    expect(brief(events).filter((text) => /found|skipped/.test(text))).toEqual([
      `found key-prefix-unknown for member ada@acme.example of team acc-1/science`,
      `found team-identifier-unknown for team acc-1/science`,
      `skipped ${firstMemberRoles} because of ${teamCreation}: the prefix of the key is unknown`,
      `found key-prefix-unknown for user bo@acme.example`,
      `skipped ${rolesId("bo")} because of ${createId("bo")}: the prefix of the key is unknown`,
      `skipped ${addition} because of ${teamCreation}: the identifier of the team Science is unknown`,
      `skipped ${boRoles} because of ${teamCreation}: the identifier of the team Science is unknown`,
    ]);
    expect(simulated.world.users).toHaveLength(2);
    const finding = events.find((event) => event.type === "found" && event.finding.code === "team-identifier-unknown");
    expect(finding).toMatchObject({
      finding: {
        kind: "task",
        suggestedYaml: "teams:\n  - name: Science\n    identifier: IDENTIFIER\n",
      },
    });
  });

  test("is not asked for again once a search has shown that keys are hidden", async () => {
    const simulated = emptyService({ hides: ["keys", "created-key"] });
    await applied([aCreation("ada"), rolesOfOwnKey("ada", []), aCreation("bo"), rolesOfOwnKey("bo", [])], simulated, {
      parallelism: 1,
    });
    expect(simulated.calls.filter(({ route }) => route === "search-users")).toHaveLength(2);
  });

  test("a moment after the call is looked for a second time", async () => {
    let reads = 0;
    const simulated = emptyService({ hides: ["created-key"] });
    const lagging = {
      ...simulated,
      searchUsers: async (...question: Parameters<typeof simulated.searchUsers>) => {
        reads += 1;
        return reads === 1 ? { ok: true as const, value: [] } : simulated.searchUsers(...question);
      },
    };
    const clock = clockAt(noon);
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], lagging, { clock });
    expect(aboutAction(events, rolesId("ada"))).toContain(`succeeded ${rolesId("ada")}`);
    expect(clock.waits).toEqual([1000]);
  });

  test("because the key in use is refused ends the run, which tells so", async () => {
    const simulated = emptyService({
      hides: ["created-key"],
      before: (call) => (call.route === "search-users" ? { failure: aFailure("unauthorized", "no") } : undefined),
    });
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], simulated);
    expect(events.at(-1)).toEqual({ type: "run-finished", at: noon, ended: "stopped", why: "no", accessRefused: true });
    expect(accessWasRefused(summarizeRun(events))).toBe(true);
  });

  test("because the answer shows several keys is not guessed, and told with all of them", async () => {
    const simulated = emptyService({ hides: ["keys", "created-key"] });
    const ambiguous = {
      ...simulated,
      async createUser(...call: Parameters<typeof simulated.createUser>) {
        const written = await simulated.createUser(...call);
        if (written.outcome !== "done") return written;
        return { ...written, value: { ...written.value, ambiguousKeys: ["k-a", "k-b"] } };
      },
    };
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], ambiguous);
    expect(brief(events)).toContain("found key-prefix-unknown for user ada@acme.example");
    expect(aboutAction(events, rolesId("ada"))).toEqual([
      `skipped ${rolesId("ada")} because of ${createId("ada")}: the prefix of the key is unknown`,
    ]);
    expect(events.find(({ type }) => type === "found")).toMatchObject({
      finding: {
        kind: "task",
        message: expect.stringContaining("k-a, k-b"),
        suggestedYaml: "users:\n  - email: ada@acme.example\n    key: k-a # or k-b\n",
      },
    });
  });

  test("of several keys is told by a read that shows which one it is", async () => {
    const simulated = emptyService({ hides: ["created-key"] });
    const ambiguous = {
      ...simulated,
      async createUser(...call: Parameters<typeof simulated.createUser>) {
        const written = await simulated.createUser(...call);
        if (written.outcome !== "done") return written;
        return { ...written, value: { ...written.value, ambiguousKeys: ["k2", "k-b"] } };
      },
    };
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], ambiguous);
    expect(brief(events)).toContain("key-learned k2 of ada@acme.example");
    expect(aboutAction(events, rolesId("ada"))).toContain(`succeeded ${rolesId("ada")}`);
  });
});
