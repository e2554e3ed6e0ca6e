import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { RecordedMembership } from "../../../src/model/membership.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject, formatSubject } from "../../../src/model/subject.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import { creationIntent, openIntent } from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import {
  type Circumstances,
  deeds,
  outcome,
  planFor,
  troubles,
  troublesApartFromIdle,
} from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, at, aUser } from "../../support/roster-builders.ts";
import { aWorld, aWorldOf, putTeam, putUser, type World } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

/** Ada is there, bo was created and is gone, cy was never there; nobody else is in the roster. */
function planSaying(...names: readonly string[]) {
  const world = aWorldOf({ users: { ada: {} } });
  const state = remembering({ users: { bo: { createdAt: recordedAt } } });
  const allows = names.map((name) => `user-missing:${addressOf(name)}`);
  return planFor(world, aRoster({ users: ["ada", "bo", "cy"].map((name) => aUser(name)) }), { state, allows });
}

const vanished = "! user-missing: user bo@acme.example";

const idle = (name: string) =>
  expect.stringMatching(
    new RegExp(`^idle-allowance: allowance user-missing:${name}@acme\\.example#[0-9a-f]{12}$`, "u"),
  );

test.each([
  ["somebody who is gone is of use", ["bo"], []],
  ["somebody who is there is idle", ["ada"], [vanished, idle("ada")]],
  ["somebody who is created anyway is idle", ["cy"], [vanished, idle("cy")]],
  ["nobody of the roster is idle", ["boo", "bo"], [idle("boo")]],
])("an allowance to create again %s", (_, names, expected) => {
  expect(troubles(planSaying(...names))).toEqual(expected);
});

