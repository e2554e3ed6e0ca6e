import { describe, expect, test } from "vitest";
import { observed } from "../../../src/model/fact.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { aCreation, aReplacement, person, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { aFailure, type ServiceCall, type SimulationOptions } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

describe("a key that was given a moment ago", () => {
  /** A service that knows a key's route only so long after noon. */
  function slowKeys(until: number, failure: ReturnType<typeof aFailure>) {
    const clock = clockAt(noon);
    const simulated = emptyService({
      before: (call) =>
        call.route === "replace-roles" && clock.now() - Date.parse(noon) < until ? { failure } : undefined,
    });
    return { clock, simulated };
  }

  const wanted = [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])];

  test.each([
    ["not found", aFailure("not-found")],
    ["refused with 400", { ...aFailure("refused"), status: 400 }],
  ])("and is %s is tried again within seconds, with the reason shown", async (_, failure) => {
    const { clock, simulated } = slowKeys(3000, failure);
    const events = await applied(wanted, simulated, { clock });
    expect(aboutAction(events, rolesId("ada")).at(-1)).toBe(`succeeded ${rolesId("ada")}`);
    expect(clock.waits).toEqual([500, 1000, 2000]);
    expect(events.find(({ type }) => type === "waiting")).toMatchObject({
      why: "the service does not know the new key k2 yet",
    });
  });

  test("and stays unknown has failed after some seconds", async () => {
    const { clock, simulated } = slowKeys(60_000, aFailure("not-found"));
    const events = await applied(wanted, simulated, { clock });
    expect(aboutAction(events, rolesId("ada")).at(-1)).toBe(`failed ${rolesId("ada")}: not-found`);
    expect(clock.waits.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
  });

  test("and becomes known right after it was refused loses what it is to lose", async () => {
    let refusals = 1;
    const simulated = emptyService({
      before: (call) => {
        if (call.route !== "replace-roles" || refusals === 0) return undefined;
        refusals -= 1;
        return { failure: { ...aFailure("refused"), status: 400 } };
      },
    });
    const events = await applied(wanted, simulated, { clock: clockAt(noon) });
    expect(aboutAction(events, rolesId("ada")).at(-1)).toBe(`succeeded ${rolesId("ada")}`);
    expect(simulated.world.users.flatMap(({ keys }) => keys.map(({ roles }) => roles))).toEqual([["DEVELOPER"]]);
  });

  test("is not waited for where it was there before the run", async () => {
    const clock = clockAt(noon);
    const action = aReplacement("p", { of: "prefix", prefix: observed("k-9", "search 1") }, ["DEVELOPER"]);
    const events = await applied([action], emptyService(), { clock });
    expect(aboutAction(events, "p").at(-1)).toBe("failed p: not-found");
    expect(clock.waits).toEqual([]);
  });
});

describe("a service that takes a role away from no key", () => {
  /** Refuses every replacement without TEAM_ROLE. */
  const refusing: Partial<SimulationOptions> = {
    before: (call: ServiceCall) =>
      call.route === "replace-roles" && !call.roles.includes("TEAM_ROLE")
        ? { failure: { ...aFailure("refused", "TEAM_ROLE must stay"), status: 400 } }
        : undefined,
  };

  function keyWith(roles: readonly string[]) {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const [key] = ada.keys;
    if (key !== undefined) key.roles = roles;
    const action = aReplacement("p", { of: "prefix", prefix: observed(key?.prefix ?? "", "search 1") }, ["DEVELOPER"], {
      before: observed(roles, "search 1"),
      owner: person("ada", ada.identifier),
    });
    return { world, key, action };
  }

  test("is asked once more with the harmless roles kept, and what it made of it is remembered", async () => {
    const { world, key, action } = keyWith(["AUDITOR", "TEAM_ROLE"]);
    const simulated = emptyService({ world, ...refusing });
    const session = memorySession(emptyState("l"));
    const events = await applied([action], simulated, { session });
    expect(aboutAction(events, "p").at(-1)).toBe("succeeded p");
    expect(simulated.calls.flatMap((call) => (call.route === "replace-roles" ? [call.roles] : []))).toEqual([
      ["DEVELOPER"],
      ["AUDITOR", "DEVELOPER", "TEAM_ROLE"],
    ]);
    expect(session.saved().keys.get(key?.prefix ?? "")).toMatchObject({
      setRoles: ["DEVELOPER"],
      observedRoles: ["AUDITOR", "DEVELOPER", "TEAM_ROLE"],
    });
  });

  test("remembers what was sent where the answer does not show roles", async () => {
    const { world, key, action } = keyWith(["TEAM_ROLE"]);
    const session = memorySession(emptyState("l"));
    await applied([action], emptyService({ world, hides: ["replaced-roles"], ...refusing }), { session });
    expect(session.saved().keys.get(key?.prefix ?? "")?.observedRoles).toEqual(["DEVELOPER", "TEAM_ROLE"]);
  });

  test("never gets a privileged role to keep", async () => {
    const { world, action } = keyWith(["ACCOUNT_ADMIN"]);
    const simulated = emptyService({
      world,
      before: (call) => (call.route === "replace-roles" ? { failure: aFailure("refused") } : undefined),
    });
    const events = await applied([action], simulated);
    expect(aboutAction(events, "p")).toEqual(["intended p", "failed p: refused"]);
    expect(simulated.requests.writes).toBe(1);
  });
});

