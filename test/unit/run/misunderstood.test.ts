import { describe, expect, test } from "vitest";
import { learnedKeys } from "../../../src/log/learned-keys.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import { success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService, CreateUserResponse } from "../../../src/ports/account-service.ts";
import {
  aCreation,
  anAddition,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService, everythingShown, last } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aWorld, putTeam, putUser, userByAddress } from "../../support/simulated-world.ts";

/** A service that does what creations ask for, and answers all of them with this. */
function answeringWith(simulated: AccountService, value: CreateUserResponse): AccountService {
  return {
    ...simulated,
    async createUser(...asked) {
      const done = await simulated.createUser(...asked);
      return done.outcome === "done" ? { outcome: "done", value } : done;
    },
  };
}

const rootsKey: CreateUserResponse = {
  identifier: "u-1",
  email: emailOf("root"),
  key: { prefix: "k-use" },
  shownKeys: [{ prefix: "k-use" }],
  profile: {},
};

describe("an answer about somebody else", () => {
  test("leaves the outcome unknown, which reading settles; nothing of the answer reaches the state", async () => {
    const world = aWorld();
    const session = memorySession(emptyState("l"));
    const service = answeringWith(emptyService({ world }), rootsKey);
    const actions = [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])];
    const events = await applied(actions, service, { session });
    expect(aboutAction(events, teamCreation)).toEqual([
      `intended ${teamCreation}`,
      `unknown-outcome ${teamCreation}: misunderstood`,
      `resolved ${teamCreation}`,
    ]);
    expect(session.saved().users.get(addressOf("ada"))).toMatchObject({ identifier: "u1", key: "k2" });
    expect(JSON.stringify([...session.saved().users, ...session.saved().keys])).not.toContain("k-use");
    expect(world.users[0]?.keys.map(({ prefix, roles }) => [prefix, roles])).toEqual([["k2", ["DEVELOPER"]]]);
  });

  test("is the same answer for two creations that run at once: neither is believed, and reading settles both", async () => {
    const session = memorySession(emptyState("l"));
    const simulated = emptyService();
    const service: AccountService = {
      ...simulated,
      async createUser(...asked) {
        await simulated.createUser(...asked);
        return { outcome: "done", value: { identifier: "u1", key: { prefix: "k2" }, profile: {} } };
      },
      // No read shows anybody before both answers have come.
      async searchUsers(...asked) {
        for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        return isShown ? simulated.searchUsers(...asked) : success([]);
      },
    };
    let isShown = false;
    const clock = clockAt(noon);
    const wait: typeof clock.wait = (...given) => {
      isShown = true;
      return clock.wait(...given);
    };
    const events = await applied([aCreation("ada"), aCreation("bo")], service, { session, clock: { ...clock, wait } });
    expect(brief(events).slice(1, 8)).toEqual([
      "intended create-user:ada@acme.example",
      "intended create-user:bo@acme.example",
      "unknown-outcome create-user:bo@acme.example: misunderstood",
      "unknown-outcome create-user:ada@acme.example: misunderstood",
      "waiting 500",
      "resolved create-user:ada@acme.example",
      "resolved create-user:bo@acme.example",
    ]);
    expect([...session.saved().users.values()].map(({ address, identifier }) => [address, identifier])).toEqual([
      [addressOf("ada"), "u1"],
      [addressOf("bo"), "u3"],
    ]);
  });

  test("stops the run after the third, with what was seen", async () => {
    const simulated = emptyService();
    const actions = ["ada", "bo", "cy", "di", "ed"].map((name) => aCreation(name));
    const events = await applied(actions, answeringWith(simulated, rootsKey), { parallelism: 1 });
    expect(simulated.requests.writes).toBe(3);
    expect(last(events, 1)).toEqual([
      "finished stopped: 3 answers did not match their calls. The last one: The answer does not match the " +
        "call: it shows the user root@acme.example",
    ]);
  });

  test("is not what a service gives that takes calls for later", async () => {
    const simulated = emptyService();
    const failure = { code: "misunderstood", message: "The service accepted the call for later (202)" } as const;
    const service: AccountService = {
      ...simulated,
      async createUser(...asked) {
        await simulated.createUser(...asked);
        return { outcome: "unknown", failure, accepted: {} };
      },
    };
    const names = ["ada", "bo", "cy", "di"];
    const events = await applied(
      names.map((name) => aCreation(name)),
      service,
      { parallelism: 1 },
    );
    expect(last(events, 1)).toEqual(["finished completed"]);
    expect(simulated.requests.writes).toBe(4);
  });

  test("about another key leaves a replacement unknown, and is no word on what the key has", async () => {
    const simulated = emptyService();
    const service: AccountService = {
      ...simulated,
      replaceRoles: async () => ({ outcome: "done", value: { prefix: "k-other", roles: ["DEVELOPER"] } }),
    };
    const session = memorySession(emptyState("l"));
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], service, { session });
    expect(summarizeRun(events).outcomes.get(rolesId("ada"))).toMatchObject({
      is: "unknown",
      failure: { code: "misunderstood" },
    });
    expect(session.saved().keys).toEqual(new Map());
  });
});

