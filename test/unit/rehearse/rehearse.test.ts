import { describe, expect, test } from "vitest";
import type { RehearsalIssue } from "../../../src/model/plan.ts";
import { success } from "../../../src/model/result.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { formatSubject } from "../../../src/model/subject.ts";
import { criticalPath, type RehearsalInput, rehearse } from "../../../src/rehearse/rehearse.ts";
import {
  aCreation,
  addId,
  anAddition,
  aPlan,
  createId,
  newPerson,
  newTeam,
  rolesId,
} from "../../support/action-builders.ts";
import { noon } from "../../support/event-builders.ts";
import { sha256 } from "../../support/fixed-ports.ts";
import { aState, planned } from "../../support/plan-inputs.ts";
import { aRefusal, parts, refusalMap } from "../../support/refusal-builders.ts";
import { rehearsed } from "../../support/rehearsing.ts";
import { addressOf, aKey, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, giveTeamKey, newKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";

test("the longest chain is told from its first action to its last", () => {
  const plan = [
    aCreation("ada"),
    aCreation("bo", { founds: "Red", after: [createId("ada")] }),
    aCreation("cy", { after: [createId("bo")] }),
    aCreation("dee"),
    anAddition(newTeam("Red", "bo"), [newPerson("cy"), newPerson("dee")]),
  ];
  expect(criticalPath(plan)).toEqual([createId("ada"), createId("bo"), createId("cy"), addId("Red")]);
});

test("of chains of one length the first counts, and an empty plan has none", () => {
  expect(criticalPath([aCreation("ada"), aCreation("bo")])).toEqual([createId("ada")]);
  expect(criticalPath([])).toEqual([]);
});

/** Ada, who is in the team Red (t-red), and Bo, who is in none. */
function company(): World {
  const world = aWorld();
  const ada = putUser(world, { email: emailOf("ada"), identifier: "u-ada" });
  putUser(world, { email: emailOf("bo"), identifier: "u-bo" });
  putTeam(world, { name: "Red", identifier: "t-red", members: [ada] });
  return world;
}

const three = ["ada", "bo", "cy"].map((name) => aUser(name, { firstName: "Ada", lastName: "Lovelace" }));
const red = aTeam("Red", { members: ["ada", "bo", "cy"], roles: ["TEAM_ROLE"] });

/** Cy is created, and Bo and Cy are added. */
const growing = aRoster({ users: three, teams: [red] });

function inShort(trouble: RehearsalIssue): string {
  switch (trouble.is) {
    case "failed":
    case "unknown":
      return `${trouble.is} ${trouble.action}: ${trouble.failure.code}, ${trouble.failure.serviceSays}`;
    case "refused":
      return `refused ${trouble.person}: ${trouble.failure.code}`;
    case "skipped":
    case "stale":
      return `${trouble.is} ${trouble.action}`;
    case "found":
      return `found ${trouble.finding.code} of ${formatSubject(trouble.finding.subject)}`;
    case "remains":
      return `remains ${trouble.action.id}`;
    case "stopped":
    case "unplanned":
      return `${trouble.is}: ${trouble.why}`;
  }
}

async function troublesOf(wish: Parameters<typeof rehearsed>[0]): Promise<readonly string[]> {
  return (await rehearsed(wish)).rehearsal?.troubles.map(inShort) ?? ["nothing was rehearsed"];
}

describe("a plan that comes true", () => {
  test("is told with its calls, mails, time and longest chain, and stays as it is", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const before = structuredClone(snapshot);
    const { plan, rehearsal } = await rehearsed({ roster: growing, snapshot });
    const untouched = structuredClone(plan);
    expect(rehearsal).toEqual({
      converges: true,
      troubles: [],
      notices: [],
      unshown: [],
      calls: { createUser: 1, addMembers: 1, replaceRoles: 0, reads: 2 },
      mails: 2,
      criticalPath: ["create-user:cy@acme.example", "add-members:acc-1/red", rolesId("bo", "Red")].map((id) =>
        id.startsWith("replace") ? expect.stringContaining("replace-roles:acc-1/red") : id,
      ),
      // One after another: the creation, the addition, the check.
      time: { latency: 100, planning: 500, applying: 300, throttled: { oneIn: 10, pause: 1000, applying: 300 } },
    });
    expect([plan, snapshot]).toEqual([untouched, before]);
  });

  test("takes as long as its calls do, at any latency", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const times = await Promise.all(
      [0, 1, 250].map(
        async (latency) => (await rehearsed({ roster: growing, snapshot, latency })).rehearsal?.time.applying,
      ),
    );
    expect(times).toEqual([0, 3, 750]);
  });

  test("takes longer where every tenth write is to come back after a second", async () => {
    const roster = aRoster({ users: Array.from({ length: 40 }, (_, index) => aUser(`p${index}`)) });
    const { rehearsal } = await rehearsed({ roster, snapshot: snapshotOf(aWorld(), { roster }) });
    const { applying, throttled } = rehearsal?.time ?? { applying: 0, throttled: { applying: 0 } };
    // The pace grows from two calls at once to ten; then everybody is searched for, some at a time.
    expect([applying, rehearsal?.calls]).toEqual([1000, { createUser: 40, addMembers: 0, replaceRoles: 0, reads: 4 }]);
    expect(throttled.applying).toBeGreaterThan(applying + 1000);
  });

  test("is planned again with the state that an apply leaves", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const plan = planned({ roster: growing, snapshot });
    const known: (readonly [string, string | undefined, number])[] = [];
    const question: RehearsalInput = {
      plan,
      snapshot,
      state: aState(),
      before: [{ type: "roster-applied", at: noon, digest: "d1", people: [] }],
      privilegedRoles: [],
      latency: 10,
      parallelism: 2,
      async planAgain(when, { applied, users }) {
        known.push([when, applied?.digest, users.size]);
        return success({ plan: aPlan([]), snapshot, against: [] });
      },
    };
    const signal = new AbortController().signal;
    await rehearse(question, { digest: sha256, progress: { report: () => {} }, signal });
    // Once more before the run that is throttled.
    expect(known).toEqual([
      ["before", undefined, 0],
      ["after", "d1", 1],
      ["before", undefined, 0],
    ]);
  });

  test("leaves nothing to say of words that a person said for one run", async () => {
    const at = "2026-10-01T00:00:00.000Z";
    const gone = {
      address: addressOf("cy"),
      email: emailOf("cy"),
      account: "acc-1",
      identifier: "u-old",
      createdAt: at,
    };
    const state = aState({ users: new Map([[gone.address, gone]]) });
    const allows = [`recreate:${gone.address}`];
    const snapshot = snapshotOf(company(), { roster: growing });
    const { rehearsal } = await rehearsed({ roster: growing, snapshot, state, allows });
    expect(rehearsal).toMatchObject({ converges: true, notices: [], calls: { createUser: 1 } });
  });

  test("is the same every time", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const told = await Promise.all([1, 2].map(() => rehearsed({ roster: growing, snapshot })));
    expect(JSON.stringify(told[0])).toBe(JSON.stringify(told[1]));
  });

  test("adds whoever holds nothing but a deleted key of the team", async () => {
    const world = company();
    const [, bo] = world.users;
    if (bo !== undefined) giveTeamKey(world, bo, "t-red", ["TEAM_ROLE"]).status = "deleted";
    const { rehearsal } = await rehearsed({ roster: growing, snapshot: snapshotOf(world, { roster: growing }) });
    expect(rehearsal).toMatchObject({ converges: true, mails: 2 });
  });

  test("is not rehearsed to its end where somebody interrupts", async () => {
    const stop = new AbortController();
    stop.abort();
    const snapshot = snapshotOf(company(), { roster: growing });
    expect(await rehearsed({ roster: growing, snapshot, signal: stop.signal })).toMatchObject({ rehearsal: undefined });
  });

  test("takes the waits of an apply into account: an answer that is lost is settled by reading", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const { rehearsal } = await rehearsed({
      roster: growing,
      snapshot,
      knobs: { dropResponse: ["create@1"], searchLagMs: 3000 },
    });
    expect(rehearsal).toMatchObject({ converges: true, calls: { createUser: 1 } });
    expect(rehearsal?.time.applying).toBeGreaterThan(3000);
  });
});

