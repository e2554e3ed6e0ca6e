import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../../src/model/event.ts";
import type { Intent } from "../../../../src/model/recorded.ts";
import { audit } from "../../../support/auditor/audit.ts";
import type { Breach, LogRecord, ThingThere } from "../../../support/auditor/records.ts";
import {
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../../support/event-builders.ts";
import { addressOf, emailOf } from "../../../support/roster-builders.ts";

const at = Date.parse(noon);
const began = (log = "log", ...allowed: readonly string[]): LogRecord => ({ is: "command", at, log, allowed });
const told = (event: RunEvent): LogRecord => ({ is: "event", event });
const answered = (request: number, answer: number | "lost" = 200): LogRecord => ({
  is: "answered",
  request,
  at,
  answer,
});
const changed = (request: number | undefined, now: ThingThere): LogRecord =>
  request === undefined ? { is: "changed", at, now } : { is: "changed", request, at, now };
const arrived = (request: number, method: string, path: string, body?: unknown): LogRecord => {
  const asked = { is: "arrived", request, at, method, path: `/api/accounting/${path}` } as const;
  return body === undefined ? asked : { ...asked, body };
};
const listed = (request: number): readonly LogRecord[] => [arrived(request, "GET", "users?page=1"), answered(request)];
const finished: LogRecord = told({ type: "run-finished", at: noon, ended: "completed" });

const user = (name: string, identifier = `u-${name}`): ThingThere => ({
  is: "user",
  identifier,
  email: emailOf(name),
  account: "acc-1",
});
const team: ThingThere = { is: "team", identifier: "t-1", name: "Science", account: "acc-1" };
const key = (name: string, roles: readonly string[] = ["TEAM_ROLE"]): ThingThere => ({
  is: "key",
  prefix: `k-${name}`,
  user: `u-${name}`,
  roles,
});
const teamKey = (name: string, roles: readonly string[] = ["TEAM_ROLE"]): ThingThere => ({
  is: "key",
  prefix: `k-${name}`,
  user: `u-${name}`,
  team: "t-1",
  roles,
});
const mail = (name: string): ThingThere => ({ is: "mail", user: `u-${name}`, team: "t-1" });

const creates = (request: number, name: string, rest: object = {}): LogRecord =>
  arrived(request, "POST", "accounts/acc-1/users", {
    email: emailOf(name),
    firstName: name,
    lastName: "Test",
    ...rest,
  });
const adds = (request: number, ...names: readonly string[]): LogRecord =>
  arrived(
    request,
    "POST",
    "teams/t-1/members",
    names.map((name) => ({ identifier: `u-${name}` })),
  );
const replaces = (request: number, name: string, ...roles: readonly string[]): LogRecord =>
  arrived(
    request,
    "PUT",
    `access-keys/k-${name}/roles`,
    roles.map((identifier) => ({ identifier })),
  );

const announces = (intent: Intent, run = "r1"): LogRecord => told(intended(run, "x", intent));
const failure = { code: "refused", message: "no" } as const;
const fails: LogRecord = told({ type: "failed", at: noon, action: "x", failure });
const doubts: LogRecord = told({ type: "unknown-outcome", at: noon, action: "x", failure });
const settles = (done: boolean, run = "r1"): LogRecord => {
  const as = done ? ({ done, learned: created("ada") } as const) : ({ done } as const);
  return told({ type: "resolved", at: noon, run, action: "x", as });
};

const foundsScience = { team: { name: "Science", accessKeyRoles: ["TEAM_ROLE"] } };
const adaIsCreated = [changed(1, user("ada")), changed(1, key("ada")), answered(1)];
const adaIsThere = [changed(undefined, user("ada")), changed(undefined, team)];
const adaIsAdded = [changed(1, teamKey("ada")), changed(1, mail("ada")), answered(1)];
const added = (name: string, prefix?: string) => ({
  address: addressOf(name),
  outcome: { added: true } as const,
  ...(prefix === undefined ? {} : { prefix }),
});

function breaches(...records: readonly (LogRecord | readonly LogRecord[])[]): readonly Breach[] {
  return audit(records.flat());
}

describe("two logs that agree", () => {
  test("a user with a team, a member and roles, each announced, answered and verified", () => {
    const records = [
      changed(undefined, user("gus")),
      began(),
      ...listed(1),
      told(runStarted("r1")),
      told(intended("r1", "a", creationIntent("ada", "Science"))),
      creates(2, "ada", foundsScience),
      changed(2, user("ada")),
      changed(2, team),
      changed(2, teamKey("ada")),
      answered(2, 201),
      told(succeeded("a", created("ada", { identifier: "u-ada", prefix: "k-ada", teamIdentifier: "t-1" }))),
      told({ type: "key-learned", at: noon, address: addressOf("ada"), team: science, prefix: "k-ada" }),
      told({ type: "team-identified", at: noon, team: science, name: "Science", account: "acc-1", identifier: "t-1" }),
      told(intended("r1", "b", additionIntent("gus"))),
      adds(3, "gus"),
      changed(3, teamKey("gus")),
      changed(3, mail("gus")),
      answered(3),
      told(succeeded("b", addedTo(added("gus", "k-gus")))),
      told(intended("r1", "c", rolesIntent("k-ada", "DEVELOPER"))),
      replaces(4, "ada", "DEVELOPER"),
      changed(4, teamKey("ada", ["DEVELOPER"])),
      answered(4),
      told(succeeded("c", { kind: "replace-roles", prefix: "k-ada", roles: ["DEVELOPER"] })),
      ...listed(5),
      told({ type: "key-read", at: noon, prefix: "k-ada", roles: ["DEVELOPER"] }),
      told({ type: "verified", at: noon, result: "converged", remarks: [] }),
      finished,
    ];
    expect(breaches(records)).toEqual([]);
  });

  test("an answer is lost, and a later run settles by reading what became of the call", () => {
    const lost = [creates(1, "ada"), changed(1, user("ada")), changed(1, key("ada")), answered(1, "lost"), doubts];
    const next = [began(), ...listed(2), settles(true)];
    expect(breaches(began(), told(runStarted("r1")), announces(creationIntent("ada")), lost, finished, next)).toEqual(
      [],
    );
  });

  test("a throttled creation without effect is announced anew and sent again", () => {
    const throttled = [announces(creationIntent("ada")), creates(1, "ada"), answered(1, 429)];
    const again = [announces(creationIntent("ada")), creates(2, "ada"), changed(2, user("ada")), answered(2)];
    expect(breaches(began(), throttled, again, told(succeeded("x", created("ada"))))).toEqual([]);
  });

  test("an addition is resolved for one person after the other", () => {
    const lost = [
      announces(additionIntent("ada", "bo")),
      adds(1, "ada", "bo"),
      changed(1, teamKey("ada")),
      answered(1, 202),
    ];
    const learned = addedTo(added("ada"));
    const half = { type: "resolved", at: noon, run: "r1", action: "x", as: { done: true, learned } } as const;
    const first = told({ ...half, except: [addressOf("bo")] });
    expect(breaches(adaIsThere, changed(undefined, user("bo")), began(), lost, doubts, first, settles(false))).toEqual(
      [],
    );
  });

  test("the same roles are sent again where no answer came, and roles that the key has may be kept", () => {
    const lost = [announces(rolesIntent("k-ada", "DEVELOPER")), replaces(1, "ada", "DEVELOPER"), answered(1, "lost")];
    const kept = [replaces(2, "ada", "DEVELOPER", "TEAM_ROLE"), changed(2, key("ada", ["DEVELOPER", "TEAM_ROLE"]))];
    const done = told(succeeded("x", { kind: "replace-roles", prefix: "k-ada" }));
    expect(breaches(changed(undefined, key("ada")), began(), lost, kept, answered(2), done)).toEqual([]);
  });
});

const lies: Readonly<Record<string, readonly [readonly LogRecord[], readonly Breach[]]>> = {
  "a call arrives before its announcement is durable": [
    [began(), creates(1, "ada"), answered(1, 500), announces(creationIntent("ada"))],
    [{ position: 1, rule: "unexplained-call", says: "create-user ada@acme.example: nothing announced it" }],
  ],
  "another command announced the call": [
    [began(), announces(creationIntent("ada")), began(), creates(1, "ada"), answered(1, 500)],
    [{ position: 3, rule: "unexplained-call", says: "create-user ada@acme.example: another command announced it" }],
  ],
  "one announcement is sent twice": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      answered(1, 429),
      creates(2, "ada"),
      answered(2, 429),
    ],
    [{ position: 4, rule: "unexplained-call", says: "create-user ada@acme.example: one announcement, two calls" }],
  ],
  "somebody else is created than was announced": [
    [began(), announces(creationIntent("ada")), creates(1, "bo"), answered(1, 500)],
    [
      {
        position: 2,
        rule: "unexplained-call",
        says: "create-user bo@acme.example: bo@acme.example, announced: ada@acme.example",
      },
    ],
  ],
  "a name is sent that was not announced": [
    [began(), announces(creationIntent("ada")), creates(1, "ada", { lastName: "Best" }), answered(1, 500)],
    [{ position: 2, rule: "unexplained-call", says: "create-user ada@acme.example: lastName is not as announced" }],
  ],
  "an empty team is sent": [
    [began(), announces(creationIntent("ada", "Science")), creates(1, "ada", { team: {} }), answered(1, 500)],
    [
      {
        position: 2,
        rule: "unexplained-call",
        says: "create-user ada@acme.example: the team undefined, announced: Science",
      },
    ],
  ],
  "a member is added whom the announcement does not name": [
    [...adaIsThere, changed(undefined, user("bo")), began(), announces(additionIntent("ada")), adds(1, "ada", "bo")],
    [
      {
        position: 5,
        rule: "unexplained-call",
        says: "add-members t-1: u-ada, u-bo: u-bo is none of ada@acme.example",
      },
    ],
  ],
  "a role is given that was not announced": [
    [
      changed(undefined, key("ada")),
      began(),
      announces(rolesIntent("k-ada", "DEVELOPER")),
      replaces(1, "ada", "AUDITOR"),
    ],
    [{ position: 3, rule: "unexplained-call", says: "replace-roles k-ada: the roles AUDITOR, announced: DEVELOPER" }],
  ],
  "a route that the interface does not have": [
    [began(), arrived(1, "DELETE", "accounts/acc-1/users/u-ada")],
    [{ position: 1, rule: "unexplained-call", says: "a call: the interface has no such call" }],
  ],
  "a throttled creation is announced anew although it was done": [
    [began(), announces(creationIntent("ada")), creates(1, "ada"), ...adaIsCreated, announces(creationIntent("ada"))],
    [{ position: 6, rule: "sent-again", says: "x: it was done before" }],
  ],
  "an open addition is announced by another run": [
    [...adaIsThere, began(), announces(additionIntent("ada")), began(), announces(additionIntent("ada"), "r2")],
    [{ position: 5, rule: "sent-again", says: "x: nothing says what became of it in the run r1" }],
  ],
  "somebody who was there is created": [
    [
      changed(undefined, user("ada", "u-0")),
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      ...adaIsCreated,
    ],
    [{ position: 4, rule: "created-twice", says: "ada@acme.example was there before" }],
  ],
  "somebody who is gone is created again without an allowance": [
    [
      changed(undefined, user("ada", "u-0")),
      changed(undefined, { ...user("ada", "u-0"), gone: true } as ThingThere),
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      ...adaIsCreated,
    ],
    [{ position: 5, rule: "created-twice", says: "ada@acme.example was there before" }],
  ],
  "a team is made that was there": [
    [
      changed(undefined, { ...team, identifier: "t-0", name: " science" } as ThingThere),
      began(),
      announces(creationIntent("ada", "Science")),
      creates(1, "ada", foundsScience),
      changed(1, user("ada")),
      changed(1, team),
    ],
    [{ position: 5, rule: "team-made-twice", says: "Science was there before" }],
  ],
  "a member is mailed again": [
    [
      ...adaIsThere,
      changed(undefined, teamKey("ada")),
      began(),
      announces(additionIntent("ada")),
      adds(1, "ada"),
      changed(1, mail("ada")),
    ],
    [{ position: 6, rule: "mailed-twice", says: "u-ada is a member of t-1" }],
  ],
  "somebody who was removed is mailed again": [
    [
      ...adaIsThere,
      began(),
      announces(additionIntent("ada")),
      adds(1, "ada"),
      ...adaIsAdded,
      told(succeeded("x", addedTo(added("ada")))),
      changed(undefined, { ...teamKey("ada"), gone: true } as ThingThere),
      began(),
      announces(additionIntent("ada"), "r2"),
      adds(2, "ada"),
      changed(2, mail("ada")),
    ],
    [
      { position: 11, rule: "sent-again", says: "x: it was done before" },
      { position: 13, rule: "mailed-twice", says: "u-ada was invited to t-1 before" },
    ],
  ],
  "a creation that was not done is told as done": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      answered(1, 503),
      told(succeeded("x", created("ada"))),
    ],
    [{ position: 4, rule: "untrue-event", says: "succeeded x: no call created ada@acme.example" }],
  ],
  "a call that was never announced is told as done": [
    [changed(undefined, user("ada")), began(), told(succeeded("x", created("ada")))],
    [{ position: 2, rule: "untrue-event", says: "succeeded x: it was not announced" }],
  ],
  "a creation that was done is told as refused": [
    [began(), announces(creationIntent("ada")), creates(1, "ada"), ...adaIsCreated, fails],
    [{ position: 6, rule: "untrue-event", says: "failed x: the call had an effect" }],
  ],
  "a creation that is done later is resolved as not done": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      answered(1, 202),
      doubts,
      settles(false),
      changed(1, user("ada")),
    ],
    [{ position: 5, rule: "untrue-event", says: "resolved x: the call had an effect" }],
  ],
  "whoever was created is told as there before": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      ...adaIsCreated,
      told(succeeded("x", created("ada", { was: "there-before" }))),
    ],
    [{ position: 6, rule: "untrue-event", says: "succeeded x: the call created ada@acme.example" }],
  ],
  "another identifier is recorded": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      ...adaIsCreated,
      told(succeeded("x", created("ada", { identifier: "u-bo" }))),
    ],
    [{ position: 6, rule: "untrue-event", says: "succeeded x: ada@acme.example does not have the identifier u-bo" }],
  ],
  "another prefix is recorded": [
    [
      changed(undefined, key("bo")),
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      ...adaIsCreated,
      told(succeeded("x", created("ada", { prefix: "k-bo" }))),
      told({ type: "key-learned", at: noon, address: addressOf("ada"), prefix: "k-bo" }),
    ],
    [
      { position: 7, rule: "untrue-event", says: "succeeded x: k-bo is not the prefix of the key of ada@acme.example" },
      { position: 8, rule: "untrue-event", says: "key-learned: the key k-bo was not there so" },
    ],
  ],
  "somebody who was not added is told as a member": [
    [
      ...adaIsThere,
      began(),
      announces(additionIntent("ada")),
      adds(1, "ada"),
      answered(1),
      told(succeeded("x", addedTo(added("ada")))),
    ],
    [{ position: 6, rule: "untrue-event", says: "succeeded x: ada@acme.example is no member" }],
  ],
  "somebody who was added is told as refused": [
    [
      ...adaIsThere,
      began(),
      announces(additionIntent("ada")),
      adds(1, "ada"),
      ...adaIsAdded,
      told({ type: "member-refused", at: noon, action: "x", address: addressOf("ada"), failure }),
    ],
    [{ position: 8, rule: "untrue-event", says: "member-refused x: the call had an effect" }],
  ],
  "roles are told that the key never had": [
    [
      changed(undefined, key("ada")),
      began(),
      announces(rolesIntent("k-ada", "DEVELOPER")),
      replaces(1, "ada", "DEVELOPER"),
      changed(1, key("ada", ["DEVELOPER"])),
      answered(1),
      told(succeeded("x", { kind: "replace-roles", prefix: "k-ada", roles: ["AUDITOR"] })),
      told({ type: "key-read", at: noon, prefix: "k-ada", roles: ["AUDITOR"] }),
    ],
    [
      { position: 6, rule: "untrue-event", says: "succeeded x: the key k-ada never had the roles AUDITOR" },
      { position: 7, rule: "untrue-event", says: "key-read: the key k-ada was not there so" },
    ],
  ],
  "people, teams and keys are told as seen that were not there": [
    [
      changed(undefined, user("bo")),
      began(),
      told({
        type: "users-observed",
        at: noon,
        service: "s",
        people: [{ address: addressOf("ada"), email: emailOf("ada"), account: "acc-1" }],
        teams: [{ team: science, name: "Science", account: "acc-1" }],
      }),
      told({
        type: "access-seen",
        at: noon,
        service: "s",
        users: [addressOf("ada")],
        members: [{ team: science, address: addressOf("bo"), prefix: "k-bo" }],
        keys: [{ prefix: "k-bo", address: addressOf("bo"), roles: [] }],
      }),
    ],
    [
      { position: 2, rule: "untrue-event", says: "users-observed: ada@acme.example was not there so" },
      { position: 2, rule: "untrue-event", says: "users-observed: the team Science was not there so" },
      { position: 3, rule: "untrue-event", says: "access-seen: ada@acme.example was not there so" },
      { position: 3, rule: "untrue-event", says: "access-seen: the key k-bo was not there so" },
      { position: 3, rule: "untrue-event", says: "access-seen: the key k-bo was not there so" },
    ],
  ],
  "another team gets the identifier": [
    [
      changed(undefined, team),
      began(),
      told({ type: "team-identified", at: noon, team: science, name: "Science", account: "acc-1", identifier: "t-2" }),
    ],
    [{ position: 2, rule: "untrue-event", says: "team-identified: the team Science was not there so" }],
  ],
  "a key is told as seen with roles that it lost before the read": [
    [
      changed(undefined, user("ada")),
      changed(undefined, key("ada", ["DEVELOPER"])),
      changed(undefined, key("ada", [])),
      began(),
      ...listed(1),
      told({ type: "key-read", at: noon, prefix: "k-ada", roles: ["DEVELOPER"] }),
    ],
    [{ position: 6, rule: "untrue-event", says: "key-read: the key k-ada was not there so" }],
  ],
  "a run claims to be verified after somebody has changed the roles": [
    [
      changed(undefined, key("ada")),
      began(),
      announces(rolesIntent("k-ada", "DEVELOPER")),
      replaces(1, "ada", "DEVELOPER"),
      changed(1, key("ada", ["DEVELOPER"])),
      answered(1),
      told(succeeded("x", { kind: "replace-roles", prefix: "k-ada" })),
      changed(undefined, key("ada", ["AUDITOR"])),
      ...listed(2),
      told({ type: "verified", at: noon, result: "converged", remarks: [] }),
    ],
    [{ position: 10, rule: "untrue-event", says: "verified: the key k-ada has other roles" }],
  ],
  "a refusal is told where no answer came": [
    [
      began(),
      announces(creationIntent("ada")),
      creates(1, "ada"),
      answered(1, "lost"),
      told({ type: "declined", at: noon, action: "x", failure }),
    ],
    [{ position: 4, rule: "untrue-event", says: "declined x: no answer came" }],
  ],
  "a run ends and does not say what became of a call": [
    [began(), told(runStarted("r1")), announces(creationIntent("ada")), creates(1, "ada"), ...adaIsCreated, finished],
    [{ position: 7, rule: "silent-end", says: "x: nothing says what became of it" }],
  ],
};

