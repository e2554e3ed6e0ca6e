import { describe, expect, test } from "vitest";
import { learnedKeys } from "../../../src/log/state-draft.ts";
import { summarizeRun } from "../../../src/log/summary.ts";
import { success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import { RunKnowledge } from "../../../src/run/knowledge.ts";
import type { AccountService, CreateUserResponse } from "../../../src/service/port.ts";
import {
  aCreation,
  anAddition,
  aPlan,
  createId,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import {
  added,
  addedTo,
  additionIntent,
  intended,
  noon,
  resolved,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { aFailure, on, type SimulatedService } from "../../support/simulated-service.ts";
import { aWorldOf, userByAddress, worldUser } from "../../support/simulated-world.ts";
import { everythingShown } from "../../support/snapshot-builders.ts";

/** Does what creations ask for, and answers all of them with this. */
const answering =
  (value: (made: CreateUserResponse) => CreateUserResponse): NonNullable<Scene["service"]> =>
  ({ createUser }) => ({
    async createUser(...asked) {
      const done = await createUser(...asked);
      return done.outcome === "done" ? { outcome: "done", value: value(done.value) } : done;
    },
  });

const rootsKey = answering(() => ({
  identifier: "u-1",
  email: emailOf("root"),
  key: { prefix: "k-use" },
  shownKeys: [{ prefix: "k-use" }],
  profile: {},
}));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const creations = (...names: readonly string[]) => names.map((name) => aCreation(name));
const adaWithRoles = [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])];

describe("an answer about somebody else", () => {
  test("leaves the outcome unknown, which reading settles; nothing of the answer reaches the state", async () => {
    const { about, saved, simulated } = await runPlan(adaWithRoles, { service: rootsKey });
    expect(about()).toBe("intended, unknown-outcome: misunderstood, resolved");
    expect(saved.users.get(addressOf("ada"))).toMatchObject({ identifier: "u1", key: "k2" });
    expect(JSON.stringify([...saved.users, ...saved.keys])).not.toContain("k-use");
    expect(simulated.world.users[0]?.keys).toMatchObject([{ prefix: "k2", roles: ["DEVELOPER"] }]);
  });

  test("is the same answer for two creations that run at once: neither is believed, and reading settles both", async () => {
    const clock = clockAt(noon);
    const { about, saved } = await runPlan(creations("ada", "bo"), {
      clock,
      service: (simulated) => ({
        ...answering(() => ({ identifier: "u1", key: { prefix: "k2" }, profile: {} }))(simulated),
        // No read shows anybody before both answers have come.
        async searchUsers(...asked) {
          for (let turns = 0; turns < 5; turns += 1) await turn();
          return clock.waits.length > 0 ? simulated.searchUsers(...asked) : success([]);
        },
      }),
    });
    for (const name of ["ada", "bo"])
      expect(about(createId(name))).toBe("intended, unknown-outcome: misunderstood, resolved");
    expect(clock.waits[0]).toBe(500);
    expect([...saved.users.values()].map(({ address, identifier }) => [address, identifier])).toEqual([
      [addressOf("ada"), "u1"],
      [addressOf("bo"), "u3"],
    ]);
  });

  test("stops the run after the third, with what was seen", async () => {
    const scene = { service: rootsKey, parallelism: 1 };
    const { sent, lines } = await runPlan(creations("ada", "bo", "cy", "di", "ed"), scene);
    expect(sent).toHaveLength(3);
    expect(lines.at(-1)).toBe(
      "finished stopped: 3 answers did not match their calls. The last one: The answer does not match the " +
        "call: it shows the user root@acme.example",
    );
  });

  test("is not what a service gives that takes calls for later", async () => {
    const failure = { code: "misunderstood", message: "The service accepted the call for later (202)" } as const;
    const { lines, sent } = await runPlan(creations("ada", "bo", "cy", "di"), {
      parallelism: 1,
      service: ({ createUser }) => ({
        async createUser(...asked) {
          await createUser(...asked);
          return { outcome: "unknown", failure, accepted: {} };
        },
      }),
    });
    expect([lines.at(-1), sent.length]).toEqual(["finished completed", 4]);
  });

  test("about another key leaves a replacement unknown, and is no word on what the key has", async () => {
    const value = { prefix: "k-other", roles: ["DEVELOPER"] };
    const service = () => ({ replaceRoles: async () => ({ outcome: "done", value }) as const });
    const { outcome, saved } = await runPlan(adaWithRoles, { service });
    expect(outcome(rolesId("ada"))).toMatchObject({ is: "unknown", failure: { code: "misunderstood" } });
    expect(saved.keys).toEqual(new Map());
  });
});

describe("an answer without an address that shows what belongs to the next user", () => {
  const crossed = (shows: "identifiers" | "keys") =>
    answering(({ email: _, identifier = "", key, ...rest }) => {
      const [shownIdentifier, prefix = ""] = identifier === "u1" ? ["u3", "k4"] : [identifier, key?.prefix];
      return shows === "identifiers" ? { ...rest, identifier: shownIdentifier } : { ...rest, key: { prefix } };
    });

  test.each(["identifiers", "keys"] as const)("counts less than what reads show of the person (%s)", async (shows) => {
    const { saved } = await runPlan(creations("ada", "bo"), { service: crossed(shows), parallelism: 1 });
    const { identifier, key } = saved.users.get(addressOf("ada")) ?? {};
    expect([identifier, key === "k4"]).toEqual(["u1", false]);
  });

  test("has its identifier left to a later read where no read shows the person yet", async () => {
    const { saved } = await runPlan(creations("ada"), { service: crossed("identifiers"), searches: () => [] });
    expect(saved.users.get(addressOf("ada"))).toMatchObject({ email: "ada@acme.example", account: "acc-1" });
    expect(saved.users.get(addressOf("ada"))?.identifier).toBeUndefined();
  });

  test("ends the run where the read that would tell whose it is is refused, and no call follows", async () => {
    const before = on("search-users", { failure: aFailure("unauthorized", "no") });
    const scene = { service: crossed("identifiers"), before, parallelism: 1 };
    const { sent, lines, about } = await runPlan(creations("ada", "bo"), scene);
    expect([sent, about(), lines.at(-1)]).toEqual([["create ada"], "intended, succeeded", "finished stopped: no"]);
  });
});

const ops = teamRef("Ops", "t-ops");
const adaOfOps = () => aWorldOf({ users: { ada: { identifier: "u-ada" } }, teams: { Ops: {} } });
const addsAda = [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])];
const adasRoles = rolesId("ada", "Ops");

