import { describe, expect, test } from "vitest";
import type { DesiredUser, ObservedUser } from "../../../src/model/user.ts";
import { holdersToRead, isListCheaper } from "../../../src/observe/read-users.ts";
import { distinctQueries, knownFirst } from "../../../src/observe/search.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser } from "../../support/snapshot-builders.ts";

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
