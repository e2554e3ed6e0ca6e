import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../../src/model/event.ts";
import type { Intent } from "../../../../src/model/recorded.ts";
import { audit } from "../../../support/auditor/audit.ts";
import type { Breach, LogRecord, ThingThere } from "../../../support/auditor/records.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  declined,
  failed,
  intended,
  keyLearned,
  keyRead,
  memberRefused,
  noon,
  resolved,
  rolesIntent,
  rolesSet,
  runStarted,
  science,
  succeeded,
  unknownOutcome,
} from "../../../support/event-builders.ts";
import { addressOf, emailOf } from "../../../support/roster-builders.ts";

type Records = readonly (LogRecord | RunEvent | readonly (LogRecord | RunEvent)[])[];

const at = Date.parse(noon);
const began = (...allowed: readonly string[]): LogRecord => ({ is: "command", at, log: "log", allowed });
const answered = (request: number, answer: number | "lost" = 200): LogRecord => ({
  is: "answered",
  request,
  at,
  answer,
});
const changed = (request: number, now: ThingThere): LogRecord => ({ is: "changed", at, now, request });
/** It came to be without roster. */
const is = (now: ThingThere): LogRecord => ({ is: "changed", at, now });
const isGone = (now: ThingThere): LogRecord => is({ ...now, gone: true } as ThingThere);
const arrived = (request: number, method: string, path: string, body?: unknown): LogRecord => {
  const asked = { is: "arrived", request, at, method, path: `/api/accounting/${path}` } as const;
  return body === undefined ? asked : { ...asked, body };
};
const listed = (request: number): readonly LogRecord[] => [arrived(request, "GET", "users?page=1"), answered(request)];
const finished: RunEvent = { type: "run-finished", at: noon, ended: "completed" };
const converged: RunEvent = { type: "verified", at: noon, result: "converged", remarks: [] };

const user = (name: string, identifier = `u-${name}`): ThingThere => {
  return { is: "user", identifier, email: emailOf(name), account: "acc-1" };
};
const team: ThingThere = { is: "team", identifier: "t-1", name: "Science", account: "acc-1" };
const key = (name: string, ...roles: readonly string[]): ThingThere => {
  return { is: "key", prefix: `k-${name}`, user: `u-${name}`, roles: roles.length === 0 ? ["TEAM_ROLE"] : roles };
};
const teamKey = (name: string, ...roles: readonly string[]) => ({ ...key(name, ...roles), team: "t-1" }) as ThingThere;
const mail = (name: string): ThingThere => ({ is: "mail", user: `u-${name}`, team: "t-1" });

const creates = (request: number, name: string, rest: object = {}) => {
  const body = { email: emailOf(name), firstName: name, lastName: "Test", ...rest };
  return arrived(request, "POST", "accounts/acc-1/users", body);
};
const named = (names: readonly string[], word = "") => names.map((name) => ({ identifier: `${word}${name}` }));
const adds = (request: number, ...names: readonly string[]) =>
  arrived(request, "POST", "teams/t-1/members", named(names, "u-"));
const replaces = (request: number, name: string, ...roles: readonly string[]) =>
  arrived(request, "PUT", `access-keys/k-${name}/roles`, named(roles));
const announces = (intent: Intent, run = "r1") => intended(run, "x", intent);
const identified = (identifier: string): RunEvent => {
  return { type: "team-identified", at: noon, team: science, name: "Science", account: "acc-1", identifier };
};

const foundsScience = { team: { name: "Science", accessKeyRoles: ["TEAM_ROLE"] } };
const [ofAda, adaJoins, adaDevelops] = [
  creationIntent("ada"),
  additionIntent("ada"),
  rolesIntent("k-ada", "DEVELOPER"),
];
const createsAda: Records = [began(), announces(ofAda), creates(1, "ada")];
const adaIsCreated: Records = [changed(1, user("ada")), changed(1, key("ada")), answered(1)].flat();
const addsAda: Records = [is(user("ada")), is(team), began(), announces(adaJoins), adds(1, "ada")];
const adaIsAdded: Records = [changed(1, teamKey("ada")), changed(1, mail("ada")), answered(1)];
const setsRoles: Records = [is(key("ada")), began(), announces(adaDevelops), replaces(1, "ada", "DEVELOPER")];
const rolesAreSet: Records = [changed(1, key("ada", "DEVELOPER")), answered(1)];

