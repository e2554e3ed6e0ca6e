import { describe, expect, test } from "vitest";
import { prefix, type SecondStage, secondStage, stageStart } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

const cy = { firstName: "Cy", lastName: "Young", email: "cy@acme.example" };

/** Creates n people, one after another, and says what came back and what it did. */
function create({ call, service }: SecondStage, count: number): readonly string[] {
  const statuses = Array.from({ length: count }, (_, index) => {
    return call("POST", "accounts/acc-1/users", { ...cy, email: `new-${index + 1}@acme.example` }).status;
  });
  expect(service.writes.slice(-count).map(({ answered }) => answered)).toEqual(statuses);
  return service.writes.map(({ answered, tookEffect }) => `${answered}${tookEffect ? " done" : ""}`);
}

const faults: readonly (readonly [changed: Partial<SecondWays>, expected: readonly string[]])[] = [
  [{}, ["201 done", "201 done", "201 done", "201 done"]],
  [{ lostBeforeEffect: 2 }, ["201 done", "lost", "201 done", "201 done"]],
  [{ lostAfterEffect: 2 }, ["201 done", "lost done", "201 done", "201 done"]],
  [{ failedBeforeEffect: 1, failureStatus: "502" }, ["502", "201 done", "201 done", "201 done"]],
  [{ failedAfterEffect: 3, failureStatus: "504" }, ["201 done", "201 done", "504 done", "201 done"]],
  [{ conflictThoughCreated: 2 }, ["201 done", "409 done", "201 done", "201 done"]],
  [{ throttled: "429" }, ["201 done", "429", "429", "201 done"]],
  [{ throttled: "503", throttledWrites: "first" }, ["503", "201 done", "201 done", "201 done"]],
  [{ throttled: "403", throttledWrites: "every-third" }, ["201 done", "201 done", "403", "201 done"]],
  [{ throttled: "429-after-effect" }, ["201 done", "429 done", "429 done", "201 done"]],
  [{ throttled: "503-after-effect", throttledWrites: "first" }, ["503 done", "201 done", "201 done", "201 done"]],
  [{ throttled: "403-after-effect", throttledWrites: "every-third" }, ["201 done", "201 done", "403 done", "201 done"]],
  [{ throttledWrites: "quarter" }, ["201 done", "201 done", "201 done", "201 done"]],
  [{ lostAfterEffect: 1, throttled: "429", throttledWrites: "first" }, ["429", "201 done", "201 done", "201 done"]],
];

test.each(faults)("with %j four creations are answered with %j", (changed, expected) => {
  const stage = secondStage(changed);
  expect(create(stage, 4)).toEqual(expected);
  expect(stage.service.people.length - 3).toBe(expected.filter((line) => line.endsWith("done")).length);
});

test("the creation that is answered as a conflict is counted among the creations", () => {
  const stage = secondStage({ conflictThoughCreated: 1 });
  stage.call("POST", "teams/t-2/members", [{ identifier: "u-3" }]);
  expect(create(stage, 1)).toEqual(["200 done", "409 done"]);
});

test("a quarter of the writes may be throttled", () => {
  const stage = secondStage({ throttled: "429", throttledWrites: "quarter" }, cycle([0.2, 0.3, 0.9]));
  expect(create(stage, 6)).toEqual(["429", "201 done", "201 done", "429", "201 done", "201 done"]);
});

function cycle(values: readonly number[]): () => number {
  let next = -1;
  return () => {
    next = (next + 1) % values.length;
    return values[next] ?? 0;
  };
}

test("one that was throttled before it had an effect can be sent again", () => {
  const { call, service, wait } = secondStage({ throttled: "429", throttledWrites: "first" });
  expect([call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).status, service.mails]).toEqual([429, []]);
  wait(1_000);
  expect([call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).status, service.mails]).toEqual([
    200,
    [{ at: stageStart + 1_000, email: "bo@acme.example", team: "t-2" }],
  ]);
});

test("one that was throttled after its effect mails twice when it is sent again", () => {
  const { call, service } = secondStage({ throttled: "503-after-effect", throttledWrites: "first" });
  const statuses = [1, 2].map(() => call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).status);
  expect([statuses, service.mails.map(({ email }) => email)]).toEqual([
    [503, 200],
    ["bo@acme.example", "bo@acme.example"],
  ]);
});

