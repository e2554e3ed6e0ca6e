import { describe, expect, test } from "vitest";
import { declared, recorded } from "../../../src/model/fact.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { countingIdentifiers } from "../../../src/reference-server/identifiers.ts";
import { World } from "../../../src/reference-server/world.ts";
import { type KnownService, seedWorld } from "../../../src/rehearse/seed-world.ts";
import { anAddition, aPlan, aReplacement, person, rolesId, teamRef } from "../../support/action-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { addressOf, aRoster, at, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";
import type { Hidden } from "../../support/visibility.ts";

/** Ada and Bo of acc-1, who are in Red. */
function shown(hides: readonly Hidden[] = []): Snapshot {
  const world = aWorld();
  const people = ["ada", "bo"].map((name) => putUser(world, { email: emailOf(name), identifier: `u-${name}` }));
  putTeam(world, { name: "Red", identifier: "t-red", members: people });
  return snapshotOf(world, { roster: aRoster({}), hides });
}

function seeded(ground: Partial<KnownService> = {}) {
  const world = new World(countingIdentifiers(1));
  const caller = seedWorld({ snapshot: shown(), state: aState(), plan: aPlan([]), ...ground }, world);
  return { world, caller };
}

function withMembers(snapshot: Snapshot, members: readonly string[]): Snapshot {
  const account = { identifier: "acc-1", members: members.map(addressOf), by: "account acc-1" };
  return { ...snapshot, accounts: new Map([["acc-1", account]]) };
}

describe("a world that is filled from a snapshot", () => {
  test("has the people in the order of their account's details, and those of whom these alone tell", () => {
    const everyone = { read: "not-read" } as const;
    const absences = new Map([[addressOf("dee"), { proven: false, why: "nobody knows" } as const]]);
    const snapshot = withMembers({ ...shown(), everyone, absences }, ["bo", "cy", "dee", "ada"]);
    const { world } = seeded({ snapshot });
    expect(world.userList.map(({ email }) => email)).toEqual(["bo", "cy", "ada"].map(emailOf));
    expect(seeded({ snapshot: withMembers(shown(), ["bo", "cy"]) }).world.userList).toHaveLength(2);
  });

  test("has whom the details of an account lack in another one, which no list shows", () => {
    const { world } = seeded({ snapshot: withMembers(shown(["user-accounts"]), ["bo"]) });
    expect([...world.accounts.keys()]).toEqual(["acc-1"]);
    expect(world.userList.map(({ email, account }) => [email, account.identifier])).toEqual([
      [emailOf("bo"), "acc-1"],
      [emailOf("ada"), "elsewhere"],
    ]);
  });

  test("takes identifiers and roles that are hidden from the state", () => {
    const snapshot = shown(["user-identifiers", "roles"]);
    const [key] = snapshot.users[0]?.keys ?? [];
    const time = "2026-11-01T00:00:00.000Z";
    const user = { address: addressOf("ada"), email: emailOf("ada"), account: "acc-1", identifier: "u-17" };
    const record = { prefix: key?.prefix ?? "", put: roleSet(["DEVELOPER"]), at: time };
    const state = aState({ users: new Map([[user.address, user]]), keys: new Map([[record.prefix, record]]) });
    const { world } = seeded({ snapshot, state });
    expect(world.userByAddress(emailOf("ada"))?.identifier).toBe("u-17");
    expect(world.keys.get(record.prefix)?.roles).toEqual(["DEVELOPER"]);
  });

  test("takes teams and keys that only the plan names to be there", () => {
    const blue = { ...teamRef("Blue", ""), identifier: declared("t-blue", at(3)) };
    const key = { of: "prefix", prefix: recorded("k-hidden", "2026-11-01T00:00:00.000Z"), team: blue } as const;
    const plan = aPlan([anAddition(blue, [person("ada")]), aReplacement(rolesId("bo"), key, ["TEAM_ROLE"])]);
    const { world } = seeded({ plan });
    expect([...world.teams.values()].map(({ identifier, name }) => [identifier, name])).toEqual([
      ["t-red", "Red"],
      ["t-blue", "Blue"],
    ]);
    expect(world.keys.get("k-hidden")).toMatchObject({ kind: "team", team: { identifier: "t-blue" } });
  });
});

describe("the key by which a rehearsal asks", () => {
  function withRoles(...roles: readonly string[]): Snapshot {
    const snapshot = shown(["user-accounts"]);
    const users = snapshot.users.map((user) => ({
      ...user,
      keys: user.keys?.map((key, index) => (index === 0 ? { ...key, roles: roleSet(roles) } : key)) ?? [],
    }));
    return { ...snapshot, users };
  }
  const own = shown().users[0]?.keys?.[0]?.prefix;

  test.each([
    ["the one in use, where it is a Platform Administrator's", withRoles("SYSTEM_OWNER"), own, "shown"],
    ["the one in use, where it administers the account of everybody", withRoles("ACCOUNT_ADMIN"), own, "shown"],
    ["another one, where it administers nothing", withRoles("DEVELOPER"), own, "unlisted"],
    ["another one, where no read shows it", withRoles("SYSTEM_OWNER"), "elsewhere", "unlisted"],
    ["another one, where nobody knows which it is", withRoles("SYSTEM_OWNER"), undefined, "unlisted"],
    [
      "another one, where somebody is in another account",
      withMembers(withRoles("ACCOUNT_ADMIN"), ["ada"]),
      own,
      "unlisted",
    ],
  ])("is %s", (_, snapshot, keyInUse, which) => {
    const { world, caller } = seeded({ snapshot, keyInUse });
    expect(world.userList.includes(caller.owner) ? "shown" : "unlisted").toBe(which);
    expect(world.keys.get(caller.prefix)).toBe(caller);
  });
});
