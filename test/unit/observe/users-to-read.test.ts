import { describe, expect, test } from "vitest";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import type { DesiredUser, ObservedUser } from "../../../src/model/user.ts";
import { observe } from "../../../src/observe/observe.ts";
import { distinctQueries, knownFirst } from "../../../src/observe/search.ts";
import { addressesToRead, holdersToRead, isListCheaper } from "../../../src/observe/users-to-read.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser, type UserWish } from "../../support/roster-builders.ts";
import { simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";
import { aShownKey, aShownUser } from "../../support/snapshot-builders.ts";
import type { Hidden } from "../../support/visibility.ts";

describe("asked addresses", () => {
  const roster = aRoster({ users: [aUser("bo")], teams: [aTeam("Red", { members: ["bo"], open: true })] });
  const member = { user: "bo", roles: ["DEVELOPER"], key: "p" };
  const red = roster.teams[0]?.key ?? aTeam("Red").key;

  /** Ada created Red, and is in the roster no more. */
  function stateWhere(identifier: { readonly identifier?: string }): State {
    const ada = addressOf("ada");
    return {
      ...emptyState("l"),
      teams: new Map([[red, { team: red, name: "Red", account: "acc-1", at: noon, ...identifier }]]),
      memberships: new Map([[membershipKeyOf(red, ada), { team: red, address: ada, how: "created", at: noon }]]),
    };
  }

  test.each([
    ["was never learned, since they show it", {}, ["bo", "ada"]],
    ["is known, not", { identifier: "t-1" }, ["bo"]],
  ])("whoever left an open team is asked for where its identifier %s", (_, identifier, expected) => {
    const asked = addressesToRead(roster, stateWhere(identifier)).map(({ address }) => address);
    expect(asked).toEqual(expected.map(addressOf));
  });

  test.each([
    ["a user's own key", aRoster({ users: [aUser("bo", { key: "p", ownKeyRoles: ["DEVELOPER"] })] })],
    ["a member's key", aRoster({ users: [aUser("bo")], teams: [aTeam("Red", { open: true, members: [member] })] })],
    ["a listed key", aRoster({ users: [aUser("bo")], keys: [aKey("p", { owner: "bo", roles: ["DEVELOPER"] })] })],
    ["a leaver's key", aRoster({ leavers: [aLeaver("bo", { key: "p" })] })],
  ])("whoever holds a declared prefix by record is asked for beside the one whom the roster names: %s", (_, named) => {
    const ada = { address: addressOf("ada"), email: "Ada@acme.example", account: "acc-1", key: "p" };
    const state = { ...emptyState("l"), users: new Map([[ada.address, ada]]) };
    expect(addressesToRead(named, state).map(({ address }) => address)).toEqual(["bo", "ada"].map(addressOf));
  });
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

describe("namesakes", () => {
  interface Scene {
    readonly others?: readonly string[];
    readonly hides?: readonly Hidden[];
    readonly wish?: UserWish;
    readonly namesakes?: "sought";
    /** Ada, who is asked for, is there herself. */
    readonly there?: true;
  }

  /** Reads for a roster of ada.l@acme.example alone, beside others who are there. */
  async function read({ others = [], hides = [], wish = {}, namesakes = "sought", there }: Scene) {
    const world = aWorld();
    for (const email of ["root@acme.example", ...others, ...(there ? ["ada.l@acme.example"] : [])])
      putUser(world, { email });
    const service = simulatedService({ world, hides });
    const roster = aRoster({ users: [aUser("ada.l", wish)] });
    const question = {
      roster,
      state: emptyState("l"),
      everyone: "when-needed",
      namesakes,
    } as const;
    const ports = {
      service,
      clock: clockAt("2026-11-20T12:00:00.000Z"),
      progress: () => undefined,
      parallelism: 4,
    };
    const result = await observe(question, ports);
    if (!result.ok) throw new Error(result.error.message);
    const searched = service.calls.flatMap((call) => (call.route === "search-users" ? [call.identifiers] : []));
    return {
      routes: service.calls.map(({ route }) => route),
      also: searched.slice(1).flat(),
      shown: result.value.users.map(({ email }) => email),
      everyone: result.value.everyone.read,
    };
  }

  const usual = ["read-account", "search-users"];

  describe("whoever is there under a near address", () => {
    test.each([
      ["in another domain", "ada.l@old.example"],
      ["with a letter less", "adal@acme.example"],
      ["with a letter more", "ada.ll@acme.example"],
      ["with another letter", "ada.k@acme.example"],
      ["with two letters exchanged", "ad.al@acme.example"],
    ])("%s is read by one more search, however many others there are", async (_, email) => {
      const { routes, also, shown } = await read({ others: [email, "bo@acme.example", "cy@acme.example"] });
      expect([routes, also, shown]).toEqual([[...usual, "search-users"], [email], [email, "root@acme.example"].sort()]);
    });

    test("is read with the list, where the account does not show its users", async () => {
      const { routes, shown, everyone } = await read({ others: ["ada.l@old.example"], hides: ["account-members"] });
      expect(routes.filter((route) => route === "list-users")).toHaveLength(1);
      expect([shown, everyone]).toEqual([["ada.l@old.example", "root@acme.example"], "complete"]);
    });
  });

  describe("nobody else is read", () => {
    test.each([
      ["where nobody is near", { others: ["bo@acme.example", "ada@acme.example"] }],
      ["where everybody of the roster is there", { others: ["adal@acme.example"], there: true }],
      ["where everybody is there and the account shows nobody", { hides: ["account-members"], there: true }],
      ["whom the roster calls somebody else", { others: ["adal@acme.example"], wish: { distinctFrom: ["adal"] } }],
    ] satisfies [string, Scene][])("%s", async (_, scene: Scene) => {
      expect(
        (await read(scene)).also.filter((email) => !email.startsWith("root") && !email.startsWith("ada.l@")),
      ).toEqual([]);
    });

    test("where no guard asks for it", async () => {
      const world = aWorld();
      for (const email of ["root@acme.example", "adal@acme.example"]) putUser(world, { email });
      const service = simulatedService({ world });
      const roster = aRoster({ users: [aUser("ada.l")] });
      const question = { roster, state: emptyState("l"), everyone: "when-needed" } as const;
      const clock = clockAt("2026-11-20T12:00:00.000Z");
      await observe(question, { service, clock, progress: () => undefined, parallelism: 4 });
      expect(service.calls.map(({ route }) => route)).toEqual(usual);
    });
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
