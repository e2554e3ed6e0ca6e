import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { RecordedUser, State } from "../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import { aPolicy, aState } from "../../support/plan-inputs.ts";
import { type Circumstances, deeds, planFor, troubles } from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, at, aUser } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser, type World } from "../../support/simulated-world.ts";

const recordedAt = "2026-11-01T00:00:00.000Z";

function record(name: string, parts: Partial<RecordedUser> = {}): State {
  const address = addressOf(name);
  return aState({ users: new Map([[address, { address, email: address, account: "acc-1", ...parts }]]) });
}

function openCreation(name: string): State {
  const address = addressOf(name);
  const intent = { kind: "create-user", address, email: address, account: "acc-1", sent: {} } as const;
  return aState({ open: [{ run: "r-1", action: `create-user:${address}`, at: recordedAt, intent }] });
}

interface Case {
  readonly world?: (world: World) => void;
  readonly user?: Parameters<typeof aUser>[1];
  readonly circumstances?: Circumstances;
  readonly deeds: readonly string[];
  readonly troubles: readonly string[];
}

const join = "add ada to Data";

const cases: Readonly<Record<string, Case>> = {
  "absent, as an exact search has proven, and created": {
    deeds: ["create ada", `${join} after create-user:ada@acme.example`],
    troubles: [],
  },
  "there and active": {
    world: (world) => putUser(world, { email: "ADA@acme.example", firstName: "Ada", lastName: "Test" }),
    deeds: [join],
    troubles: [],
  },
  "there with a status that nobody knows": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "On Holiday" }),
    deeds: [join],
    troubles: [],
  },
  "there and pending, which is a notice": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "Invited" }),
    deeds: [join],
    troubles: ["pending-user: user ada@acme.example"],
  },
  "barred, and so added to nothing": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "INACTIVE" }),
    deeds: [],
    troubles: ["! barred-user: user ada@acme.example"],
  },
  "deleted, and so neither created nor added": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "Deleted" }),
    deeds: [],
    troubles: ["! deleted-user: user ada@acme.example"],
  },
  "there twice, and never merged": {
    world: (world) => {
      putUser(world, { email: "ada@acme.example", identifier: "u-b" });
      putUser(world, { email: "Ada@acme.example", identifier: "u-a" });
    },
    deeds: [],
    troubles: ["! ambiguous-user: user ada@acme.example"],
  },
  "there under a former address": {
    world: (world) => putUser(world, { email: "ada@old.example" }),
    user: { previously: ["ada@older.example", "ada@old.example"] },
    deeds: [],
    troubles: ["! former-address: user ada@acme.example"],
  },
  "there in another account": {
    world: (world) => putUser(world, { email: "ada@acme.example", account: "acc-2" }),
    deeds: [],
    troubles: ["! other-account: user ada@acme.example"],
  },
  "listed by another account alone, where users do not show theirs": {
    world: (world) => putUser(world, { email: "ada@acme.example", account: "acc-2" }),
    circumstances: { hides: ["user-accounts"] },
    deeds: [],
    troubles: ["! other-account: user ada@acme.example"],
  },
  "gone, though we created her": {
    circumstances: { state: record("ada", { createdAt: recordedAt }) },
    deeds: [],
    troubles: ["! vanished: user ada@acme.example"],
  },
  "gone, though a run met her": {
    circumstances: { state: record("ada", { seenAt: recordedAt }) },
    deeds: [],
    troubles: ["! vanished: user ada@acme.example"],
  },
  "known by her identifier, under another address": {
    world: (world) => putUser(world, { email: "countess@acme.example", identifier: "u-ada" }),
    circumstances: { state: record("ada", { identifier: "u-ada" }) },
    deeds: [],
    troubles: ["! vanished: user ada@acme.example"],
  },
  "not known under a former address, which proves nothing": {
    user: { previously: ["ada@old.example"] },
    circumstances: {
      seen: (snapshot) => ({
        ...snapshot,
        absences: new Map([...snapshot.absences, [addressOf("ada@old.example"), { proven: false, why: "cut off" }]]),
      }),
    },
    deeds: [],
    troubles: ["! unproven-user: user ada@acme.example"],
  },
  "replaced by another user at her address": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", identifier: "u-2" }),
    circumstances: { state: record("ada", { identifier: "u-1", seenAt: recordedAt }) },
    deeds: [],
    troubles: ["! vanished: user ada@acme.example"],
  },
  "replaced by another user, whom a person takes for her, without what the former one held": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", identifier: "u-2" }),
    circumstances: {
      state: {
        ...record("ada", { identifier: "u-1", seenAt: recordedAt }),
        memberships: new Map([
          [
            membershipKeyOf(teamKeyOf("acc-1", "Data"), addressOf("ada")),
            { team: teamKeyOf("acc-1", "Data"), address: addressOf("ada"), how: "added", at: recordedAt },
          ],
        ]),
      },
      policy: aPolicy({ recreate: [addressOf("ada")] }),
    },
    deeds: [join],
    troubles: [],
  },
  "gone, and wanted again by a person": {
    circumstances: {
      state: record("ada", { createdAt: recordedAt }),
      policy: aPolicy({ recreate: [addressOf("ada")] }),
    },
    deeds: ["create ada", `${join} after create-user:ada@acme.example`],
    troubles: [],
  },
  "perhaps created by a run that never learned it": {
    circumstances: { state: openCreation("ada"), policy: aPolicy({ recreate: [addressOf("ada")] }) },
    deeds: [],
    troubles: ["! unknown-outcome: user ada@acme.example"],
  },
  "shown, whatever a run never learned": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test" }),
    circumstances: { state: openCreation("ada") },
    deeds: [join],
    troubles: [],
  },
  "not proven to be absent by her search": {
    circumstances: {
      seen: (snapshot) => ({
        ...snapshot,
        absences: new Map([[addressOf("ada"), { proven: false, why: "the control was not found" }]]),
      }),
    },
    deeds: [],
    troubles: ["! unproven-user: user ada@acme.example"],
  },
  "never asked for": {
    circumstances: { seen: (snapshot) => ({ ...snapshot, absences: new Map() }) },
    deeds: [],
    troubles: ["! unproven-user: user ada@acme.example"],
  },
  "not found in an incomplete list": {
    circumstances: { everyone: { read: "incomplete", why: "page 7 failed" } },
    deeds: [],
    troubles: ["! unproven-user: user ada@acme.example"],
  },
};