describe("a replacement of unknown outcome", () => {
  const unknown = { outcome: "unknown", failure: aFailure("unreachable") } as const;

  async function replaced(told: Pick<SimulationOptions, "before" | "after">) {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const action = aReplacement(
      "p",
      { of: "prefix", prefix: observed(ada.keys[0]?.prefix ?? "", "s") },
      ["DEVELOPER"],
      {
        before: observed(["TEAM_ROLE"], "s"),
        owner: person("ada", ada.identifier),
      },
    );
    const clock = clockAt(noon);
    const events = await applied([action], emptyService({ world, ...told }), { clock });
    return { about: aboutAction(events, "p"), waits: clock.waits };
  }

  const onRoles =
    (told: typeof unknown & { readonly accepted?: { readonly askAfter?: number } }) =>
    ({ route }: ServiceCall) =>
      route === "replace-roles" ? told : undefined;

  test.each([
    ["whose answer was lost", unknown],
    ["that was taken for later", { ...unknown, accepted: {} }],
  ])("%s is resolved by the read that shows it, and not sent again", async (_, told) => {
    expect((await replaced({ after: onRoles(told) })).about).toEqual([
      "intended p",
      "unknown-outcome p: unreachable",
      "resolved p",
    ]);
  });

  test("that reads do not show is left to the next plan after one read, or half a minute where it was taken for later", async () => {
    const stays = ["intended p", "unknown-outcome p: unreachable"];
    expect(await replaced({ before: onRoles(unknown) })).toEqual({ about: stays, waits: [] });
    const { about, waits } = await replaced({ before: onRoles({ ...unknown, accepted: {} }) });
    expect([about, waits.reduce((sum, wait) => sum + wait, 0)]).toEqual([stays, 30_000]);
  });
});

describe("an answer with other roles than were sent", () => {
  /** A service that keeps TEAM_ROLE on every key, or answers with these roles in the place of doing anything. */
  async function replaced(told: Partial<SimulationOptions> & { readonly answers?: readonly string[] }) {
    const { answers, ...options } = told;
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const [key] = ada.keys;
    if (key !== undefined) key.roles = ["AUDITOR", "TEAM_ROLE"];
    const simulated = emptyService({ world, sticky: ["TEAM_ROLE"], ...options });
    const service: AccountService =
      answers === undefined
        ? simulated
        : { ...simulated, replaceRoles: async () => ({ outcome: "done", value: { roles: roleSet(answers) } }) };
    const action = aReplacement("p", { of: "prefix", prefix: observed(key?.prefix ?? "", "search 1") }, ["DEVELOPER"], {
      before: observed(["AUDITOR", "TEAM_ROLE"], "search 1"),
      owner: person("ada", ada.identifier),
    });
    const session = memorySession(emptyState("l"));
    const clock = clockAt(noon);
    const events = await applied([action], service, { session, clock });
    return {
      about: aboutAction(events, "p").at(-1),
      learned: session.saved().keys.get(key?.prefix ?? ""),
      reads: simulated.calls.filter(({ route }) => route === "search-users").length,
    };
  }

  test("counts, and is remembered, once a read shows the same", async () => {
    const { about, learned, reads } = await replaced({});
    expect([about, learned?.observedRoles, reads]).toEqual(["succeeded p", ["DEVELOPER", "TEAM_ROLE"], 2]);
  });

  test.each([
    ["fewer", ["AUDITOR"], "misunderstood"],
    ["more", ["DEVELOPER", "ACCOUNT_ADMIN"], "stale"],
  ])("leaves the outcome unknown where it shows %s, and reads show that nothing was done", async (_, answers, code) => {
    const { about, learned } = await replaced({ answers });
    expect([about, learned]).toEqual([`unknown-outcome p: ${code}`, undefined]);
  });

  test("counts where it shows more and no read shows roles, and nothing is learned of the service", async () => {
    const { about, learned } = await replaced({ hides: ["roles"], answers: ["DEVELOPER", "TEAM_ROLE"] });
    expect([about, learned?.setRoles, learned?.observedRoles]).toEqual(["succeeded p", ["DEVELOPER"], undefined]);
  });

  test("does not count where it shows fewer and no read shows roles", async () => {
    const { about, learned } = await replaced({ hides: ["roles"], answers: ["TEAM_ROLE"] });
    expect([about, learned]).toEqual(["unknown-outcome p: misunderstood", undefined]);
  });
});

