import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Finding } from "../../../src/model/finding.ts";
import type { RecordedKey } from "../../../src/model/key.ts";
import { membershipKeyOf, type RecordedMembership } from "../../../src/model/membership.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { RecordedUser } from "../../../src/model/user.ts";
import { aPolicy, aState } from "../../support/plan-inputs.ts";
import { deeds, outcome, planFor, troubles, troublesApartFromIdle } from "../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser, at as place } from "../../support/roster-builders.ts";
import { aWorld, newKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";

const ada = addressOf("ada");
const data = teamKeyOf("acc-1", "Data");

/** The service is read at 10:00:00. */
const at = {
  halfAMinuteBefore: "2026-11-20T09:59:30.000Z",
  twoMinutesBefore: "2026-11-20T09:58:00.000Z",
  withinAQuarter: "2026-11-20T09:45:00.001Z",
  aQuarterBefore: "2026-11-20T09:45:00.000Z",
  anHourBefore: "2026-11-20T09:00:00.000Z",
} as const;

function created(createdAt: string, parts: Partial<RecordedUser> = {}): Partial<State> {
  return { users: new Map([[ada, { address: ada, email: ada, account: "acc-1", createdAt, ...parts }]]) };
}

function placed(how: RecordedMembership["how"], when: string, prefix?: string): Partial<State> {
  const record = { team: data, address: ada, how, at: when, ...(prefix === undefined ? {} : { prefix }) };
  return { memberships: new Map([[membershipKeyOf(data, ada), record]]) };
}

function put(prefix: string, roles: readonly string[], when: string, parts: Partial<RecordedKey> = {}): Partial<State> {
  return { keys: new Map([[prefix, { prefix, setRoles: roles, at: when, ...parts }]]) };
}

/** A service with the team Data, and root in it. */
function withData(): World {
  const world = aWorld();
  putTeam(world, { name: "Data", identifier: "t-1", members: [putUser(world, { email: "root@acme.example" })] });
  return world;
}

const onlyAda = aRoster({ users: [aUser("ada", { line: 4 })] });
const inData = aRoster({
  users: [aUser("ada")],
  teams: [aTeam("Data", { identifier: "t-1", open: true, members: ["ada"], line: 7 })],
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
    const plan = planFor(withData(), onlyAda, { state: aState(created(at.halfAMinuteBefore)) });
    expect(plan.actions).toEqual([]);
    expect(plan.findings).toEqual([
      pendingWrite("user ada@acme.example", {
        message:
          "roster created ada@acme.example at 2026-11-20T09:59:30.000Z. Reads do not show the user yet. The " +
          "service may show it as late as 2026-11-20T10:14:30.000Z. roster sends nothing again. Plan again " +
          "after that time.",
        because: [reasonAt(place(4), "user")],
        restsOn: [
          {
            about: decodeSubject("user ada@acme.example"),
            fact: { known: "recorded", value: "created", at: at.halfAMinuteBefore },
          },
        ],
      }),
    ]);
  });

  test.each<[string, string, number | undefined, string]>([
    ["up to a quarter of an hour", at.withinAQuarter, undefined, settlingUser],
    ["not from a quarter of an hour on", at.aQuarterBefore, undefined, vanished],
    ["within the time that a person has set", at.anHourBefore, 3_600_001, settlingUser],
    ["not beyond it", at.halfAMinuteBefore, 30_000, vanished],
  ])("is settling %s", (_sentence, createdAt, consistency, trouble) => {
    const policy = aPolicy({ ...(consistency === undefined ? {} : { consistency }) });
    const plan = planFor(withData(), onlyAda, { policy, state: aState(created(createdAt)) });
    expect(outcome(plan)).toEqual([trouble]);
  });

  test("is not settling where a read has shown them since, and is missing at once", () => {
    const seen = created(at.halfAMinuteBefore, { seenAt: at.halfAMinuteBefore });
    const plan = planFor(withData(), onlyAda, { state: aState(seen) });
    expect(outcome(plan)).toEqual([vanished]);
  });

  test("is not settling where a run only met them", () => {
    const met: RecordedUser = { address: ada, email: ada, account: "acc-1", seenAt: at.halfAMinuteBefore };
    const plan = planFor(withData(), onlyAda, { state: aState({ users: new Map([[ada, met]]) }) });
    expect(outcome(plan)).toEqual([vanished]);
  });

  test("is not created again on the word of a command that is run once more, before the time is over", () => {
    const planAt = (createdAt: string) => {
      const plan = planFor(withData(), onlyAda, { allows: [`user-missing:${ada}`], state: aState(created(createdAt)) });
      return { deeds: deeds(plan), troubles: troublesApartFromIdle(plan) };
    };
    expect(planAt(at.withinAQuarter)).toEqual({ deeds: [], troubles: [settlingUser] });
    expect(planAt(at.aQuarterBefore)).toEqual({ deeds: ["create ada"], troubles: [] });
  });

  test("and whose identifier is shown with another address was moved there, however recent that is", () => {
    const world = withData();
    putUser(world, { email: "countess@acme.example", identifier: "u-ada" });
    const plan = planFor(world, onlyAda, { state: aState(created(at.halfAMinuteBefore, { identifier: "u-ada" })) });
    expect(outcome(plan)).toEqual([vanished]);
  });

  test("is settling too where the list of users is incomplete", () => {
    const everyone = { read: "incomplete", why: "page 7 failed" } as const;
    const plan = planFor(withData(), onlyAda, { everyone, state: aState(created(at.halfAMinuteBefore)) });
    expect(troubles(plan)).toEqual([settlingUser]);
  });

  const now = at.halfAMinuteBefore;
  const withRoles = (roles?: readonly string[]) =>
    aRoster({
      users: [aUser("ada")],
      teams: [aTeam("Data", { identifier: "t-1", open: true, members: ["ada"], ...(roles ? { roles } : {}) })],
    });
  const ownRoles = aRoster({ users: [aUser("ada", { ownKeyRoles: ["AUDITOR", "DEVELOPER"] })] });
  const own = created(now, { key: "k-own" });
  test.each<[string, typeof onlyAda, Partial<State>, "waits" | "done"]>([
    ["no more than the user", onlyAda, created(now), "done"],
    ["a team that we did not add them to yet", withRoles(), created(now), "waits"],
    ["a team that we added them to", withRoles(), { ...created(now), ...placed("added", now) }, "done"],
    [
      "roles on a team key of unknown prefix",
      withRoles(["DEVELOPER"]),
      { ...created(now), ...placed("added", now) },
      "waits",
    ],
    [
      "roles on a team key that we have not set",
      withRoles(["DEVELOPER"]),
      { ...created(now), ...placed("added", now, "k-team") },
      "waits",
    ],
    [
      "other roles on a team key than we have set",
      withRoles(["AUDITOR"]),
      { ...created(now), ...placed("added", now, "k-team"), ...put("k-team", ["DEVELOPER"], now) },
      "waits",
    ],
    [
      "the roles on a team key that we have set",
      withRoles(["DEVELOPER"]),
      { ...created(now), ...placed("added", now, "k-team"), ...put("k-team", ["DEVELOPER"], now) },
      "done",
    ],
    ["roles on an own key of unknown prefix", ownRoles, created(now), "waits"],
    ["roles on an own key that we have not set", ownRoles, own, "waits"],
    ["other roles on an own key than we have set", ownRoles, { ...own, ...put("k-own", ["AUDITOR"], now) }, "waits"],
    [
      "the roles on an own key that we have set",
      ownRoles,
      { ...own, ...put("k-own", ["AUDITOR", "DEVELOPER"], now) },
      "done",
    ],
  ])("blocks exactly where the roster asks for more: %s", (_sentence, roster, state, more) => {
    const plan = planFor(withData(), roster, { state: aState(state) });
    expect(outcome(plan)).toEqual([more === "waits" ? `! ${settlingUser}` : settlingUser]);
  });

  test("keeps nobody else waiting", () => {
    const world = withData();
    putUser(world, { email: "bo@acme.example", firstName: "Bo", lastName: "Test" });
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo")],
      teams: [aTeam("Data", { identifier: "t-1", open: true, members: ["bo"] })],
    });
    const plan = planFor(world, roster, { state: aState(created(now)) });
    expect(outcome(plan)).toEqual(["add bo to Data", settlingUser]);
  });
});