describe("a key that is shown only some time after the addition that was answered with the own key alone", () => {
  async function lateKeys(shownFrom: number) {
    const world = adaOfOps();
    const [own] = worldUser(world, "ada").keys;
    const shown = { address: addressOf("ada"), email: emailOf("ada"), identifier: "u-ada", by: "search 1" };
    const keys = [{ prefix: own?.prefix ?? "", kind: "user", team: "none" as const }];
    const run = await runPlan(addsAda, {
      world,
      shown: [{ ...shown, keys }],
      service: ({ addMembers }) => ({
        async addMembers(...asked) {
          await addMembers(...asked);
          return {
            outcome: "done",
            value: { members: [{ identifier: "u-ada", keys: { are: "listed", shown: keys } }] },
          };
        },
      }),
      searches: (users, age) =>
        age >= shownFrom
          ? users
          : users.map((user) => ({ ...user, keys: user.keys?.filter(({ team }) => team === "none") ?? [] })),
    });
    return { run, keys: worldUser(world, "ada").keys.map(({ team, roles }) => [team, ...roles]) };
  }

  test("is waited for, and gets the roles", async () => {
    const { run, keys } = await lateKeys(10_000);
    expect(run.about(adasRoles)).toBe("intended, succeeded");
    expect(keys).toEqual([
      [undefined, "TEAM_ROLE"],
      ["t-ops", "DEVELOPER"],
    ]);
  });

  test("for half a minute, and then waits for the next apply", async () => {
    const { run, keys } = await lateKeys(120_000);
    expect(run.lines).toContain("found write-pending for member ada@acme.example of team acc-1/ops");
    expect(run.outcome(adasRoles)).toMatchObject({ is: "skipped" });
    expect(keys).toEqual([
      [undefined, "TEAM_ROLE"],
      ["t-ops", "TEAM_ROLE"],
    ]);
  });
});