test("a refusal that took no effect can get lost too", () => {
  const { call, service } = secondStage({ lostAfterEffect: 1 });
  expect(call("POST", "teams/t-9/members", [{ identifier: "u-3" }]).status).toBe("lost");
  expect(service.writes).toMatchObject([{ tookEffect: false, answered: "lost" }]);
});

test("a crossed answer to a creation is about the person before, or else about the key in use", () => {
  const emails = (crossedAnswer: 1 | 2) => {
    const { call, service } = secondStage({ crossedAnswer });
    const bodies = [1, 2].map(
      (index) => call("POST", "accounts/acc-1/users", { ...cy, email: `new-${index}@acme.example` }).body,
    );
    expect([service.people.length, service.writes.map(({ tookEffect }) => tookEffect)]).toEqual([5, [true, true]]);
    return bodies.map((body) => Object(body));
  };
  expect([emails(1), emails(2)]).toMatchObject([
    [{ email: "root@acme.example", accessKeys: [{ prefix: prefix("A") }] }, { email: "new-2@acme.example" }],
    [{ email: "new-1@acme.example" }, { email: "new-1@acme.example", accessKeys: [{ prefix: prefix("I") }] }],
  ]);
});

const crossedAdditions: readonly (readonly [changed: Partial<SecondWays>, expected: unknown])[] = [
  [{}, [{ identifier: "u-1", accessKeys: [{ prefix: prefix("A") }] }]],
  [{ additionShape: "keys" }, [{ prefix: prefix("A"), user: { identifier: "u-1" } }]],
  [{ additionShape: "team" }, { identifier: "t-1", name: "Ops", members: [{ identifier: "u-2" }] }],
];

test.each(crossedAdditions)("with %j a crossed answer to an addition tells another one", (changed, expected) => {
  const { call, service } = secondStage({ ...changed, crossedAnswer: 1 });
  expect(call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).body).toMatchObject(Object(expected));
  expect([service.teams[1]?.members, service.mails.length]).toEqual([["u-3"], 1]);
});

test("a crossed answer to a replacement shows another key", () => {
  const { call, service } = secondStage({ crossedAnswer: 2, replacementShape: "key" });
  const put = (letter: string) => call("PUT", `access-keys/${prefix(letter)}/roles`, [{ identifier: "AUDITOR" }]).body;
  expect([put("C"), put("G"), put("E")]).toMatchObject([
    { prefix: prefix("C") },
    { prefix: prefix("C") },
    { prefix: prefix("E") },
  ]);
  expect(service.people[1]?.keys.map(({ roles }) => roles)).toEqual([["AUDITOR"], ["AUDITOR"]]);
  const first = secondStage({ crossedAnswer: 1, replacementShape: "key" });
  expect(first.call("PUT", `access-keys/${prefix("G")}/roles`, []).body).toMatchObject({ prefix: prefix("A") });
});

test("a crossed answer is of the same route and about something else", () => {
  const { call } = secondStage({ crossedAnswer: 2, replacementShape: "key" });
  call("PUT", `access-keys/${prefix("C")}/roles`, []);
  expect(call("PUT", `access-keys/${prefix("C")}/roles`, []).body).toMatchObject({ prefix: prefix("A") });
  const other = secondStage({ crossedAnswer: 2, replacementShape: "key" });
  other.call("POST", "accounts/acc-1/users", cy);
  expect(other.call("PUT", `access-keys/${prefix("C")}/roles`, []).body).toMatchObject({ prefix: prefix("A") });
});

test("what an answer did not tell is not told to another request", () => {
  const { call } = secondStage({ crossedAnswer: 2, lostAfterEffect: 1 });
  const [, crossed] = [1, 2].map((index) =>
    call("POST", "accounts/acc-1/users", { ...cy, email: `new-${index}@acme.example` }),
  );
  expect(crossed).toMatchObject({ body: { email: "root@acme.example" } });
});