function breaches(...records: Records): readonly Breach[] {
  return audit(records.flat().map((one) => ("type" in one ? { is: "event", event: one } : one)));
}

const agreeing: Readonly<Record<string, Records>> = {
  "a user with a team, a member and roles, each announced, answered and verified": [
    [is(user("gus")), began(), ...listed(1), runStarted("r1")],
    [intended("r1", "a", creationIntent("ada", "Science")), creates(2, "ada", foundsScience)],
    [changed(2, user("ada")), changed(2, team), changed(2, teamKey("ada")), answered(2, 201)],
    succeeded("a", created("ada", { identifier: "u-ada", prefix: "k-ada", teamIdentifier: "t-1" })),
    [keyLearned("ada", "k-ada", science), identified("t-1")],
    [intended("r1", "b", additionIntent("gus")), adds(3, "gus")],
    [changed(3, teamKey("gus")), changed(3, mail("gus")), answered(3), succeeded("b", addedTo(added("gus", "k-gus")))],
    [intended("r1", "c", adaDevelops), replaces(4, "ada", "DEVELOPER"), changed(4, teamKey("ada", "DEVELOPER"))],
    [answered(4), succeeded("c", rolesSet("k-ada", "DEVELOPER"))],
    [...listed(5), keyRead("k-ada", "DEVELOPER"), converged, finished],
  ],
  "an answer is lost, and a later run settles by reading what became of the call": [
    [began(), runStarted("r1"), announces(ofAda), creates(1, "ada"), changed(1, user("ada")), changed(1, key("ada"))],
    [answered(1, "lost"), unknownOutcome("x"), finished, began(), ...listed(2), resolved("r1", "x", created("ada"))],
  ],
  "a throttled creation without effect is announced anew and sent again": [
    ...createsAda,
    [answered(1, 429), announces(ofAda), creates(2, "ada"), changed(2, user("ada")), answered(2)],
    succeeded("x", created("ada")),
  ],
  "an addition is resolved for one person after the other": [
    [is(user("ada")), is(team), is(user("bo")), began(), announces(additionIntent("ada", "bo")), adds(1, "ada", "bo")],
    [changed(1, teamKey("ada")), answered(1, 202), unknownOutcome("x")],
    [resolved("r1", "x", addedTo(added("ada")), { except: ["bo"] }), resolved("r1", "x", "not-done")],
  ],
  "the same roles are sent again where no answer came, and roles that the key has may be kept": [
    ...setsRoles,
    [
      answered(1, "lost"),
      replaces(2, "ada", "DEVELOPER", "TEAM_ROLE"),
      changed(2, key("ada", "DEVELOPER", "TEAM_ROLE")),
    ],
    [answered(2), succeeded("x", rolesSet("k-ada"))],
  ],
  "somebody who is gone is created again where a person has allowed it": [
    [is(user("ada", "u-0")), isGone(user("ada", "u-0")), began("user-missing:ada@acme.example")],
    [announces(ofAda), creates(1, "ada"), ...adaIsCreated.flat()],
  ],
  "a service that answers with a conflict although it has created the user is believed": [
    ...createsAda,
    [changed(1, user("ada")), answered(1, 409), declined("x"), succeeded("x", created("ada", { was: "there-before" }))],
  ],
  "a creation that counted as not done is shown later, and the log takes it back": [
    ...createsAda,
    [changed(1, user("ada")), answered(1, "lost"), unknownOutcome("x"), resolved("r1", "x", "not-done")],
    [began(), ...listed(2), resolved("r1", "x", created("ada"))],
  ],
  "nothing is judged of a replacement that reads do not show": [
    ...setsRoles,
    [changed(1, key("ada", "DEVELOPER")), answered(1, "lost"), unknownOutcome("x"), resolved("r1", "x", "unproven")],
  ],
};

test.each(Object.entries(agreeing))("two logs agree: %s", (_, records) => {
  expect(breaches(...records)).toEqual([]);
});