describe("a key that the answer to an addition shows while somebody else is being created", () => {
  const actions = [aCreation("bo"), ...addsAda, rolesOfOwnKey("bo", ["AUDITOR"])];

  /** Bo is created at once, and the creation answered once `isLetGo`; Ada's addition is answered with a key of `owner`. */
  async function crossed(owner: "ada" | "bo", isLetGo: (puts: number) => boolean, scene: Scene = {}) {
    const world = adaOfOps();
    const ofBo = () => userByAddress(world, addressOf("bo"));
    const last = (user: ReturnType<typeof ofBo>) => user?.keys.at(-1)?.prefix;
    const puts = ({ calls }: SimulatedService) => calls.filter(({ route }) => route === "replace-roles").length;
    let isAdded = false;
    const service = (simulated: SimulatedService): Partial<AccountService> => ({
      async createUser(...asked) {
        const done = await simulated.createUser(...asked);
        while (!isAdded || !isLetGo(puts(simulated))) await turn();
        const shownKeys = done.outcome === "done" && done.value.key !== undefined ? [done.value.key] : [];
        return done.outcome === "done" ? { outcome: "done", value: { ...done.value, shownKeys } } : done;
      },
      async addMembers(...asked) {
        await simulated.addMembers(...asked);
        while (ofBo() === undefined) await turn();
        const prefix = last(owner === "ada" ? worldUser(world, "ada") : ofBo()) ?? "";
        setImmediate(() => {
          isAdded = true;
        });
        const shown = [{ prefix, team: { identifier: "t-ops" } }];
        return { outcome: "done", value: { members: [{ identifier: "u-ada", keys: { are: "listed", shown } }] } };
      },
    });
    const run = await runPlan(actions, { world, service, ...scene });
    const sets = run.sent.filter((call) => call.startsWith("set"));
    return { ...run, sets, ofAda: last(worldUser(world, "ada")), ofBo: last(ofBo()) };
  }

  /** Nothing is waited for in vain. */
  const patient = { clock: { ...clockAt(noon), wait: () => new Promise<void>(() => undefined) } };

  test("is theirs once the creation is answered with another, without a read", async () => {
    const { sets, ofAda, ofBo, calls } = await crossed("ada", () => true, patient);
    expect([...sets].sort()).toEqual([`set ${ofAda} to DEVELOPER`, `set ${ofBo} to AUDITOR`].sort());
    expect(calls.filter((call) => call.startsWith("search"))).toHaveLength(1);
  });

  test("is theirs once a read shows it, where the creation is slow", async () => {
    const { sets, ofAda, ofBo } = await crossed("ada", (count) => count > 0);
    expect(sets).toEqual([`set ${ofAda} to DEVELOPER`, `set ${ofBo} to AUDITOR`]);
  });

  test.each([["before"], ["after"]])("is not theirs where a read %s that answer shows another", async (when) => {
    const run = await crossed("bo", (count) => when === "before" || count > 0);
    const { sets, ofAda, ofBo, events, saved } = run;
    expect([...sets].sort()).toEqual([`set ${ofAda} to DEVELOPER`, `set ${ofBo} to AUDITOR`].sort());
    expect(summarizeRun(events).keys.map(({ address, prefix }) => [address, prefix])).toEqual([
      [addressOf("ada"), ofAda],
      [addressOf("bo"), ofBo],
    ]);
    expect(events.flatMap(learnedKeys).filter(({ provisional }) => provisional)).toHaveLength(1);
    expect([...saved.memberships.values()]).toMatchObject([{ prefix: ofAda }]);
  });

  test("is left alone where the creation is answered with it, and no read shows keys", async () => {
    const { sets, outcome, lines } = await crossed("bo", () => true, {
      ...patient,
      searches: (users) => users.map(({ keys: _, ...user }) => user),
      capabilities: { ...everythingShown, keysOnUsers: "hidden" },
    });
    expect([sets, outcome(adasRoles)?.is]).toEqual([[], "skipped"]);
    expect(lines).toContain("found key-prefix-unknown for member ada@acme.example of team acc-1/ops");
  });
});

test("a key is theirs once the call that was under way has its answer, also where the same action sends another one", () => {
  const state = emptyState("l");
  const log = { state, now: () => state };
  const knowledge = new RunKnowledge({ plan: aPlan([]), run: "r1", privilegedRoles: [] }, log);
  const events = [
    intended("r1", "a", additionIntent("ada")),
    intended("r1", "b", additionIntent("bo", "cy")),
    succeeded("a", addedTo({ ...added("ada", "k-1"), provisional: true })),
    resolved("r1", "b", addedTo(added("bo"))),
    intended("r1", "b", additionIntent("cy")),
  ];
  const known = events.map((event) => {
    knowledge.note(event, 0);
    return knowledge.givenKey(addressOf("ada"), science)?.prefix;
  });
  expect(known).toEqual([undefined, undefined, undefined, "k-1", "k-1"]);
});
