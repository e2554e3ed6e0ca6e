import { describe, expect, test } from "vitest";
import { accessWasRefused, summarizeRun } from "../../../src/log/summary.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import type { Action } from "../../../src/model/plan.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import {
  aCreation,
  anAddition,
  createId,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { addition, boRoles, everything, firstMemberRoles, teamCreation } from "../../support/science-plan.ts";
import { aFailure, on } from "../../support/simulated-service.ts";
import { aWorldOf } from "../../support/simulated-world.ts";
import { everythingShown } from "../../support/snapshot-builders.ts";
import { remembering } from "../../support/state-builders.ts";

const [ada, adasRoles] = [[aCreation("ada"), rolesOfOwnKey("ada", [])], rolesId("ada")];
const ambiguous =
  (...keys: readonly string[]): NonNullable<Scene["service"]> =>
  ({ createUser }) => ({
    async createUser(...call) {
      const done = await createUser(...call);
      return done.outcome === "done" ? { ...done, value: { ...done.value, ambiguousKeys: keys } } : done;
    },
  });

describe("what an answer does not show", () => {
  test("is learned by one search: the team's identifier and the keys that later calls need", async () => {
    const { lines, calls } = await runPlan(everything, { hides: ["created-team", "created-key", "added-keys"] });
    expect(lines.filter((text) => /key-learned|team-identified/.test(text))).toEqual([
      "key-learned k3 of ada@acme.example in acc-1/science",
      "team-identified acc-1/science as t2",
      "key-learned k5 of bo@acme.example",
      "key-learned k6 of bo@acme.example in acc-1/science",
    ]);
    expect(calls.filter((call) => call.startsWith("search"))).toHaveLength(4);
    expect(lines.slice(-2)).toEqual(["verified converged", "finished completed"]);
  });

  test("is not searched for where no later call needs it", async () => {
    const actions = [aCreation("ada", { createsTeam: "Science" }), aCreation("bo")];
    const { simulated } = await runPlan(actions, { hides: ["created-team", "created-key", "added-keys"] });
    expect(simulated.requests.reads).toBe(1);
  });

  test("nor a read, is a finding with what to write, and only what needs it is skipped", async () => {
    const { lines, events, simulated } = await runPlan(everything, {
      hides: ["team-identifiers", "created-key", "keys"],
    });
    expect(lines.filter((text) => /found|skipped/.test(text))).toEqual([
      "found key-prefix-unknown for member ada@acme.example of team acc-1/science",
      "found team-identifier-unknown for team acc-1/science",
      `skipped ${firstMemberRoles} because of ${teamCreation}: the prefix of the key is unknown`,
      "found key-prefix-unknown for user bo@acme.example",
      `skipped ${rolesId("bo")} because of ${createId("bo")}: the prefix of the key is unknown`,
      `skipped ${addition} because of ${teamCreation}: the identifier of the team Science is unknown`,
      `skipped ${boRoles} because of ${teamCreation}: the identifier of the team Science is unknown`,
    ]);
    expect(simulated.world.users).toHaveLength(2);
    const finding = events.find((event) => event.type === "found" && event.finding.code === "team-identifier-unknown");
    const suggestedYaml = "teams:\n  - name: Science\n    identifier: IDENTIFIER\n";
    expect(finding).toMatchObject({ finding: { kind: "task", suggestedYaml } });
  });

  test("is not asked for again once a search has shown that keys are hidden", async () => {
    const scene: Scene = { hides: ["keys", "created-key"], parallelism: 1 };
    const { calls } = await runPlan([...ada, aCreation("bo"), rolesOfOwnKey("bo", [])], scene);
    expect(calls.filter((call) => call.startsWith("search"))).toHaveLength(2);
  });

  test("a moment after the call is looked for a second time", async () => {
    const searches: Scene["searches"] = (users, age) => (age === 0 ? [] : users);
    const { about, waits } = await runPlan(ada, { hides: ["created-key"], searches });
    expect([about(adasRoles), waits]).toEqual(["intended, succeeded", [1000]]);
  });

  test("because the key in use is refused ends the run, which tells so", async () => {
    const before = on("search-users", { failure: aFailure("unauthorized", "no") });
    const { events } = await runPlan(ada, { hides: ["created-key"], before });
    expect(events.at(-1)).toEqual({ type: "run-finished", at: noon, ended: "stopped", why: "no", accessRefused: true });
    expect(accessWasRefused(summarizeRun(events))).toBe(true);
  });

  test("because the answer shows several keys is not guessed, and told with all of them", async () => {
    const service = ambiguous("k-a", "k-b");
    const { about, events, lines } = await runPlan(ada, { hides: ["keys", "created-key"], service });
    expect(lines).toContain("found key-prefix-unknown for user ada@acme.example");
    expect(about(adasRoles)).toBe(`skipped because of ${createId("ada")}: the prefix of the key is unknown`);
    expect(events.find(({ type }) => type === "found")).toMatchObject({
      finding: {
        kind: "task",
        message: expect.stringContaining("k-a, k-b"),
        suggestedYaml: "users:\n  - email: ada@acme.example\n    key: k-a # or k-b\n",
      },
    });
  });

  test("of several keys is told by a read that shows which one it is", async () => {
    const { about, lines } = await runPlan(ada, { hides: ["created-key"], service: ambiguous("k2", "k-b") });
    expect(lines).toContain("key-learned k2 of ada@acme.example");
    expect(about(adasRoles)).toBe("intended, succeeded");
  });
});

const ops = teamRef("Ops", "t-ops");

/** The key whose roles are to be replaced: ada's own, or hers in Ops. The answers show none; a read shows k-learned. */
interface Learning {
  readonly actions: readonly Action[];
  readonly roles: string;
  readonly key: ObservedKey;
}

const own: Learning = {
  actions: [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])],
  roles: adasRoles,
  key: { prefix: "k-learned", kind: "user", team: "none" },
};
const ofOps: Learning = {
  actions: [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])],
  roles: rolesId("ada", "Ops"),
  key: { prefix: "k-learned", kind: "team", team: { identifier: "t-ops", name: "Ops" } },
};