/** The team keys of bo that each read shows, with their roles. */
function shownKeys({ call }: SecondStage): Record<string, unknown> {
  const teamKeys = (rows: unknown) =>
    Object(rows).flatMap(
      ({ email, accessKeys }: { email: string; accessKeys: { keyType: string; roles: string[] }[] }) =>
        email === "bo@acme.example"
          ? accessKeys.filter(({ keyType }) => keyType === "team").map(({ roles }) => roles)
          : [],
    );
  return {
    list: teamKeys(call("GET", "users").body),
    search: teamKeys(call("POST", "users/search", { identifiers: ["bo@acme.example"] }).body),
    details: teamKeys(Object(call("GET", "accounts/acc-1").body).users),
  };
}

const none = { list: [], search: [], details: [] };
const all = (roles: readonly string[]) => ({ list: [roles], search: [roles], details: [roles] });
const lags: readonly (readonly [changed: Partial<SecondWays>, early: object])[] = [
  [{ listLag: 30_000 }, { ...all(["TEAM_ROLE"]), list: [] }],
  [{ searchLag: 30_000 }, { ...all(["TEAM_ROLE"]), search: [] }],
  [{ detailsLag: 30_000 }, { ...all(["TEAM_ROLE"]), details: [] }],
  [{ keysLag: 30_000 }, none],
  [{ keysLag: 2_000, listLag: 30_000, searchLag: 30_000, detailsLag: 30_000 }, none],
  [{ additionStatus: "202-later", listLag: 30_000, searchLag: 30_000, detailsLag: 30_000 }, none],
];

test.each(lags)("with %j a membership shows after the lag of each read", (changed, early) => {
  const stage = secondStage({ ...changed, keyRoles: "names" });
  stage.call("POST", "teams/t-2/members", [{ identifier: "u-3" }]);
  expect(shownKeys(stage)).toEqual(early);
  stage.wait(29_999);
  expect(shownKeys(stage)).toEqual(early);
  stage.wait(changed.additionStatus === "202-later" ? 10_001 : 1);
  expect(shownKeys(stage)).toEqual(all(["TEAM_ROLE"]));
});

test.each(lags)("with %j a key's new roles show after the lag, and the old ones until then", (changed, early) => {
  const stage = secondStage({ ...changed, keyRoles: "names" });
  stage.call("POST", "teams/t-2/members", [{ identifier: "u-3" }]);
  stage.wait(40_000);
  stage.call("PUT", `access-keys/${prefix("I")}/roles`, [{ identifier: "AUDITOR" }]);
  const old = Object.fromEntries(
    Object.entries(early).map(([read, roles]) => [read, roles.length > 0 ? [["AUDITOR"]] : [["TEAM_ROLE"]]]),
  );
  expect(shownKeys(stage)).toEqual(old);
  stage.wait(30_000);
  expect(shownKeys(stage)).toEqual(all(["AUDITOR"]));
});

test("a person shows after the lag of the read, and their keys after the longer of both lags", () => {
  const { call, wait } = secondStage({ searchLag: 2_000, keysLag: 300_000 });
  call("POST", "accounts/acc-1/users", cy);
  const search = () => Object(call("POST", "users/search", { identifiers: ["cy@acme.example"] }).body);
  expect(search()).toEqual([]);
  wait(2_000);
  expect(search()).toMatchObject([{ email: "cy@acme.example", accessKeys: [] }]);
  wait(298_000);
  expect(search()).toMatchObject([{ accessKeys: [{ prefix: prefix("I") }] }]);
});

test("what is done later can be named from then on, and its address is taken at once", () => {
  const { call, service, wait } = secondStage({
    creationStatus: "202-later",
    additionStatus: "202-later",
    replacementStatus: "202-later",
  });
  const add = () => call("POST", "teams/t-2/members", [{ identifier: "u-4" }]).status;
  const create = () => call("POST", "accounts/acc-1/users", cy).status;
  expect([create(), create(), add(), call("GET", "users").body]).toEqual([
    202,
    409,
    404,
    expect.not.arrayContaining([expect.objectContaining(cy)]),
  ]);
  wait(10_000);
  expect([add(), service.mails]).toEqual([202, [{ at: stageStart + 20_000, email: "cy@acme.example", team: "t-2" }]]);
  const put = () => call("PUT", `access-keys/${prefix("K")}/roles`, [{ identifier: "AUDITOR" }]).status;
  expect(put()).toBe(404);
  wait(10_000);
  expect([put(), service.people[3]?.keys[1]?.roles]).toEqual([202, ["AUDITOR"]]);
});