describe("a plan that does not come true is told", () => {
  test("where a creation is refused, with what depends on it and what is left to do", async () => {
    const users = [...three.slice(0, 2), aUser("cy", { title: "Chief" })];
    const roster = aRoster({ users, teams: [red] });
    const snapshot = snapshotOf(company(), { roster });
    expect(await troublesOf({ roster, snapshot, knobs: { maxTitle: 3 } })).toEqual([
      "failed create-user:cy@acme.example: refused, The field title has 5 letters; at most 3 are allowed",
      "skipped replace-roles:acc-1/red:cy@acme.example",
      // It is remembered, and not asked for again.
      "found refused of user cy@acme.example",
    ]);
  });

  test("nothing, where the service knows members by their addresses alone", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    expect(await troublesOf({ roster: growing, snapshot, knobs: { memberIdentifiers: "email" } })).toEqual([]);
  });

  test("where one of many cannot be added", async () => {
    const snapshot = snapshotOf(company(), { roster: growing });
    const troubles = await troublesOf({ roster: growing, snapshot, knobs: { memberLagMs: 60_000, members: "M5" } });
    expect(troubles).toContain("refused cy@acme.example: not-found");
  });

  test("where the key in use may not give a role", async () => {
    const world = company();
    const [ada] = world.users;
    ada?.keys.push({
      ...newKey(world, { kind: "user", roles: ["ACCOUNT_ADMIN"], isDefault: false }),
      prefix: "in-use",
    });
    world.roles.push("SYSTEM_OWNER");
    const roster = aRoster({
      users: three.slice(0, 2),
      teams: [aTeam("Red", { members: ["ada", "bo"], roles: ["SYSTEM_OWNER"] })],
    });
    const snapshot = snapshotOf(world, { roster });
    const troubles = await troublesOf({ roster, snapshot, keyInUse: "in-use" });
    expect(troubles.filter((one) => one.startsWith("failed"))).toEqual(
      Array(2).fill(
        expect.stringContaining("forbidden, Only a Platform Administrator may give or take the role SYSTEM_OWNER"),
      ),
    );
  });
});

