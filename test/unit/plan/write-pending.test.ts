import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Finding } from "../../../src/model/finding.ts";
import type { RecordedMembership } from "../../../src/model/membership.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import { aPolicy } from "../../support/plan-inputs.ts";
import { outcome, planFor } from "../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser, at as place } from "../../support/roster-builders.ts";
import { aWorld, aWorldOf, newKey, putUser, type World } from "../../support/simulated-world.ts";
import { remembering } from "../../support/state-builders.ts";

/** The service is read at 10:00:00. */
const now = "2026-11-20T09:59:30.000Z";
const withinAQuarter = "2026-11-20T09:45:00.001Z";
const aQuarterBefore = "2026-11-20T09:45:00.000Z";
const anHourBefore = "2026-11-20T09:00:00.000Z";

const created = (createdAt: string, parts: Partial<RecordedUser> = {}) =>
  remembering({ users: { ada: { createdAt, ...parts } } });

const placed = (parts: Partial<RecordedMembership> = {}) =>
  remembering({ members: { "Data/ada": { at: now, ...parts } } });

/** A service with the team Data, and root in it. */
function withData(): World {
  const world = aWorldOf({ users: { root: {} }, teams: { Data: { identifier: "t-1", members: ["root"] } } });
  return world;
}

const onlyAda = aRoster({ users: [aUser("ada", { line: 4 })] });
const inData = (roles?: readonly string[]) =>
  aRoster({
    users: [aUser("ada")],
    teams: [aTeam("Data", { identifier: "t-1", open: true, members: ["ada"], line: 7, roles })],
  });

const settlingUser = "write-pending: user ada@acme.example";
const vanished = "! user-missing: user ada@acme.example";
const settlingMember = "write-pending: member ada@acme.example of team acc-1/data";
const removed = "! member-removed: member ada@acme.example of team acc-1/data";

/** The finding about what we wrote and no read shows yet. */
function pendingWrite(subject: string, parts: Pick<Finding, "roles" | "message" | "because" | "restsOn">): unknown {
  return {
    kind: "notice",
    code: "write-pending",
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/u),
    subject: decodeSubject(subject),
    ...parts,
  };
}