describe("a membership that we made and that no read shows", () => {
  const withAda = () => {
    const world = withData();
    putUser(world, { email: "ada@acme.example", lastName: "Test" });
    return world;
  };
  const memberOf = (state: Partial<State>, roles?: readonly string[]) => {
    const team = aTeam("Data", { identifier: "t-1", open: true, members: ["ada"], ...(roles ? { roles } : {}) });
    const plan = planFor(withAda(), aRoster({ users: [aUser("ada")], teams: [team] }), { state: aState(state) });
    return { deeds: deeds(plan), troubles: troublesApartFromIdle(plan) };
  };

  test("is told as settling, with the time from when on it is decided, and nobody is added again", () => {
    const plan = planFor(withAda(), inData, { state: aState(placed("added", at.halfAMinuteBefore)) });
    expect(plan.actions).toEqual([]);
    expect(plan.findings).toEqual([
      pendingWrite("member ada@acme.example of team acc-1/data", {
        message:
          "roster added ada@acme.example to Data at 2026-11-20T09:59:30.000Z. Reads do not show the membership " +
          "yet. The service may show it as late as 2026-11-20T10:14:30.000Z. roster sends nothing again. Plan " +
          "again after that time.",
        because: [reasonAt(place(7), "member", { person: ada })],
        restsOn: [
          {
            about: decodeSubject("member ada@acme.example of team acc-1/data"),
            fact: { known: "recorded", value: "added", at: at.halfAMinuteBefore },
          },
        ],
      }),
    ]);
  });

  test.each<[string, RecordedMembership["how"], string, string]>([
    ["by an addition, up to a quarter of an hour", "added", at.withinAQuarter, settlingMember],
    ["by an addition, not from a quarter of an hour on", "added", at.aQuarterBefore, removed],
    ["by a creation of a team, up to a quarter of an hour", "created", at.withinAQuarter, settlingMember],
    ["by a creation of a team, not from a quarter of an hour on", "created", at.aQuarterBefore, removed],
    ["not by ourselves, never", "seen", at.withinAQuarter, removed],
  ])("is settling where it was made %s", (_sentence, how, when, trouble) => {
    expect(memberOf(placed(how, when))).toEqual({ deeds: [], troubles: [trouble] });
  });

  test.each(["added", "created"] as const)("is not settling where a read has shown it since (%s)", (how) => {
    const { memberships = new Map() } = placed(how, at.halfAMinuteBefore);
    const seen = [...memberships].map(([key, one]) => [key, { ...one, seenAt: at.halfAMinuteBefore }] as const);
    expect(memberOf({ memberships: new Map(seen) })).toEqual({ deeds: [], troubles: [removed] });
  });

  test("of a first member says so", () => {
    const plan = planFor(withAda(), inData, { state: aState(placed("created", at.halfAMinuteBefore)) });
    expect(plan.findings.map(({ message }) => message.split(" at ")[0])).toEqual([
      "roster created Data with ada@acme.example",
    ]);
  });

  test.each<[string, Partial<State>, readonly string[] | undefined, readonly string[], readonly string[]]>([
    ["where no roles are asked for", placed("added", at.halfAMinuteBefore), undefined, [], [settlingMember]],
    [
      "where its key is not known yet, so that its roles wait",
      placed("added", at.halfAMinuteBefore),
      ["DEVELOPER"],
      [],
      [`! ${settlingMember}`],
    ],
    [
      "where the answer named its key, which gets its roles",
      placed("added", at.halfAMinuteBefore, "k-team"),
      ["DEVELOPER"],
      ["set k-team (recorded) to DEVELOPER"],
      [settlingMember],
    ],
    [
      "where its key has its roles by our record",
      { ...placed("added", at.halfAMinuteBefore, "k-team"), ...put("k-team", ["DEVELOPER"], at.halfAMinuteBefore) },
      ["DEVELOPER"],
      [],
      [settlingMember],
    ],
  ])("blocks only where something waits for it: %s", (_sentence, state, roles, planned, trouble) => {
    expect(memberOf(state, roles)).toEqual({ deeds: planned, troubles: trouble });
  });
});

