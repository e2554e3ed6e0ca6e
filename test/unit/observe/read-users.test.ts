import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import { problem, success } from "../../../src/model/result.ts";
import type { AddressedUser, DesiredUser, ObservedUser } from "../../../src/model/user.ts";
import {
  holdersToRead,
  isListCheaper,
  mergeReadUsers,
  peopleReader,
  withAccounts,
} from "../../../src/observe/read-users.ts";
import { distinctQueries, knownFirst } from "../../../src/observe/search.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aFailure, type SimulationOptions, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";
import { aShownKey, aShownUser } from "../../support/snapshot-builders.ts";

function user(email: string, rest: Partial<ObservedUser> = {}): ObservedUser {
  return { email, address: foldAddress(email), by: "search 1", ...rest };
}

describe("gatherUsers", () => {
  test.each([
    [
      "a later read wins, and what it does not show stays",
      [
        [user("a@x.example", { identifier: "1", title: "Old", keys: [] })],
        [user("A@x.example", { identifier: "1", title: "New", by: "list" })],
      ],
      [user("A@x.example", { identifier: "1", title: "New", keys: [], by: "list" })],
    ],
    [
      "a read without an identifier is the user of that address",
      [[user("a@x.example")], [user("a@x.example", { identifier: "1" })], [user("a@x.example", { status: "active" })]],
      [user("a@x.example", { identifier: "1", status: "active" })],
    ],
    [
      "one address with two identifiers is two users",
      [[user("a@x.example", { identifier: "2" })], [user("a@x.example", { identifier: "1" })]],
      [user("a@x.example", { identifier: "1" }), user("a@x.example", { identifier: "2" })],
    ],
    [
      "an identifier whose address changed between the reads is one user",
      [[user("a@x.example", { identifier: "1" })], [user("b@x.example", { identifier: "1" })]],
      [user("b@x.example", { identifier: "1" })],
    ],
    [
      "in the order of addresses",
      [[user("c@x.example")], [user("a@x.example"), user("b@x.example")]],
      [user("a@x.example"), user("b@x.example"), user("c@x.example")],
    ],
  ])("%s", (_name, readings, gathered) => {
    expect(mergeReadUsers(readings)).toEqual(gathered);
  });
});

test("an account is added where the details of exactly one show the user, who does not say it", () => {
  const members = [foldAddress("a@x.example"), foldAddress("b@x.example"), foldAddress("c@x.example")];
  const accounts = [
    { identifier: "acc-1", members, by: "account acc-1" },
    { identifier: "acc-2", members: members.slice(1, 2), by: "account acc-2" },
    { identifier: "acc-3", by: "account acc-3" },
  ];
  const users = [
    user("a@x.example"),
    user("b@x.example"),
    user("c@x.example", { account: "acc-9" }),
    user("d@x.example"),
  ];
  expect(withAccounts(users, accounts)).toEqual([
    user("a@x.example", { account: "acc-1" }),
    user("b@x.example"),
    user("c@x.example", { account: "acc-9" }),
    user("d@x.example"),
  ]);
});

describe("declared holders", () => {
  const sensitive = { privilegedRoles: ["ACCOUNT_ADMIN"], protectedUsers: [addressOf("root")] };
  const root = [{ address: addressOf("root"), email: "root@acme.example" }];
  const ada: ObservedUser = aShownUser("ada", { keys: [aShownKey("q", "none")] });

  function withOwnKey(roles: readonly string[]): readonly DesiredUser[] {
    return [aUser("ada", { key: "p", ownKeyRoles: roles })];
  }

  const member = { user: "ada", key: "p", roles: ["ACCOUNT_ADMIN"] };

  test.each<[string, ReturnType<typeof aRoster>, readonly ObservedUser[], ReturnType<typeof holdersToRead>]>([
    ["an own key is to be privileged", aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }), [ada], "everyone"],
    ["a team key is to be privileged", aRoster({ teams: [aTeam("Red", { members: [member] })] }), [ada], "everyone"],
    ["a listed key is to be privileged", aRoster({ keys: [aKey("p", { roles: ["ACCOUNT_ADMIN"] })] }), [], "everyone"],
    ["an own key is to have other roles", aRoster({ users: withOwnKey(["DEVELOPER"]) }), [ada], root],
    ["a leaver's key is to have none", aRoster({ leavers: [aLeaver("ada", { key: "p" })] }), [ada], root],
    [
      "protected people were read",
      aRoster({ users: withOwnKey(["DEVELOPER"]) }),
      [ada, aShownUser("root", { keys: [] })],
      [],
    ],
    [
      "the key is shown",
      aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }),
      [aShownUser("ada", { keys: [aShownKey("p", "none")] })],
      [],
    ],
    ["no keys are shown", aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }), [aShownUser("ada")], []],
    ["the roster names no key whose roles it manages", aRoster({ users: [aUser("ada", { key: "p" })] }), [ada], []],
  ])("who is read for the keys that no read has shown, where %s", (_, roster, users, expected) => {
    expect(holdersToRead(roster, sensitive, users)).toEqual(expected);
  });
});