test("an idle allowance is a notice, and changes nothing", () => {
  const { findings } = planSaying("ada");
  expect(
    findings
      .filter(({ code }) => code === "idle-allowance")
      .map(({ kind, message }) => [kind, message.replace(/#[0-9a-f]{12}/u, "#DIGITS")]),
  ).toEqual([["notice", "`--allow user-missing:ada@acme.example#DIGITS` has no effect on this plan. Remove it."]]);
  expect(deeds(planSaying("boo"))).toEqual(deeds(planSaying()));
});

const day = (date: string) => `${date}T08:00:00.000Z`;

/** When ada was created, and when she came into which team and how. */
function invited(created?: string, ...places: readonly [string, RecordedMembership["how"], string][]): State {
  const members = places.map(([team, how, date]) => [`${team}/ada`, { how, at: day(date) }] as const);
  return remembering({
    users: { ada: { createdAt: created && day(created) } },
    members: Object.fromEntries(members),
  });
}

/** Ada is in Data, and has not accepted yet; today is the 20th of November. */
function told(state: State) {
  const world = aWorldOf({
    users: { ada: { status: "Invited" } },
    teams: { Data: { identifier: "t-1", members: ["ada"] } },
  });
  const teams = [
    aTeam("Data", { identifier: "t-1", members: ["ada"] }),
    aTeam("Big Ops", { identifier: "t-2", members: ["ada"] }),
  ];
  const plan = planFor(world, aRoster({ users: [aUser("ada")], teams }), { state });
  return plan.findings.find(({ subject }) => formatSubject(subject) === "user ada@acme.example");
}

describe("somebody who has not accepted an invitation", () => {
  test.each([
    ["of which nothing is recorded is a notice", invited(), "notice"],
    ["of 14 days ago is a notice", invited("2026-11-06"), "notice"],
    ["of 15 days ago blocks", invited("2026-11-05"), "task"],
    ["mailed for a team later is a notice", invited("2026-11-05", ["Data", "added", "2026-11-19"]), "notice"],
    [
      "of which the last of several mails counts",
      invited(undefined, ["Data", "added", "2026-11-19"], ["Big Ops", "added", "2026-10-01"]),
      "notice",
    ],
    ["who created a team was mailed by nobody since", invited("2026-11-05", ["Data", "created", "2026-11-05"]), "task"],
    ["who was seen in a team was not mailed then", invited("2026-11-05", ["Data", "seen", "2026-11-19"]), "task"],
  ])("%s", (_, state, kind) => {
    expect(told(state)).toMatchObject({ code: "invitation-pending", kind });
  });

  test("is told since when it waits", () => {
    expect(told(invited(undefined, ["Big Ops", "added", "2026-11-01"]))).toMatchObject({
      kind: "task",
      message:
        "The service shows ada@acme.example as Invited. The last known invitation is 19 days old " +
        "(2026-11-01T08:00:00.000Z). It may be lost or expired. roster does not send it again. " +
        "Ask the user, or send the invitation again in the service.",
      restsOn: [
        { fact: { known: "observed", value: "present as Invited" } },
        { fact: { known: "recorded", value: "invited", at: "2026-11-01T08:00:00.000Z" } },
        { about: decodeSubject("today"), fact: { known: "observed", value: "2026-11-20", by: "clock" } },
      ],
    });
  });
});

const record = (ada: Partial<RecordedUser>) => remembering({ users: { ada } });
const openCreation = aState({ open: [openIntent("r-1", "c", creationIntent("ada"), recordedAt)] });

interface Case extends Circumstances {
  readonly world?: (world: World) => void;
  readonly user?: Parameters<typeof aUser>[1];
  readonly plans?: readonly string[];
}

const join = "add ada to Data";

const cases: Readonly<Record<string, Case>> = {
  "absent, as an exact search has proven, and created": {
    plans: ["create ada", `${join} after create-user:ada@acme.example`],
  },
  "there and active": {
    world: (world) => putUser(world, { email: "ADA@acme.example", firstName: "Ada", lastName: "Test" }),
    plans: [join],
  },
  "there with a status that nobody knows": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "On Holiday" }),
    plans: [join],
  },
  "there and pending, which is a notice": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "Invited" }),
    plans: [join, "invitation-pending: user ada@acme.example"],
  },
  "barred, and so added to nothing": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "INACTIVE" }),
    plans: ["! inactive-user: user ada@acme.example"],
  },
  "deleted, and so neither created nor added": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", status: "Deleted" }),
    plans: ["! inactive-user: user ada@acme.example"],
  },
  "there twice, and never merged": {
    world: (world) => {
      putUser(world, { email: "ada@acme.example", identifier: "u-b" });
      putUser(world, { email: "Ada@acme.example", identifier: "u-a" });
    },
    plans: ["! ambiguous-user: user ada@acme.example"],
  },
  "there under a former address": {
    world: (world) => putUser(world, { email: "ada@old.example" }),
    user: { previously: ["ada@older.example", "ada@old.example"] },
    plans: ["! former-address: user ada@acme.example"],
  },
  "there in another account": {
    world: (world) => putUser(world, { email: "ada@acme.example", account: "acc-2" }),
    plans: ["! user-in-other-account: user ada@acme.example"],
  },
  "listed by another account alone, where users do not show theirs": {
    world: (world) => putUser(world, { email: "ada@acme.example", account: "acc-2" }),
    hides: ["user-accounts"],
    plans: ["! user-in-other-account: user ada@acme.example"],
  },
  "gone, though we created her": {
    state: record({ createdAt: recordedAt }),
    plans: ["! user-missing: user ada@acme.example"],
  },
  "gone, though a run met her": {
    state: record({ seenAt: recordedAt }),
    plans: ["! user-missing: user ada@acme.example"],
  },
  "known by her identifier, under another address": {
    world: (world) => putUser(world, { email: "countess@acme.example", identifier: "u-ada" }),
    state: record({ identifier: "u-ada" }),
    plans: ["! user-missing: user ada@acme.example"],
  },
  "not known under a former address, which proves nothing": {
    user: { previously: ["ada@old.example"] },
    seen: (snapshot) => ({
      ...snapshot,
      absences: new Map([...snapshot.absences, [addressOf("ada@old.example"), { proven: false, why: "cut off" }]]),
    }),
    plans: ["! incomplete-read: user ada@acme.example"],
  },
  "replaced by another user at her address": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", identifier: "u-2" }),
    state: record({ identifier: "u-1", seenAt: recordedAt }),
    plans: ["! user-missing: user ada@acme.example"],
  },
  "replaced by another user, whom a person takes for her, without what the former one held": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test", identifier: "u-2" }),
    state: remembering({ users: { ada: { identifier: "u-1", seenAt: recordedAt } }, members: { "Data/ada": {} } }),
    allows: ["user-missing:ada@acme.example"],
    plans: [join],
  },
  "gone, and wanted again by a person": {
    state: record({ createdAt: recordedAt }),
    allows: ["user-missing:ada@acme.example"],
    plans: ["create ada", `${join} after create-user:ada@acme.example`],
  },
  "perhaps created by a run that never learned it": {
    state: openCreation,
    allows: ["user-missing:ada@acme.example"],
    plans: ["! unknown-outcome: user ada@acme.example"],
  },
  "shown, whatever a run never learned": {
    world: (world) => putUser(world, { email: "ada@acme.example", lastName: "Test" }),
    state: openCreation,
    plans: [join],
  },
  "not proven to be absent by her search": {
    seen: (snapshot) => ({
      ...snapshot,
      absences: new Map([[addressOf("ada"), { proven: false, why: "the control was not found" }]]),
    }),
    plans: ["! incomplete-read: user ada@acme.example"],
  },
  "never asked for": {
    seen: (snapshot) => ({ ...snapshot, absences: new Map() }),
    plans: ["! incomplete-read: user ada@acme.example"],
  },
  "not found in an incomplete list": {
    everyone: { read: "incomplete", why: "page 7 failed" },
    plans: ["! incomplete-read: user ada@acme.example"],
  },
};