describe("a key that only the run learns", () => {
  const ops = teamRef("Ops", "t-ops");

  /** Ada is there with an own key; the service answers her addition with that key, and shows the new one a moment later. */
  function lateKeys(shownFrom: number) {
    const world = aWorld();
    putTeam(world, { name: "Ops", identifier: "t-ops" });
    const ada = putUser(world, { email: emailOf("ada"), identifier: "u-ada" });
    const clock = clockAt(noon);
    const simulated = emptyService({ world });
    const isLate = () => clock.now() - Date.parse(noon) >= shownFrom;
    const service: AccountService = {
      ...simulated,
      async addMembers(...asked) {
        const done = await simulated.addMembers(...asked);
        if (done.outcome !== "done") return done;
        const own = ada.keys.filter(({ team }) => team === undefined).map(({ prefix }) => ({ prefix }));
        return { outcome: "done", value: { members: [{ identifier: "u-ada", keys: { are: "listed", shown: own } }] } };
      },
      async searchUsers(...asked) {
        const found = await simulated.searchUsers(...asked);
        if (!found.ok || isLate()) return found;
        return success(
          found.value.map((user) => ({ ...user, keys: user.keys?.filter(({ team }) => team === "none") ?? [] })),
        );
      },
    };
    return { world, ada, clock, service };
  }

  test("is not the own key that an answer shows alone: the team's is waited for, and gets the roles", async () => {
    const { ada, clock, service } = lateKeys(10_000);
    const shown = await service.searchUsers([emailOf("ada")], "search 1");
    const actions = [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])];
    const own = ada.keys.map(({ prefix, roles }) => [prefix, roles]);
    const events = await applied(actions, service, { clock, shown: shown.ok ? shown.value : [] });
    expect(ada.keys.map(({ team, roles }) => [team, roles])).toEqual([
      ...own.map(([, roles]) => [undefined, roles]),
      ["t-ops", ["DEVELOPER"]],
    ]);
    expect(summarizeRun(events).outcomes.get(rolesId("ada", "Ops"))).toMatchObject({ is: "succeeded" });
  });

  test("and that is not shown for half a minute waits for the next apply", async () => {
    const { clock, service } = lateKeys(120_000);
    const shown = await service.searchUsers([emailOf("ada")], "search 1");
    const actions = [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])];
    const events = await applied(actions, service, { clock, shown: shown.ok ? shown.value : [] });
    expect(brief(events)).toContain("found write-pending for member ada@acme.example of team acc-1/ops");
    expect(summarizeRun(events).outcomes.get(rolesId("ada", "Ops"))).toMatchObject({ is: "skipped" });
  });

  test("is left alone where a guard forbids it, or where it is known as somebody else's", async () => {
    const simulated = emptyService();
    const noPrefixes = answeringWith(simulated, { profile: {} });
    const secretly: AccountService = {
      ...noPrefixes,
      async searchUsers(...asked) {
        const found = await simulated.searchUsers(...asked);
        if (!found.ok) return found;
        return success(
          found.value.map((user) => ({ ...user, keys: [{ prefix: "k-use", kind: "user", team: "none" as const }] })),
        );
      },
    };
    const inUse = { ...secretly, keyPrefix: "k-use" };
    const events = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], inUse);
    expect(summarizeRun(events).outcomes.get(rolesId("ada"))).toMatchObject({
      is: "failed",
      failure: { message: "roster did not change the roles of the key k-use: a guard protects this key" },
    });
    const bo = { address: addressOf("bo"), email: emailOf("bo"), keys: [{ prefix: "k-use" }], by: "list" };
    const others = await applied([aCreation("ada"), rolesOfOwnKey("ada", [])], secretly, { shown: [bo] });
    expect(summarizeRun(others).outcomes.get(rolesId("ada"))).toMatchObject({
      is: "failed",
      failure: { message: "roster did not change the roles of the key k-use: it is a key of bo@acme.example" },
    });
    expect(simulated.calls.filter(({ route }) => route === "replace-roles")).toEqual([]);
  });

  test.each([
    ["of the person's own", [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])], rolesId("ada"), "k2"],
    [
      "of the team",
      [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])],
      rolesId("ada", "Ops"),
      "k2",
    ],
  ])("%s is left alone where the plan says that its guards forbid it", async (_sentence, actions, id, prefix) => {
    const outcome = async (forbids: { keys: readonly string[]; people: readonly [] }) => {
      const world = aWorld();
      putTeam(world, { name: "Ops", identifier: "t-ops" });
      if (id !== rolesId("ada")) putUser(world, { email: emailOf("ada"), identifier: "u-ada" });
      const simulated = emptyService({ world });
      const events = await applied(actions, simulated, { forbids });
      const puts = simulated.calls.flatMap((call) => (call.route === "replace-roles" ? [call.prefix] : []));
      return { puts, ended: summarizeRun(events).outcomes.get(id) };
    };
    expect(await outcome({ keys: ["k-other"], people: [] })).toMatchObject({
      puts: [prefix],
      ended: { is: "succeeded" },
    });
    expect(await outcome({ keys: ["k-other", prefix], people: [] })).toMatchObject({
      puts: [],
      ended: {
        is: "failed",
        failure: {
          message: `roster did not change the roles of the key ${prefix}: a guard protects this key`,
        },
      },
    });
  });
});