/** What became of the replacement, and to which keys one was sent. */
async function replacing({ actions, roles, key }: Learning, scene: Scene & { readonly inUse?: string }) {
  const { inUse, ...rest } = scene;
  const sent: string[] = [];
  const { outcome } = await runPlan(actions, {
    world: aWorldOf({ users: key.kind === "team" ? { ada: { identifier: "u-ada" } } : {}, teams: { Ops: {} } }),
    hides: ["created-key", "added-keys"],
    searches: (users) => users.map((user) => ({ ...user, keys: [key] })),
    service: () => ({
      ...(inUse === undefined ? {} : { keyPrefix: inUse }),
      async replaceRoles(prefix, wanted) {
        sent.push(prefix);
        return { outcome: "done", value: { roles: wanted } };
      },
    }),
    ...rest,
  });
  const end = outcome(roles);
  return { sent, why: end?.is === "failed" ? end.failure.message : end?.is };
}

const bo = { address: addressOf("bo"), email: emailOf("bo"), by: "list" };
const left = "roster did not change the roles of the key k-learned:";
const guarded = `${left} a guard protects this key`;
const strangers = `${left} it is a key of bo@acme.example`;

describe.each([
  ["an own key", own],
  ["a team's key", ofOps],
])("%s that only the run learns", (_, learning) => {
  const placed = (place: string): Scene => ({ state: remembering({ members: { [place]: { prefix: "k-learned" } } }) });

  test.each<readonly [string, Scene & { readonly inUse?: string }, string]>([
    ["is the key in use", { inUse: "k-learned" }, guarded],
    ["is protected", { forbids: { keys: ["k-other", "k-learned"], people: [] } }, guarded],
    ["was shown as somebody else's", { shown: [{ ...bo, keys: [{ prefix: "k-learned" }] }] }, strangers],
    ["is recorded as somebody else's", { state: remembering({ users: { bo: { key: "k-learned" } } }) }, strangers],
    ["is recorded as somebody else's in a team", placed("Ops/bo"), strangers],
    [
      "is recorded as the same person's in another team",
      placed("Data/ada"),
      `${left} it is another key of the same user`,
    ],
  ])("gets no roles where it %s", async (_name, scene, why) => {
    expect(await replacing(learning, scene)).toEqual({ sent: [], why });
  });

  test("is not left as it is because it is shown with exactly these roles, where a guard forbids it", async () => {
    const actions = learning.actions.map((one) => (one.kind === "replace-roles" ? { ...one, ifInexact: true } : one));
    const isExact = { actions, roles: learning.roles, key: { ...learning.key, roles: ["DEVELOPER"] } };
    expect(await replacing(isExact, { inUse: "k-learned" })).toEqual({ sent: [], why: guarded });
    expect(await replacing(isExact, {})).toEqual({ sent: [], why: "unneeded" });
  });

  test("gets its roles where nothing speaks against it", async () => {
    const scene = { inUse: "k-use", forbids: { keys: ["k-other"], people: [] } };
    expect(await replacing(learning, scene)).toEqual({ sent: ["k-learned"], why: "succeeded" });
  });
});

describe("a key of the kind of a user in the answer to a creation with a team", () => {
  const key = { prefix: "k-answered", kind: "user" };
  const service: Scene["service"] = ({ createUser }) => ({
    async createUser(...asked) {
      const done = await createUser(...asked);
      return done.outcome === "done" ? { ...done, value: { ...done.value, key, shownKeys: [key] } } : done;
    },
  });
  const actions = [
    aCreation("ada", { createsTeam: "Red" }),
    rolesOfFirstMember("ada", newTeam("Red", "ada"), ["DEVELOPER"]),
  ];

  test.each<[string, ObservedUser["keys"], "shown" | "hidden", string]>([
    ["is the team's where no key shows its team", [{ prefix: "k-bo", kind: "user" }], "hidden", "k-answered"],
    ["is not where keys show their teams: the team's is read", undefined, "shown", "k3"],
    ["is not where another key is of no team", [{ prefix: "k-bo", team: "none" }], "hidden", "k3"],
    ["is not where another key is of the kind of a team", [{ prefix: "k-bo", kind: "team" }], "hidden", "k3"],
  ])("%s", async (_, keys, teamsOnKeys, recorded) => {
    const shown = keys === undefined ? [] : [{ ...bo, keys }];
    const { saved } = await runPlan(actions, { service, shown, capabilities: { ...everythingShown, teamsOnKeys } });
    expect(saved.users.get(addressOf("ada"))?.key).toBe(recorded);
  });
});