test("some services know a new person, team or key two seconds later", () => {
  const { call, wait } = secondStage({ writesKnowNewThings: "after-2s" });
  call("POST", "accounts/acc-1/users", { ...cy, team: { name: "New" } });
  const statuses = () => [
    call("POST", "teams/t-2/members", [{ identifier: "u-4" }]).status,
    call("POST", "teams/t-3/members", [{ identifier: "u-3" }]).status,
    call("PUT", `access-keys/${prefix("I")}/roles`, []).status,
  ];
  wait(1_999);
  expect(statuses()).toEqual([404, 404, 404]);
  wait(1);
  expect(statuses()).toEqual([200, 200, 200]);
});

const asAnswered = { additionShape: "people", peopleInAnswers: "address" } as const;

describe("a write that something between the client and the service answers", () => {
  test("has no effect, and gets the answer of the newest other one of its kind", () => {
    const stage = secondStage({ cachedAnswer: "second-creation" });
    expect(create(stage, 1)).toEqual(["201 done"]);
    const { call, service } = stage;
    const email = "new-1@acme.example";
    expect(call("POST", "accounts/acc-1/users", cy).body).toMatchObject({ email });
    expect(service.people.slice(3)).toMatchObject([{ email }]);
    expect(call("POST", "accounts/acc-1/users", cy).body).toMatchObject({ email: "cy@acme.example" });
  });

  test.each<[Partial<SecondWays>, unknown]>([
    [asAnswered, [{ email: "root@acme.example" }]],
    [{ additionShape: "team" }, { identifier: "t-1" }],
  ])("is an addition that names another team or other people (%j)", (changed, body) => {
    const { call, service } = secondStage({ cachedAnswer: "first-addition", ...changed });
    expect(call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).body).toMatchObject(body as object);
    expect([service.mails, service.writes.map(({ tookEffect }) => tookEffect)]).toEqual([[], [false]]);
  });

  test.each<[Partial<SecondWays>, unknown]>([
    [{ replacementShape: "key" }, { prefix: prefix("A") }],
    [{ replacementShape: "names" }, ["ACCOUNT_ADMIN"]],
  ])("is a replacement that shows another key or its roles (%j)", (changed, body) => {
    const { call, service } = secondStage({ cachedAnswer: "first-replacement", ...changed });
    const put = call("PUT", `access-keys/${prefix("E")}/roles`, [{ identifier: "DEVELOPER" }]);
    expect(put.body).toMatchObject(body as object);
    expect(service.people[2]?.keys[0]?.roles).toEqual([]);
  });

  test.each<Partial<SecondWays>>([
    { creationShape: "acknowledged" },
    { creationStatus: "204" },
    { creationShape: "flat", peopleInAnswers: "identifier" },
  ])("reaches the service where the client could not see that the answer is another's (%j)", (changed) => {
    expect(create(secondStage({ cachedAnswer: "second-creation", ...changed }), 2).at(-1)).toMatch(/done$/u);
  });
});

describe("an answer with somebody else's key", () => {
  test.each<[Partial<SecondWays>, string]>([
    [{ otherKey: "in-use" }, "A"],
    [{ otherKey: "protected" }, "A"],
    [{ otherKey: "of-a-member" }, "G"],
  ])("shows it in the place of the new one (%j)", (changed, shown) => {
    const { call, service } = secondStage({ otherKeyShown: "first-addition", ...changed });
    const { body } = call("POST", "teams/t-2/members", [{ identifier: "u-3" }]);
    expect(body).toMatchObject([{ accessKeys: [{ prefix: prefix(shown), keyType: "team", team: { name: "Data" } }] }]);
    expect(service.people[2]?.keys[1]?.prefix).toBe(prefix("I"));
    const later = call("POST", "teams/t-2/members", [{ identifier: "u-2" }]);
    expect(later.body).toMatchObject([{ accessKeys: [{ prefix: prefix("K") }] }]);
  });

  test("may be that of a creation", () => {
    const { call } = secondStage({ otherKeyShown: "first-creation" });
    expect(call("POST", "accounts/acc-1/users", cy).body).toMatchObject({
      email: "cy@acme.example",
      accessKeys: [{ prefix: prefix("A"), keyType: "user" }],
    });
  });
});