describe("a key that the answer to an addition shows while somebody else is being created", () => {
  const ops = teamRef("Ops", "t-ops");
  const adaRoles = rolesId("ada", "Ops");
  const actions = [
    aCreation("bo"),
    anAddition(ops, [person("ada", "u-ada")]),
    rolesOfAdded("ada", ops, ["DEVELOPER"]),
    rolesOfOwnKey("bo", ["AUDITOR"]),
  ];

  /** Bo is created at once, and the creation answered once `isLetGo`; Ada's addition is answered with a key of `owner`. */
  function crossed(owner: "ada" | "bo", isLetGo: (puts: number) => boolean, keys: "shown" | "hidden" = "shown") {
    const world = aWorld();
    putTeam(world, { name: "Ops", identifier: "t-ops" });
    const ada = putUser(world, { email: emailOf("ada"), identifier: "u-ada" });
    const simulated = emptyService({ world });
    const puts: string[] = [];
    let isAdded = false;
    const service: AccountService = {
      ...simulated,
      async createUser(...asked) {
        const done = await simulated.createUser(...asked);
        while (!isAdded || !isLetGo(puts.length)) await new Promise((resolve) => setImmediate(resolve));
        const shownKeys = done.outcome === "done" && done.value.key !== undefined ? [done.value.key] : [];
        return done.outcome === "done" ? { outcome: "done", value: { ...done.value, shownKeys } } : done;
      },
      async addMembers(...asked) {
        await simulated.addMembers(...asked);
        while (userByAddress(world, addressOf("bo")) === undefined)
          await new Promise((resolve) => setImmediate(resolve));
        const key = (owner === "ada" ? ada : userByAddress(world, addressOf("bo")))?.keys.at(-1);
        setImmediate(() => {
          isAdded = true;
        });
        const shown = key === undefined ? [] : [{ prefix: key.prefix, team: { identifier: "t-ops" } }];
        return { outcome: "done", value: { members: [{ identifier: "u-ada", keys: { are: "listed", shown } }] } };
      },
      async searchUsers(...asked) {
        const found = await simulated.searchUsers(...asked);
        return found.ok && keys === "hidden" ? success(found.value.map(({ keys: _, ...user }) => user)) : found;
      },
      async replaceRoles(prefix, roles, ...rest) {
        puts.push(`${prefix} ${roles.join(",")}`);
        return simulated.replaceRoles(prefix, roles, ...rest);
      },
    };
    const prefixes = () => [ada, userByAddress(world, addressOf("bo"))].map((user) => user?.keys.at(-1)?.prefix);
    return { service, simulated, puts, prefixes };
  }

  /** Nothing is waited for in vain. */
  const patient = { ...clockAt(noon), wait: () => new Promise<void>(() => undefined) };

  test("is theirs once the creation is answered with another, without a read", async () => {
    const { service, simulated, puts, prefixes } = crossed("ada", () => true);
    await applied(actions, service, { clock: patient });
    const [ofAda, ofBo] = prefixes();
    expect([...puts].sort()).toEqual([`${ofAda} DEVELOPER`, `${ofBo} AUDITOR`].sort());
    expect(simulated.calls.filter(({ route }) => route === "search-users")).toHaveLength(1);
  });

  test("is theirs once a read shows it, where the creation is slow", async () => {
    const { service, puts, prefixes } = crossed("ada", (count) => count > 0);
    await applied(actions, service);
    const [ofAda, ofBo] = prefixes();
    expect(puts).toEqual([`${ofAda} DEVELOPER`, `${ofBo} AUDITOR`]);
  });

  test.each([["before"], ["after"]])("is not theirs where a read %s that answer shows another", async (when) => {
    const { service, puts, prefixes } = crossed("bo", (count) => when === "before" || count > 0);
    const session = memorySession(emptyState("l"));
    const events = await applied(actions, service, { session });
    const [ofAda, ofBo] = prefixes();
    expect([...puts].sort()).toEqual([`${ofAda} DEVELOPER`, `${ofBo} AUDITOR`].sort());
    expect(summarizeRun(events).keys.map(({ address, prefix }) => [address, prefix])).toEqual([
      [addressOf("ada"), ofAda],
      [addressOf("bo"), ofBo],
    ]);
    expect(events.flatMap(learnedKeys).filter(({ provisional }) => provisional)).toHaveLength(1);
    expect([...session.saved().memberships.values()]).toMatchObject([{ prefix: ofAda }]);
  });

  test("is left alone where the creation is answered with it, and no read shows keys", async () => {
    const { service, puts } = crossed("bo", () => true, "hidden");
    const capabilities = { ...everythingShown, keysOnUsers: "hidden" } as const;
    const events = await applied(actions, service, { clock: patient, capabilities });
    expect(puts).toEqual([]);
    expect(summarizeRun(events).outcomes.get(adaRoles)).toMatchObject({ is: "skipped" });
    expect(brief(events)).toContain("found key-prefix-unknown for member ada@acme.example of team acc-1/ops");
  });
});