describe("a user of the roster", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { world: change, user, circumstances, ...expected }) => {
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    putTeam(world, { name: "Data", identifier: "t-1", members: [putUser(world, { email: "root@acme.example" })] });
    change?.(world);
    const team = aTeam("Data", { identifier: "t-1", open: true, members: ["ada"] });
    const plan = planFor(world, aRoster({ users: [aUser("ada", user)], teams: [team] }), circumstances);
    expect({ deeds: deeds(plan), troubles: troubles(plan) }).toEqual(expected);
  });

  test("who may not be created a second time is told with both ways out, and why", () => {
    const world = aWorld();
    putUser(world, { email: "ada@old.example" });
    const roster = aRoster({ users: [aUser("ada", { previously: ["ada@old.example"], line: 4 })] });
    expect(planFor(world, roster).findings).toEqual([
      {
        class: "blocked",
        blocking: true,
        code: "former-address",
        fingerprint: "e59bf65b9b16bf53",
        subject: "user ada@acme.example",
        message:
          "The service knows this person as ada@old.example, a former address of ada@acme.example, and no call changes " +
          "an address. No second user is created: either have the address changed by hand, or write ada@old.example as " +
          "the email in the roster.",
        because: [reasonAt(at(4), "user"), reasonAt(at(4), "former-address", { name: "ada@old.example" })],
        restsOn: [{ about: "user ada@old.example", fact: { known: "observed", value: "present", by: "list" } }],
      },
    ]);
  });

  test("of a barred person keeps the roles of keys that are there", () => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example", lastName: "Test", status: "Inactive" });
    putTeam(world, { name: "Data", members: [ada] });
    const roster = aRoster({
      users: [aUser("ada")],
      teams: [aTeam("Data", { members: ["ada"], roles: ["DEVELOPER"] })],
    });
    expect(deeds(planFor(world, roster))).toEqual([`set ${ada.keys[1]?.prefix} (observed) to DEVELOPER`]);
  });

  test("is looked up by the team that the state ties to her, not created for it again", () => {
    const team = teamKeyOf("acc-1", "Data");
    const state = record("ada", { createdAt: recordedAt, founded: team, key: "k-1" });
    const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("Data", { members: ["ada"] })] });
    const world = aWorld();
    putUser(world, { email: "root@acme.example" });
    const teams = new Map([
      [team, { team, name: "Data", account: "acc-1", founder: addressOf("ada"), at: recordedAt }],
    ]);
    const plan = planFor(world, roster, { state: { ...state, teams } });
    expect({ deeds: deeds(plan), troubles: troubles(plan) }).toEqual({
      deeds: [],
      troubles: ["! vanished: user ada@acme.example", "! team-identifier-unknown: team acc-1/data"],
    });
  });

  test("carries the former addresses that are proven to be nobody's, for them to be looked up again", () => {
    const roster = aRoster({ users: [aUser("ada", { previously: ["ada@old.example"] })] });
    expect(planFor(aWorld(), roster).actions).toMatchObject([
      {
        formerly: ["ada@old.example"],
        restsOn: [{ about: "user ada@acme.example" }, { about: "user ada@old.example" }],
      },
    ]);
  });
});