describe("a user whom we created and whom no read shows", () => {
  test("is told as settling, with the time from when on it is decided, and nothing is sent or suggested", () => {
    const plan = planFor(withData(), onlyAda, { state: created(now) });
    expect(plan.actions).toEqual([]);
    expect(plan.findings).toEqual([
      pendingWrite("user ada@acme.example", {
        message:
          "roster created ada@acme.example at 2026-11-20T09:59:30.000Z. Reads do not show the user yet. The " +
          "service may show it as late as 2026-11-20T10:14:30.000Z. roster sends nothing again. Plan again " +
          "after that time.",
        because: [reasonAt(place(4), "user")],
        restsOn: [
          { about: decodeSubject("user ada@acme.example"), fact: { known: "recorded", value: "created", at: now } },
        ],
      }),
    ]);
  });

  test.each<[string, State, string, number?]>([
    ["up to a quarter of an hour", created(withinAQuarter), settlingUser],
    ["not from a quarter of an hour on", created(aQuarterBefore), vanished],
    ["within the time that a person has set", created(anHourBefore), settlingUser, 3_600_001],
    ["not beyond it", created(now), vanished, 30_000],
    ["not where a read has shown them since: they are missing at once", created(now, { seenAt: now }), vanished],
    ["not where a run only met them", remembering({ users: { ada: { seenAt: now } } }), vanished],
  ])("is settling %s", (_sentence, state, trouble, consistency) => {
    const policy = consistency === undefined ? aPolicy() : aPolicy({ consistency });
    expect(outcome(planFor(withData(), onlyAda, { policy, state }))).toEqual([trouble]);
  });

  test("is not created again on the word of a command that is run once more, before the time is over", () => {
    const planAt = (createdAt: string) =>
      planFor(withData(), onlyAda, { allows: ["user-missing:ada@acme.example"], state: created(createdAt) });
    expect(outcome(planAt(withinAQuarter))[0]).toBe(settlingUser);
    expect(outcome(planAt(aQuarterBefore))).toEqual(["create ada"]);
  });

  test("and whose identifier is shown with another address was moved there, however recent that is", () => {
    const world = withData();
    putUser(world, { email: "countess@acme.example", identifier: "u-ada" });
    expect(outcome(planFor(world, onlyAda, { state: created(now, { identifier: "u-ada" }) }))).toEqual([vanished]);
  });

  test("is settling too where the list of users is incomplete", () => {
    const everyone = { read: "incomplete", why: "page 7 failed" } as const;
    expect(outcome(planFor(withData(), onlyAda, { everyone, state: created(now) }))).toEqual([settlingUser]);
  });

  const ownRoles = aRoster({ users: [aUser("ada", { ownKeyRoles: ["AUDITOR", "DEVELOPER"] })] });
  const users = { ada: { createdAt: now } };
  const own = { ada: { createdAt: now, key: "k-own" } };
  const added = (prefix?: string) => ({ "Data/ada": { at: now, prefix } });
  const developer = { "k-team": ["DEVELOPER"] };
  test.each<[string, typeof onlyAda, Parameters<typeof remembering>[0], "waits" | "done"]>([
    ["no more than the user", onlyAda, { users }, "done"],
    ["a team that we did not add them to yet", inData(), { users }, "waits"],
    ["a team that we added them to", inData(), { users, members: added() }, "done"],
    ["roles on a team key of unknown prefix", inData(["DEVELOPER"]), { users, members: added() }, "waits"],
    ["roles on a team key that we have not set", inData(["DEVELOPER"]), { users, members: added("k-team") }, "waits"],
    [
      "other roles on a team key than we have set",
      inData(["AUDITOR"]),
      { users, members: added("k-team"), keys: developer },
      "waits",
    ],
    [
      "the roles on a team key that we have set",
      inData(["DEVELOPER"]),
      { users, members: added("k-team"), keys: developer },
      "done",
    ],
    ["roles on an own key of unknown prefix", ownRoles, { users }, "waits"],
    ["roles on an own key that we have not set", ownRoles, { users: own }, "waits"],
    ["other roles on an own key than we have set", ownRoles, { users: own, keys: { "k-own": ["AUDITOR"] } }, "waits"],
    [
      "the roles on an own key that we have set",
      ownRoles,
      { users: own, keys: { "k-own": ["AUDITOR", "DEVELOPER"] } },
      "done",
    ],
  ])("blocks exactly where the roster asks for more: %s", (_sentence, roster, known, more) => {
    expect(outcome(planFor(withData(), roster, { state: remembering(known) }))).toEqual([
      more === "waits" ? `! ${settlingUser}` : settlingUser,
    ]);
  });

  test("keeps nobody else waiting", () => {
    const world = withData();
    putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo")],
      teams: [aTeam("Data", { identifier: "t-1", open: true, members: ["bo"] })],
    });
    expect(outcome(planFor(world, roster, { state: created(now) }))).toEqual(["add bo to Data", settlingUser]);
  });
});

describe("a membership that we made and that no read shows", () => {
  function planOf(state: State, roles?: readonly string[]) {
    const world = withData();
    putUser(world, { email: "ada@acme.example", lastName: "Test" });
    return planFor(world, inData(roles), { state });
  }

  test("is told as settling, with the time from when on it is decided, and nobody is added again", () => {
    const plan = planOf(placed());
    expect(plan.actions).toEqual([]);
    expect(plan.findings).toEqual([
      pendingWrite("member ada@acme.example of team acc-1/data", {
        message:
          "roster added ada@acme.example to Data at 2026-11-20T09:59:30.000Z. Reads do not show the membership " +
          "yet. The service may show it as late as 2026-11-20T10:14:30.000Z. roster sends nothing again. Plan " +
          "again after that time.",
        because: [reasonAt(place(7), "member", { person: addressOf("ada") })],
        restsOn: [
          {
            about: decodeSubject("member ada@acme.example of team acc-1/data"),
            fact: { known: "recorded", value: "added", at: now },
          },
        ],
      }),
    ]);
  });

  test.each<[string, Partial<RecordedMembership>, string]>([
    ["by an addition, up to a quarter of an hour", { at: withinAQuarter }, settlingMember],
    ["by an addition, not from a quarter of an hour on", { at: aQuarterBefore }, removed],
    ["by a creation of a team, up to a quarter of an hour", { how: "created", at: withinAQuarter }, settlingMember],
    ["by a creation of a team, not from a quarter of an hour on", { how: "created", at: aQuarterBefore }, removed],
    ["not by ourselves, never", { how: "seen", at: withinAQuarter }, removed],
    ["by an addition, not where a read has shown it since", { seenAt: now }, removed],
    ["by a creation of a team, not where a read has shown it since", { how: "created", seenAt: now }, removed],
  ])("is settling where it was made %s", (_sentence, parts, trouble) => {
    expect(outcome(planOf(placed(parts)))).toEqual([trouble]);
  });

  test("of a first member says so", () => {
    const [finding] = planOf(placed({ how: "created" })).findings;
    expect(finding?.message.split(" at ")[0]).toBe("roster created Data with ada@acme.example");
  });

  const withKey = { members: { "Data/ada": { at: now, prefix: "k-team" } } };
  test.each<[string, State, readonly string[] | undefined, readonly string[]]>([
    ["where no roles are asked for", placed(), undefined, [settlingMember]],
    ["where its key is not known yet, so that its roles wait", placed(), ["DEVELOPER"], [`! ${settlingMember}`]],
    [
      "where the answer named its key, which gets its roles",
      remembering(withKey),
      ["DEVELOPER"],
      ["set k-team (recorded) to DEVELOPER", settlingMember],
    ],
    [
      "where its key has its roles by our record",
      remembering({ ...withKey, keys: { "k-team": { setRoles: ["DEVELOPER"], at: now } } }),
      ["DEVELOPER"],
      [settlingMember],
    ],
  ])("blocks only where something waits for it: %s", (_sentence, state, roles, expected) => {
    expect(outcome(planOf(state, roles))).toEqual(expected);
  });
});