describe("two logs that do not agree", () => {
  test.each(Object.entries(lies))("%s", (_, [records, expected]) => {
    expect(audit(records)).toEqual(expected);
  });
});

describe("what a person or the service answers for", () => {
  test("somebody who is gone is created again where a person has allowed it", () => {
    const gone = [
      changed(undefined, user("ada", "u-0")),
      changed(undefined, { ...user("ada", "u-0"), gone: true } as ThingThere),
    ];
    const allowed = began("log", "user-missing:ada@acme.example");
    expect(breaches(gone, allowed, announces(creationIntent("ada")), creates(1, "ada"), adaIsCreated)).toEqual([]);
  });

  test("a service that answers with a conflict although it has created the user is believed", () => {
    const conflict = [creates(1, "ada"), changed(1, user("ada")), answered(1, 409)];
    const declined = told({ type: "declined", at: noon, action: "x", failure });
    const met = told(succeeded("x", created("ada", { was: "there-before" })));
    expect(breaches(began(), announces(creationIntent("ada")), conflict, declined, met)).toEqual([]);
  });

  test("a creation that counted as not done is shown later, and the log takes it back", () => {
    const lost = [creates(1, "ada"), changed(1, user("ada")), answered(1, "lost"), doubts, settles(false)];
    expect(breaches(began(), announces(creationIntent("ada")), lost, began(), listed(2), settles(true))).toEqual([]);
  });

  test("nothing is judged of a replacement that reads do not show", () => {
    const sent = [replaces(1, "ada", "DEVELOPER"), changed(1, key("ada", ["DEVELOPER"])), answered(1, "lost"), doubts];
    const open = told({ type: "resolved", at: noon, run: "r1", action: "x", as: { done: false, unproven: true } });
    expect(
      breaches(changed(undefined, key("ada")), began(), announces(rolesIntent("k-ada", "DEVELOPER")), sent, open),
    ).toEqual([]);
  });
});