/** Each breach as its position, its rule and what it says. */
const lies: Readonly<Record<string, readonly [Records, ...(readonly string[])]>> = {
  "a call arrives before its announcement is durable": [
    [began(), creates(1, "ada"), answered(1, 500), announces(ofAda)],
    "1 unexplained-call create-user ada@acme.example: nothing announced it",
  ],
  "another command announced the call": [
    [began(), announces(ofAda), began(), creates(1, "ada"), answered(1, 500)],
    "3 unexplained-call create-user ada@acme.example: another command announced it",
  ],
  "one announcement is sent twice": [
    [...createsAda, answered(1, 429), creates(2, "ada"), answered(2, 429)],
    "4 unexplained-call create-user ada@acme.example: one announcement, two calls",
  ],
  "somebody else is created than was announced": [
    [began(), announces(ofAda), creates(1, "bo"), answered(1, 500)],
    "2 unexplained-call create-user bo@acme.example: bo@acme.example, announced: ada@acme.example",
  ],
  "a name is sent that was not announced": [
    [began(), announces(ofAda), creates(1, "ada", { lastName: "Best" }), answered(1, 500)],
    "2 unexplained-call create-user ada@acme.example: lastName is not as announced",
  ],
  "an empty team is sent": [
    [began(), announces(creationIntent("ada", "Science")), creates(1, "ada", { team: {} }), answered(1, 500)],
    "2 unexplained-call create-user ada@acme.example: the team undefined, announced: Science",
  ],
  "a member is added whom the announcement does not name": [
    [is(user("ada")), is(team), is(user("bo")), began(), announces(adaJoins), adds(1, "ada", "bo")],
    "5 unexplained-call add-members t-1: u-ada, u-bo: u-bo is none of ada@acme.example",
  ],
  "a role is given that was not announced": [
    [is(key("ada")), began(), announces(adaDevelops), replaces(1, "ada", "AUDITOR")],
    "3 unexplained-call replace-roles k-ada: the roles AUDITOR, announced: DEVELOPER",
  ],
  "a route that the interface does not have": [
    [began(), arrived(1, "DELETE", "accounts/acc-1/users/u-ada")],
    "1 unexplained-call a call: the interface has no such call",
  ],
  "a throttled creation is announced anew although it was done": [
    [...createsAda, ...adaIsCreated, announces(ofAda)],
    "6 sent-again x: it was done before",
  ],
  "an open addition is announced by another run": [
    [is(user("ada")), is(team), began(), announces(adaJoins), began(), announces(adaJoins, "r2")],
    "5 sent-again x: nothing says what became of it in the run r1",
  ],
  "somebody who was there is created": [
    [is(user("ada", "u-0")), ...createsAda, ...adaIsCreated],
    "4 created-twice ada@acme.example was there before",
  ],
  "somebody who is gone is created again without an allowance": [
    [is(user("ada", "u-0")), isGone(user("ada", "u-0")), ...createsAda, ...adaIsCreated],
    "5 created-twice ada@acme.example was there before",
  ],
  "a team is made that was there": [
    [
      [is({ ...team, identifier: "t-0", name: " science" } as ThingThere), began()],
      [announces(creationIntent("ada", "Science")), creates(1, "ada", foundsScience)],
      [changed(1, user("ada")), changed(1, team)],
    ],
    "5 team-made-twice Science was there before",
  ],
  "a member is mailed again": [
    [is(teamKey("ada")), ...addsAda, changed(1, mail("ada"))],
    "6 mailed-twice u-ada is a member of t-1",
  ],
  "somebody who was removed is mailed again": [
    [
      ...addsAda,
      ...adaIsAdded,
      [succeeded("x", addedTo(added("ada"))), isGone(teamKey("ada")), began(), announces(adaJoins, "r2")],
      [adds(2, "ada"), changed(2, mail("ada"))],
    ],
    "11 sent-again x: it was done before",
    "13 mailed-twice u-ada was invited to t-1 before",
  ],
  "a creation that was not done is told as done": [
    [...createsAda, answered(1, 503), succeeded("x", created("ada"))],
    "4 untrue-event succeeded x: no call created ada@acme.example",
  ],
  "a call that was never announced is told as done": [
    [is(user("ada")), began(), succeeded("x", created("ada"))],
    "2 untrue-event succeeded x: it was not announced",
  ],
  "a creation that was done is told as refused": [
    [...createsAda, ...adaIsCreated, failed("x")],
    "6 untrue-event failed x: the call had an effect",
  ],
  "a creation that is done later is resolved as not done": [
    [...createsAda, answered(1, 202), unknownOutcome("x"), resolved("r1", "x", "not-done"), changed(1, user("ada"))],
    "5 untrue-event resolved x: the call had an effect",
  ],
  "whoever was created is told as there before": [
    [...createsAda, ...adaIsCreated, succeeded("x", created("ada", { was: "there-before" }))],
    "6 untrue-event succeeded x: the call created ada@acme.example",
  ],
  "another identifier is recorded": [
    [...createsAda, ...adaIsCreated, succeeded("x", created("ada", { identifier: "u-bo" }))],
    "6 untrue-event succeeded x: ada@acme.example does not have the identifier u-bo",
  ],
  "another prefix is recorded": [
    [
      is(key("bo")),
      ...createsAda,
      ...adaIsCreated,
      succeeded("x", created("ada", { prefix: "k-bo" })),
      keyLearned("ada", "k-bo"),
    ],
    "7 untrue-event succeeded x: k-bo is not the prefix of the key of ada@acme.example",
    "8 untrue-event key-learned: the key k-bo was not there so",
  ],
  "somebody who was not added is told as a member": [
    [...addsAda, answered(1), succeeded("x", addedTo(added("ada")))],
    "6 untrue-event succeeded x: ada@acme.example is no member",
  ],
  "somebody who was added is told as refused": [
    [...addsAda, ...adaIsAdded, memberRefused("x", "ada")],
    "8 untrue-event member-refused x: the call had an effect",
  ],
  "roles are told that the key never had": [
    [...setsRoles, ...rolesAreSet, succeeded("x", rolesSet("k-ada", "AUDITOR")), keyRead("k-ada", "AUDITOR")],
    "6 untrue-event succeeded x: the key k-ada never had the roles AUDITOR",
    "7 untrue-event key-read: the key k-ada was not there so",
  ],
  "people, teams and keys are told as seen that were not there": [
    [
      is(user("bo")),
      began(),
      {
        type: "users-observed",
        at: noon,
        service: "s",
        people: [{ address: addressOf("ada"), email: emailOf("ada"), account: "acc-1" }],
        teams: [{ team: science, name: "Science", account: "acc-1" }],
      },
      {
        type: "access-seen",
        at: noon,
        service: "s",
        users: [addressOf("ada")],
        members: [{ team: science, address: addressOf("bo"), prefix: "k-bo" }],
        keys: [{ prefix: "k-bo", address: addressOf("bo"), roles: [] }],
      },
    ],
    "2 untrue-event users-observed: ada@acme.example was not there so",
    "2 untrue-event users-observed: the team Science was not there so",
    "3 untrue-event access-seen: ada@acme.example was not there so",
    "3 untrue-event access-seen: the key k-bo was not there so",
    "3 untrue-event access-seen: the key k-bo was not there so",
  ],
  "another team gets the identifier": [
    [is(team), began(), identified("t-2")],
    "2 untrue-event team-identified: the team Science was not there so",
  ],
  "a key is told as seen with roles that it lost before the read": [
    [
      is(user("ada")),
      is(key("ada", "DEVELOPER")),
      is({ ...key("ada"), roles: [] } as ThingThere),
      began(),
      listed(1),
      keyRead("k-ada", "DEVELOPER"),
    ],
    "6 untrue-event key-read: the key k-ada was not there so",
  ],
  "a run claims to be verified after somebody has changed the roles": [
    [...setsRoles, ...rolesAreSet, succeeded("x", rolesSet("k-ada")), is(key("ada", "AUDITOR")), listed(2), converged],
    "10 untrue-event verified: the key k-ada has other roles",
  ],
  "a refusal is told where no answer came": [
    [...createsAda, answered(1, "lost"), declined("x")],
    "4 untrue-event declined x: no answer came",
  ],
  "a run ends and does not say what became of a call": [
    [began(), runStarted("r1"), announces(ofAda), creates(1, "ada"), ...adaIsCreated, finished],
    "7 silent-end x: nothing says what became of it",
  ],
};

describe("two logs that do not agree", () => {
  test.each(Object.entries(lies))("%s", (_, [records, ...expected]) => {
    expect(breaches(...records).map(({ position, rule, says }) => `${position} ${rule} ${says}`)).toEqual(expected);
  });
});