describe("a key whose roles we set and that reads as before", () => {
  const replaced = "set k-p (observed) to DEVELOPER";
  const settling = "write-pending: key k-p";
  const listed = aRoster({ users: [aUser("root")], keys: [aKey("k-p", { roles: ["DEVELOPER"], line: 9 })] });
  type KeyRecord = NonNullable<Parameters<typeof remembering>[0]["keys"]>[string];
  const set = { setRoles: ["DEVELOPER"], at: now };

  function planOf(record?: KeyRecord, more: Partial<State> = {}) {
    const world = aWorld();
    const root = putUser(world, { email: "root@acme.example", firstName: "Root", lastName: "Test" });
    root.keys.push({ ...newKey(world, { kind: "project", roles: ["AUDITOR"], isDefault: false }), prefix: "k-p" });
    const state = { ...remembering({ keys: record === undefined ? {} : { "k-p": record } }), ...more };
    return planFor(world, listed, { state });
  }

  test("is told as settling, with both sets of roles and the time from when on it is decided", () => {
    const plan = planOf(set);
    expect(plan.actions).toEqual([]);
    expect(plan.findings).toEqual([
      pendingWrite("key k-p", {
        roles: ["AUDITOR", "DEVELOPER"],
        message:
          "roster set the roles of the key k-p to DEVELOPER at 2026-11-20T09:59:30.000Z. Reads still show " +
          "AUDITOR. The service may show it as late as 2026-11-20T10:14:30.000Z. roster sends nothing again. " +
          "Plan again after that time.",
        because: [reasonAt(place(9), "key")],
        restsOn: [
          { about: decodeSubject("key k-p"), fact: { known: "recorded", value: "DEVELOPER", at: now } },
          { about: decodeSubject("key k-p"), fact: { known: "observed", value: "AUDITOR", by: "list" } },
        ],
      }),
    ]);
  });

  const seen = { prefix: "k-p", address: addressOf("root"), roles: ["DEVELOPER"], at: now };
  test.each<[string, KeyRecord | undefined, string, Partial<State>?]>([
    ["up to a quarter of an hour", { ...set, at: withinAQuarter }, settling],
    ["not from a quarter of an hour on", { ...set, at: aQuarterBefore }, replaced],
    ["not where the roster asks for other roles than we set", { ...set, setRoles: ["TEAM_ROLE"] }, replaced],
    ["not where a later run has read it with these roles", set, replaced, { seenKeys: new Map([["k-p", seen]]) }],
    ["not where it was read with these roles since", { ...set, observedRoles: ["DEVELOPER"] }, replaced],
    [
      "where it was read so early that it may be what the key had before",
      { ...set, observedRoles: ["AUDITOR"], provisional: true },
      settling,
    ],
    ["not where we set nothing", undefined, replaced],
  ])("is settling %s", (_sentence, record, expected, more) => {
    expect(outcome(planOf(record, more))).toEqual([expected]);
  });
});