describe("an answer without roles", () => {
  /** A service that answers so, and does it or not. `lag`: milliseconds after which reads show it. */
  async function replaced(told: {
    readonly does: "it" | "nothing";
    readonly wanted?: readonly string[];
    readonly sticky?: readonly string[];
    readonly hides?: readonly ["roles"] | readonly ["keys"];
    readonly lag?: number;
  }) {
    const { does, wanted = ["DEVELOPER"], sticky = [], hides = [], lag = 0 } = told;
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const [key] = ada.keys;
    if (key !== undefined) key.roles = ["TEAM_ROLE"];
    const clock = clockAt(noon);
    const simulated = emptyService({ world, sticky, hides: ["replaced-roles", ...hides] });
    const since = () => clock.now() - Date.parse(noon);
    const service: AccountService = {
      ...simulated,
      async replaceRoles(...asked) {
        return does === "it" ? simulated.replaceRoles(...asked) : { outcome: "done", value: {} };
      },
      async searchUsers(...asked) {
        const now = key?.roles ?? [];
        if (key !== undefined && since() < lag) key.roles = ["TEAM_ROLE"];
        const found = await simulated.searchUsers(...asked);
        if (key !== undefined) key.roles = now;
        return found;
      },
    };
    const action = aReplacement("p", { of: "prefix", prefix: observed(key?.prefix ?? "", "search 1") }, wanted, {
      before: observed(["TEAM_ROLE"], "search 1"),
      owner: person("ada", ada.identifier),
    });
    const session = memorySession(emptyState("l"));
    const events = await applied([action], service, { session, clock });
    const { setRoles, observedRoles } = session.saved().keys.get(key?.prefix ?? "") ?? {};
    const verified = events.find((event) => event.type === "verified")?.result;
    return { about: aboutAction(events, "p").at(-1), setRoles, observedRoles, verified };
  }

  const done = { about: "succeeded p", setRoles: ["DEVELOPER"] };
  const unknown = {
    about: "unknown-outcome p: stale",
    setRoles: undefined,
    observedRoles: undefined,
    verified: undefined,
  };

  test.each([
    [
      "counts once a read shows what was sent",
      { does: "it" },
      { ...done, observedRoles: ["DEVELOPER"], verified: "converged" },
    ],
    [
      "counts once a later read shows it",
      { does: "it", lag: 5000 },
      { ...done, observedRoles: ["DEVELOPER"], verified: "converged" },
    ],
    [
      "counts where a read shows more, which the service may keep",
      { does: "it", sticky: ["TEAM_ROLE"] },
      { ...done, observedRoles: ["DEVELOPER", "TEAM_ROLE"], verified: "diverged" },
    ],
    ["leaves the outcome unknown where reads show that nothing was done", { does: "nothing" }, unknown],
    ["leaves the outcome unknown where reads are late", { does: "it", lag: 60_000 }, unknown],
    [
      "counts where reads do not show roles",
      { does: "nothing", hides: ["roles"] },
      { ...done, observedRoles: undefined, verified: "unverified" },
    ],
    [
      "counts where reads do not show keys",
      { does: "nothing", hides: ["keys"] },
      { ...done, observedRoles: undefined, verified: "unverified" },
    ],
  ] as const)("%s", async (_, told, expected) => {
    expect(await replaced(told)).toEqual(expected);
  });
});
