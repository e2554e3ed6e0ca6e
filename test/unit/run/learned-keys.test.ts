import { describe, expect, test } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import type { Action } from "../../../src/model/action.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import { success } from "../../../src/model/result.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import {
  aCreation,
  anAddition,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { applied, emptyService, everythingShown, type RunWish } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const ops = teamRef("Ops", "t-ops");

/** The key whose roles are to be replaced: ada's own, or hers in Ops. The answers show none; a read shows k-learned. */
interface Learning {
  readonly actions: readonly Action[];
  readonly roles: string;
  readonly key: ObservedKey;
}

const own: Learning = {
  actions: [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])],
  roles: rolesId("ada"),
  key: { prefix: "k-learned", kind: "user", team: "none" },
};
const ofOps: Learning = {
  actions: [anAddition(ops, [person("ada", "u-ada")]), rolesOfAdded("ada", ops, ["DEVELOPER"])],
  roles: rolesId("ada", "Ops"),
  key: { prefix: "k-learned", kind: "team", team: { identifier: "t-ops", name: "Ops" } },
};

/** What became of the replacement, and to which keys one was sent. */
async function replacing({ actions, roles, key }: Learning, wish: RunWish & { readonly inUse?: string }) {
  const { inUse, ...run } = wish;
  const world = aWorld();
  putTeam(world, { name: "Ops", identifier: "t-ops" });
  if (key.kind === "team") putUser(world, { email: emailOf("ada"), identifier: "u-ada" });
  const simulated = emptyService({ world, hides: ["created-key", "added-keys"] });
  const sent: string[] = [];
  const service: AccountService = {
    ...simulated,
    ...(inUse === undefined ? {} : { keyPrefix: inUse }),
    async searchUsers(...asked) {
      const found = await simulated.searchUsers(...asked);
      return found.ok ? success(found.value.map((user) => ({ ...user, keys: [key] }))) : found;
    },
    async replaceRoles(prefix, wanted) {
      sent.push(prefix);
      return { outcome: "done", value: { roles: wanted } };
    },
  };
  const outcome = summarizeRun(await applied(actions, service, run)).outcomes.get(roles);
  return {
    sent,
    why: outcome?.is === "failed" ? outcome.failure.message.replace(/^.*as they are: /u, "") : outcome?.is,
  };
}

function stateWith(parts: Partial<State>): Pick<RunWish, "session"> {
  return { session: memorySession({ ...emptyState("l"), ...parts }) };
}

const membershipOf = (name: string, team: string): Pick<RunWish, "session"> => {
  const [address, key] = [addressOf(name), teamKeyOf("acc-1", team)];
  const record = { team: key, address, how: "added", at: noon, prefix: "k-learned" } as const;
  return stateWith({ memberships: new Map([[membershipKeyOf(key, address), record]]) });
};
const bo = { address: addressOf("bo"), email: emailOf("bo"), account: "acc-1" };
const guarded = "roster did not change the roles of the key k-learned: a guard protects this key";
const strangers = "roster did not change the roles of the key k-learned: it is a key of bo@acme.example";

describe.each([
  ["an own key", own],
  ["a team's key", ofOps],
])("%s that only the run learns", (_, learning) => {
  test.each<readonly [string, RunWish & { readonly inUse?: string }, string]>([
    ["is the key in use", { inUse: "k-learned" }, guarded],
    ["is protected", { forbids: { keys: ["k-learned"], people: [] } }, guarded],
    ["was shown as somebody else's", { shown: [{ ...bo, keys: [{ prefix: "k-learned" }], by: "list" }] }, strangers],
    [
      "is recorded as somebody else's",
      stateWith({ users: new Map([[bo.address, { ...bo, key: "k-learned" }]]) }),
      strangers,
    ],
    ["is recorded as somebody else's in a team", membershipOf("bo", "Ops"), strangers],
    [
      "is recorded as the same person's in another team",
      membershipOf("ada", "Data"),
      "roster did not change the roles of the key k-learned: it is another key of the same user",
    ],
  ])("gets no roles where it %s", async (_name, wish, why) => {
    expect(await replacing(learning, wish)).toEqual({ sent: [], why });
  });

  test("is not left as it is because it is shown with exactly these roles, where a guard forbids it", async () => {
    const isExact = { roles: learning.roles, key: { ...learning.key, roles: ["DEVELOPER"] } };
    const actions = learning.actions.map((one) => (one.kind === "replace-roles" ? { ...one, ifInexact: true } : one));
    expect(await replacing({ ...isExact, actions }, { inUse: "k-learned" })).toEqual({ sent: [], why: guarded });
    expect(await replacing({ ...isExact, actions }, {})).toEqual({ sent: [], why: "unneeded" });
  });

  test("gets its roles where nothing speaks against it", async () => {
    expect(await replacing(learning, { inUse: "k-use", forbids: { keys: ["k-other"], people: [] } })).toEqual({
      sent: ["k-learned"],
      why: "succeeded",
    });
  });
});

describe("a key of the kind of a user in the answer to a creation with a team", () => {
  async function recordedKey(shown: readonly ObservedUser[], teamsOnKeys: "shown" | "hidden") {
    const simulated = emptyService();
    const answered = { prefix: "k-answered", kind: "user" };
    const service: AccountService = {
      ...simulated,
      async createUser(...asked) {
        const done = await simulated.createUser(...asked);
        if (done.outcome !== "done") return done;
        return { outcome: "done", value: { ...done.value, key: answered, shownKeys: [answered] } };
      },
    };
    const session = memorySession(emptyState("l"));
    const actions = [
      aCreation("ada", { createsTeam: "Red" }),
      rolesOfFirstMember("ada", newTeam("Red", "ada"), ["DEVELOPER"]),
    ];
    const capabilities = { ...everythingShown, teamsOnKeys };
    await applied(actions, service, { session, shown, capabilities });
    return session.saved().users.get(addressOf("ada"))?.key;
  }
  const boWith = (key: ObservedKey): ObservedUser => ({ ...bo, by: "list", keys: [{ ...key, prefix: "k-bo" }] });

  test("is the team's where no key shows its team", async () => {
    expect(await recordedKey([boWith({ prefix: "", kind: "user" })], "hidden")).toBe("k-answered");
  });

  test("is not the team's where other keys tell which are a user's own: the team's is read", async () => {
    const read = await recordedKey([], "shown");
    expect(read).not.toBe("k-answered");
    expect(await recordedKey([boWith({ prefix: "", team: "none" })], "hidden")).toBe(read);
    expect(await recordedKey([boWith({ prefix: "", kind: "team" })], "hidden")).toBe(read);
  });
});