describe("people known to be there", () => {
  const [ada, bo, cy, di] = ["ada", "bo", "cy", "di"].map((name) => ({
    address: addressOf(name),
    email: addressOf(name),
  }));
  const people = (...some: readonly (typeof ada)[]) => some.flatMap((one) => (one === undefined ? [] : [one]));
  const known = distinctQueries(people(ada, bo, ada, cy));
  const missing = (...names: readonly string[]) => new Set(names.map(addressOf));

  test("stand once each, where they stand first", () => {
    expect([...known.values()]).toEqual(people(ada, bo, cy));
  });

  test("follow whoever was found, without those who are missing", () => {
    expect([...knownFirst(people(di), known, missing("ada")).values()]).toEqual(people(di, bo, cy));
  });

  test("may be missing although they were found before, and may be nobody", () => {
    const found = knownFirst(people(di), known, missing());
    expect([...knownFirst([], found, missing("di")).values()]).toEqual(people(ada, bo, cy));
    expect(knownFirst([], known, missing("ada", "bo", "cy")).size).toBe(0);
  });
});

describe("the list before the searches", () => {
  const members = Array.from({ length: 600 }, (_, index) => addressOf(`p${index}`));
  const queries = members.map((address) => ({ address, email: address }));
  const accountOf = (shown: number) =>
    new Map([["acc-1", { identifier: "acc-1", by: "account acc-1", members: members.slice(0, shown) }]]);

  test.each([
    ["spares more searches than it has pages", 600, 600, true],
    ["has as many more pages as it spares searches", 200, 200, false],
    ["has far more pages than there are people asked for", 100, 600, false],
    ["is short, but shows few of those who are asked for", 600, 100, false],
  ])("is cheaper only where it %s", (_, asked, shown, expected) => {
    expect(isListCheaper(queries.slice(0, asked), accountOf(shown))).toBe(expected);
  });

  test("may be of any length where the details of an account show no users", () => {
    const accounts = new Map([["acc-1", { identifier: "acc-1", by: "account acc-1" }]]);
    expect(isListCheaper(queries, accounts)).toBe(false);
  });
});

function reading(present: readonly string[], known: readonly string[], options: Partial<SimulationOptions> = {}) {
  const world = aWorld();
  for (const name of present) putUser(world, { email: emailOf(name) });
  const service = simulatedService({ world, ...options });
  const reader = peopleReader({ service, parallelism: 2, known: known.map(sought) });
  const asked = () => service.calls.map((call) => (call.route === "search-users" ? call.identifiers : call.route));
  return { world, service, reader, asked };
}

function sought(name: string): AddressedUser {
  return { address: addressOf(name), email: emailOf(name) };
}

describe("people are read again as carefully as for a plan", () => {
  test("whoever is found is told by the name of the read, whoever is not with what proves it", async () => {
    const { reader, asked } = reading(["admin", "ada"], ["admin"]);
    const read = await reader.read([sought("ada"), sought("bo")], "recheck");
    expect(read.ok && read.value.users.map(({ email, by }) => [email, by])).toEqual([
      ["ada@acme.example", "recheck 1"],
    ]);
    expect(read.ok && read.value.absences).toEqual(new Map([[addressOf("bo"), { proven: true, by: "recheck 2" }]]));
    expect(asked()).toEqual([
      ["ada@acme.example", "bo@acme.example", "admin@acme.example"],
      ["bo@acme.example", "admin@acme.example"],
    ]);
  });

  test("whoever was found once is a probe from then on, and the names go on", async () => {
    const { reader, asked } = reading(["ada"], []);
    await reader.read([sought("ada")], "check");
    const read = await reader.read([sought("bo")], "check");
    expect(read.ok && read.value.absences).toEqual(new Map([[addressOf("bo"), { proven: true, by: "check 1" }]]));
    expect(asked()).toEqual(["list-users", ["bo@acme.example", "ada@acme.example"]]);
  });

  test("two users of one address are both told", async () => {
    const { reader, world } = reading(["admin", "ada"], ["admin"]);
    putUser(world, { email: "ADA@acme.example" });
    const read = await reader.read([sought("ada")], "check");
    expect(read.ok && read.value.users.map(({ email }) => email)).toEqual(["ada@acme.example", "ADA@acme.example"]);
  });

  test.each([
    ["by the complete list of nobody, where nobody is known at all", [], { yes: true }, true],
    ["not by a list of nobody that is incomplete", [], { yes: false, why: "page 2 failed" }, false],
    ["not by a search that finds nobody", ["admin"], { yes: true }, false],
  ] as const)("an absence is proven %s", async (_, known, complete, proven) => {
    const listUsers = async () => success({ users: [], complete });
    const service = { ...reading([], []).service, listUsers };
    const read = await peopleReader({ service, parallelism: 2, known: known.map(sought) }).read(
      [sought("ada")],
      "check",
    );
    expect(read.ok && read.value.absences.get(addressOf("ada"))?.proven).toBe(proven);
  });

  test("a search that fails is a failure, and nobody is asked for where nobody is sought", async () => {
    const failure = aFailure("service-error");
    const { reader, service } = reading(["ada"], ["ada"], { before: () => ({ failure }) });
    expect(await reader.read([sought("bo")], "check")).toEqual(problem(failure));
    expect(await reader.read([], "check")).toEqual({ ok: true, value: { users: [], absences: new Map() } });
    expect(service.calls.length).toBe(1);
  });
});