describe("what is known of a service", () => {
  const roster = aRoster({
    users: three.slice(0, 2),
    teams: [aTeam("Red", { members: ["ada", "bo"], roles: ["DEVELOPER"] })],
  });

  test("roles that it keeps whatever is asked are kept in a rehearsal, and are no trouble", async () => {
    const at = "2026-11-19T10:00:00.000Z";
    const record = { prefix: "old", put: roleSet(["DEVELOPER"]), readAs: roleSet(["DEVELOPER", "TEAM_ROLE"]), at };
    const state = aState({ keys: new Map([["old", record]]) });
    const { rehearsal } = await rehearsed({ roster, snapshot: snapshotOf(company(), { roster }), state });
    expect(rehearsal).toMatchObject({ converges: true, notices: [{ code: "roles-kept-by-service" }] });
    expect(rehearsal?.calls.replaceRoles).toBe(2);
  });

  test("roles that it adds to those that are asked for are told as its way", async () => {
    const asking = aRoster({ users: three.slice(0, 1), keys: [aKey("k1", { owner: "ada", roles: ["DEVELOPER"] })] });
    const snapshot = snapshotOf(company(), { roster: asking });
    const { rehearsal } = await rehearsed({ roster: asking, snapshot, knobs: { putRoles: "merge" } });
    expect(rehearsal).toMatchObject({ converges: true, notices: [{ code: "roles-kept-by-service" }] });
  });

  test("what it hides, and what is taken on the roster's word, is said", async () => {
    const named = aRoster({
      users: three.slice(0, 2),
      teams: [aTeam("Blue", { identifier: "t-blue", members: ["ada"] })],
    });
    const hidden = (hides: Parameters<typeof snapshotOf>[1]["hides"]) =>
      rehearsed({
        roster: named,
        snapshot: snapshotOf(company(), { roster: named, hides: hides ?? [] }),
        allows: ["absent:members"],
      });
    const blue = "No read shows the team Blue (t-blue). The rehearsal assumes that it exists.";
    const unshown = await Promise.all(
      [[], ["keys"], ["roles"], ["teams"]].map(async (hides) => (await hidden(hides as never)).rehearsal?.unshown),
    );
    expect(unshown).toEqual([
      [blue],
      ["The service does not show the keys of users. The rehearsal cannot check their roles.", blue],
      ["The service does not show the roles of keys. Roles that are not in the state are unknown.", blue],
      [
        "The service does not show the teams of keys. The rehearsal assumes that it shows the identifier of a " +
          "new team.",
        blue,
      ],
    ]);
  });

  test.each([
    ["every team", () => true, "only by their identifiers. The rehearsal cannot see teams with an unknown identifier."],
    ["one team", (nth: number) => nth === 0, "The rehearsal sees only some memberships."],
  ])("that keys show the identifier of %s alone is said as it is", async (_, isNameless, words) => {
    const world = company();
    const [, bo] = world.users;
    if (bo !== undefined) giveTeamKey(world, bo, "t-red", ["TEAM_ROLE"]);
    const shown = snapshotOf(world, { roster: growing });
    const users = shown.users.map((user, nth) => ({
      ...user,
      keys: (user.keys ?? []).map((key) => {
        const { team } = key;
        const isBare = typeof team === "object" && team.identifier !== undefined && isNameless(nth);
        return isBare ? { ...key, team: { identifier: team.identifier } } : key;
      }),
    }));
    const snapshot: Snapshot = { ...shown, users, capabilities: { ...shown.capabilities, teamsOnKeys: "hidden" } };
    const { rehearsal } = await rehearsed({ roster: growing, snapshot });
    expect(rehearsal?.unshown[0]).toContain(words);
  });

  test("keys that the roster alone knows are said to be taken on its word, a few by name", async () => {
    const keys = Array.from({ length: 7 }, (_, index) => aKey(`k${index}`, { roles: ["DEVELOPER"] }));
    const unshown = async (listed: typeof keys) => {
      const named = aRoster({ users: three.slice(0, 2), keys: listed });
      const snapshot = snapshotOf(company(), { roster: named, hides: ["keys"] });
      return (await rehearsed({ roster: named, snapshot })).rehearsal?.unshown.slice(1);
    };
    expect([await unshown(keys.slice(0, 1)), await unshown(keys)]).toEqual([
      ["No read shows the key k0. The rehearsal assumes that it exists."],
      ["No read shows the keys k0, k1, k2, k3, k4 and 2 more. The rehearsal assumes that they exist."],
    ]);
  });

  test("what it refused before, and takes in a rehearsal, is said", async () => {
    const refusals = refusalMap(
      aRefusal(parts.creation("cy")),
      aRefusal(parts.addition("bo", "t-red", red.key)),
      aRefusal(parts.creation("dee")),
    );
    const snapshot = snapshotOf(company(), { roster: growing });
    const { rehearsal } = await rehearsed({ roster: growing, snapshot, state: aState({ refusals }) });
    expect(rehearsal).toMatchObject({
      converges: true,
      unshown: [
        "The service refused this before: create-user:cy@acme.example, add-members:acc-1/red. It may refuse " +
          "it again.",
      ],
    });
  });

  test("roles that were not read are no matter where no call names any", async () => {
    const named = aRoster({ users: three.slice(0, 2) });
    const snapshot = {
      ...snapshotOf(company(), { roster: named }),
      roles: { known: "unknown", why: "not read" } as const,
    };
    expect((await rehearsed({ roster: named, snapshot })).rehearsal?.unshown).toEqual([]);
  });
});