describe("a user of the roster", () => {
  test.each(Object.entries(cases))("%s", (_, { world: change, user, plans = [], ...circumstances }) => {
    const world = aWorldOf({
      accounts: ["acc-1", "acc-2"],
      users: { root: {} },
      teams: { Data: { identifier: "t-1", members: ["root"] } },
    });
    change?.(world);
    const team = aTeam("Data", { identifier: "t-1", open: true, members: ["ada"] });
    const plan = planFor(world, aRoster({ users: [aUser("ada", user)], teams: [team] }), circumstances);
    expect([...deeds(plan), ...troublesApartFromIdle(plan)]).toEqual(plans);
  });

  test("who may not be created a second time is told with both ways out, and why", () => {
    const world = aWorldOf({ users: { "ada@old.example": {} } });
    const roster = aRoster({ users: [aUser("ada", { previously: ["ada@old.example"], line: 4 })] });
    expect(planFor(world, roster).findings).toEqual([
      {
        accept: { code: "former-address:ada@acme.example#53014d9356b4", until: "2026-12-20" },
        kind: "task",
        code: "former-address",
        fingerprint: "e59bf65b9b16bf53",
        subject: decodeSubject("user ada@acme.example"),
        message:
          "The service has this user as ada@old.example, a former address of ada@acme.example. The API cannot " +
          "change addresses. roster does not create a second user. Change the address in the service, or write " +
          "ada@old.example as the `email`.",
        because: [reasonAt(at(4), "user"), reasonAt(at(4), "former-address", { name: "ada@old.example" })],
        restsOn: [
          { about: decodeSubject("user ada@old.example"), fact: { known: "observed", value: "present", by: "list" } },
        ],
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
    const state = remembering({
      users: { ada: { createdAt: recordedAt, createdTeam: teamKeyOf("acc-1", "Data"), key: "k-1" } },
      teams: { Data: { firstMember: addressOf("ada") } },
    });
    const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("Data", { members: ["ada"] })] });
    const world = aWorldOf({ users: { root: {} } });
    expect(outcome(planFor(world, roster, { state }))).toEqual([
      "! user-missing: user ada@acme.example",
      "! team-identifier-unknown: team acc-1/data",
    ]);
  });

  test("carries the former addresses that are proven to be nobody's, for them to be looked up again", () => {
    const roster = aRoster({ users: [aUser("ada", { previously: ["ada@old.example"] })] });
    expect(planFor(aWorld(), roster).actions).toMatchObject([
      {
        formerly: ["ada@old.example"],
        restsOn: [{ about: decodeSubject("user ada@acme.example") }, { about: decodeSubject("user ada@old.example") }],
      },
    ]);
  });
});