describe("a key whose roles we set and that reads as before", () => {
  const settlingKey = "write-pending: key k-p";
  const replaced = { deeds: ["set k-p (observed) to DEVELOPER"], troubles: [] };
  const settling = { deeds: [], troubles: [settlingKey] };
  const listed = aRoster({ users: [aUser("root")], keys: [aKey("k-p", { roles: ["DEVELOPER"], line: 9 })] });

  function planOf(state: Partial<State>) {
    const world = aWorld();
    const root = putUser(world, { email: "root@acme.example", firstName: "Root", lastName: "Test" });
    root.keys.push({ ...newKey(world, { kind: "project", roles: ["AUDITOR"], isDefault: false }), prefix: "k-p" });
    return planFor(world, listed, { state: aState(state) });
  }

  test("is told as settling, with both sets of roles and the time from when on it is decided", () => {
    const plan = planOf(put("k-p", ["DEVELOPER"], at.halfAMinuteBefore));
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
          {
            about: decodeSubject("key k-p"),
            fact: { known: "recorded", value: "DEVELOPER", at: at.halfAMinuteBefore },
          },
          { about: decodeSubject("key k-p"), fact: { known: "observed", value: "AUDITOR", by: "list" } },
        ],
      }),
    ]);
  });

  test.each<[string, Partial<State>, { deeds: readonly string[]; troubles: readonly string[] }]>([
    ["up to a quarter of an hour", put("k-p", ["DEVELOPER"], at.withinAQuarter), settling],
    ["not from a quarter of an hour on", put("k-p", ["DEVELOPER"], at.aQuarterBefore), replaced],
    [
      "not where the roster asks for other roles than we set",
      put("k-p", ["TEAM_ROLE"], at.halfAMinuteBefore),
      replaced,
    ],
    [
      "not where a later run has read it with these roles",
      {
        ...put("k-p", ["DEVELOPER"], at.halfAMinuteBefore),
        seenKeys: new Map([
          ["k-p", { prefix: "k-p", address: addressOf("root"), roles: ["DEVELOPER"], at: at.halfAMinuteBefore }],
        ]),
      },
      replaced,
    ],
    [
      "not where it was read with these roles since",
      put("k-p", ["DEVELOPER"], at.halfAMinuteBefore, { observedRoles: ["DEVELOPER"] }),
      replaced,
    ],
    [
      "where it was read so early that it may be what the key had before",
      put("k-p", ["DEVELOPER"], at.halfAMinuteBefore, { observedRoles: ["AUDITOR"], provisional: true }),
      settling,
    ],
    ["not where we set nothing", {}, replaced],
  ])("is settling %s", (_sentence, state, expected) => {
    const plan = planOf(state);
    expect({ deeds: deeds(plan), troubles: troublesApartFromIdle(plan) }).toEqual(expected);
  });
});
