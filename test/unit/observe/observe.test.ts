import { describe, expect, test } from "vitest";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import type { Failure, TeamKey } from "../../../src/model/recorded.ts";
import { problem, success } from "../../../src/model/result.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { Absence, ObservedAccount } from "../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import type { DesiredTeam } from "../../../src/model/team.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { observe } from "../../../src/observe/observe.ts";
import type { ObserveInput } from "../../../src/observe/read-users.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import type { ReadStep } from "../../../src/ports/operator.ts";
import { additionIntent, creationIntent, openIntent, rolesIntent } from "../../support/event-builders.ts";
import { clockAt, type MovableClock } from "../../support/fixed-ports.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { aFailure, type SimulationOptions, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser, type World } from "../../support/simulated-world.ts";

const noon = "2026-11-20T12:00:00.000Z";

function people(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, at) => `p${String(from + at).padStart(5, "0")}`);
}

function worldWith(names: readonly string[]): World {
  const world = aWorld();
  for (const name of names) putUser(world, { email: `${name}@acme.example` });
  return world;
}

function rosterOf(names: readonly string[], rest: Partial<Parameters<typeof aRoster>[0]> = {}): Roster {
  return aRoster({ users: names.map((name) => aUser(name)), ...rest });
}

interface Setting extends Partial<Omit<ObserveInput, "roster">>, Omit<SimulationOptions, "world"> {
  readonly change?: ((service: AccountService) => Partial<AccountService>) | undefined;
  readonly signal?: AbortSignal;
  readonly parallelism?: number;
  readonly clock?: MovableClock;
}

/** Reads what a plan for these people or this roster needs, from a service that has these people or this world. */
async function tryToRead(wanted: Roster | readonly string[], there: World | readonly string[], setting: Setting = {}) {
  const { change, signal, parallelism = 4, clock = clockAt(noon), hides, before, ...question } = setting;
  const [roster, world] = ["users" in wanted ? wanted : rosterOf(wanted), "users" in there ? there : worldWith(there)];
  const simulated = simulatedService({ world, ...(hides && { hides }), ...(before && { before }) });
  const service: AccountService = Object.assign(Object.create(simulated), change?.(simulated) ?? {});
  const steps: ReadStep[] = [];
  const result = await observe(
    { roster, state: emptyState("l"), everyone: "when-needed", ...question },
    { service, clock, progress: (step) => void steps.push(step), parallelism, ...(signal && { signal }) },
  );
  return { result, calls: simulated.calls, routes: simulated.calls.map(({ route }) => route), clock, steps };
}

async function read(...question: Parameters<typeof tryToRead>) {
  const { result, ...rest } = await tryToRead(...question);
  if (!result.ok) throw new Error(result.error.message);
  return { snapshot: result.value, ...rest };
}

/** A service whose list shows other users than it has. */
const listing =
  (shown: (users: readonly ObservedUser[]) => readonly ObservedUser[]) =>
  (service: AccountService): Partial<AccountService> => ({
    listUsers: async () => {
      const list = await service.listUsers();
      return list.ok ? success({ ...list.value, users: shown(list.value.users) }) : list;
    },
  });

/** A service whose accounts have other details than they should. */
const detailing =
  (details: Partial<ObservedAccount>) =>
  (service: AccountService): Partial<AccountService> => ({
    readAccount: async (...question) => {
      const read = await service.readAccount(...question);
      return read.ok ? success({ ...read.value, ...details }) : read;
    },
  });

function count(routes: readonly string[], route: string): number {
  return routes.filter((one) => one === route).length;
}

const byAll = (names: readonly string[], absence: Absence) =>
  new Map(names.map((name): [string, Absence] => [addressOf(name), absence]));

function remembering(...names: readonly string[]): State {
  const users = names.map((name) => {
    const record = { address: addressOf(name), email: `${name}@acme.example`, account: "acc-1" };
    return [record.address, record] as const;
  });
  return { ...emptyState("l"), users: new Map(users) };
}

describe("no more calls than needed", () => {
  test("everybody known to be there: the account, and one search for each hundred", async () => {
    const names = people(250);
    const { snapshot, routes } = await read(names, names);
    expect(routes).toEqual(["read-account", "search-users", "search-users", "search-users"]);
    expect(snapshot.reads).toBe(4);
    expect(snapshot.users.map(({ address }) => address)).toEqual(names.map(addressOf));
    expect(snapshot.absences).toEqual(new Map());
  });

  test("the roles only where the roster needs them", async () => {
    const world = worldWith(["ada"]);
    putTeam(world, { name: "Data", members: world.users });
    const needs = async (roster: Roster) => count((await read(roster, world)).routes, "list-roles");
    expect(await needs(rosterOf(["ada"]))).toBe(0);
    expect(await needs(aRoster({ users: [aUser("ada", { ownKeyRoles: ["DEVELOPER"] })] }))).toBe(1);
    expect(await needs(rosterOf(["ada"], { keys: [aKey("k1", { roles: ["DEVELOPER"] })] }))).toBe(1);
    expect(await needs(rosterOf(["ada"], { teams: [aTeam("Data", { identifier: "t9", members: ["ada"] })] }))).toBe(0);
    expect(
      await needs(rosterOf(["ada"], { teams: [aTeam("Data", { identifier: "t9", members: ["ada"], roles: ["R"] })] })),
    ).toBe(1);
    expect(await needs(rosterOf(["ada"], { teams: [aTeam("Data", { members: ["ada"] })] }))).toBe(1);
  });

  test("all new beside somebody: one search for each ninety-nine, the probe in the hundredth place", async () => {
    const names = people(200);
    const { snapshot, calls, routes } = await read(names, ["admin"]);
    expect(routes).toEqual(["read-account", "search-users", "search-users", "search-users"]);
    const searches = calls.flatMap((call) => (call.route === "search-users" ? [call.identifiers] : []));
    expect(searches.map((identifiers) => [identifiers.length, identifiers.at(-1)])).toEqual([
      [100, "admin@acme.example"],
      [100, "admin@acme.example"],
      [3, "admin@acme.example"],
    ]);
    expect([...snapshot.absences.values()].every(({ proven }) => proven)).toBe(true);
    expect(snapshot.absences.size).toBe(200);
    expect(snapshot.users.map(({ email }) => email)).toEqual(["admin@acme.example"]);
  });

  test("known and new people are searched apart, so that nobody is asked for twice", async () => {
    const known = people(100);
    const fresh = people(99, 1000);
    const { routes, snapshot } = await read([...fresh, ...known], known);
    expect(count(routes, "search-users")).toBe(2);
    expect(snapshot.absences).toEqual(byAll(fresh, { proven: true, by: "search 2" }));
  });

  test("an empty service: the complete list alone proves that everybody is absent", async () => {
    const names = people(300);
    const { snapshot, routes } = await read(names, []);
    expect(routes).toEqual(["read-account", "list-users"]);
    expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
    expect(snapshot.absences).toEqual(byAll(names, { proven: true, by: "list" }));
  });

  test("nobody is known and the list shows somebody: only those whom it lacks are searched", async () => {
    const world = worldWith(["ada", "bo"]);
    const { snapshot, calls } = await read(["ada", "cy"], world, { hides: ["account-members"] });
    expect(calls.map((call) => (call.route === "search-users" ? call.identifiers : call.route))).toEqual([
      "read-account",
      "list-users",
      ["cy@acme.example", "ada@acme.example"],
    ]);
    expect(snapshot.absences).toEqual(byAll(["cy"], { proven: true, by: "search 1" }));
  });

  test("ten thousand people are read", async () => {
    const names = people(10_000);
    const { snapshot, routes } = await read(names, [], {
      change: () => ({
        readAccount: async () => success({ identifier: "acc-1", by: "account acc-1", members: names.map(addressOf) }),
        searchUsers: async (identifiers, by) =>
          success(identifiers.map((email): ObservedUser => ({ email, address: addressOf(email), keys: [], by }))),
      }),
    });
    expect(routes).toEqual([]);
    expect(snapshot.users.length).toBe(10_000);
  });
});

describe("who is asked for", () => {
  test("everybody of the roster, former addresses, owners of keys and whom an open call was about", async () => {
    const roster = aRoster({
      users: [aUser("Ada", { previously: ["lovelace"] }), aUser("bo")],
      keys: [aKey("k1", { owner: "cy", roles: [] }), aKey("k-dora", { roles: [] })],
    });
    const state: State = {
      ...remembering("admin"),
      users: new Map([
        ...remembering("admin").users,
        [addressOf("dora"), { address: addressOf("dora"), email: "d", account: "acc-1", key: "k-dora" }],
      ]),
      open: [
        openIntent("r1", "a1", creationIntent("eve")),
        openIntent("r1", "a2", additionIntent("fay", "ada")),
        openIntent("r1", "a3", rolesIntent("k-dora")),
        openIntent("r1", "a4", rolesIntent("k-nobody")),
      ],
    };
    const world = worldWith(["admin"]);
    const { snapshot, calls } = await read(roster, world, { state });
    const asked = new Set(calls.flatMap((call) => (call.route === "search-users" ? call.identifiers : [])));
    expect([...asked].sort()).toEqual(
      [
        "Ada@acme.example",
        "lovelace@acme.example",
        "bo@acme.example",
        "cy@acme.example",
        "dora@acme.example",
        "eve@acme.example",
        "fay@acme.example",
        "admin@acme.example",
      ].sort(),
    );
    expect([...snapshot.absences.keys()].sort()).toEqual(
      ["ada", "bo", "cy", "dora", "eve", "fay", "lovelace"].map(addressOf),
    );
  });
});

describe("somebody of the roster who is not shown", () => {
  const known = (identifier: string | undefined): State => {
    const record = { address: addressOf("ada"), email: "ada@acme.example", account: "acc-1" };
    const users = new Map([[addressOf("ada"), identifier === undefined ? record : { ...record, identifier }]]);
    return { ...remembering("admin"), users: new Map([...remembering("admin").users, ...users]) };
  };

  test.each([
    ["is looked for in the whole list, where the state knows them by identifier", "u-ada", ["list-users"]],
    ["is looked for there as well where it does not: a search may pass over them", undefined, ["list-users"]],
  ])("%s", async (_, identifier, listed) => {
    const world = worldWith(["admin"]);
    putUser(world, { email: "ada.new@acme.example", identifier: "u-ada" });
    const { snapshot, calls } = await read(["ada"], world, { state: known(identifier) });
    expect(calls.map(({ route }) => route).filter((route) => route === "list-users")).toEqual(listed);
    expect(snapshot.users.some((user) => user.identifier === "u-ada")).toBe(true);
  });

  test("is looked for in the whole list, where a creation of them has an unknown outcome", async () => {
    const state = { ...remembering("admin"), open: [openIntent("r0", "x", creationIntent("ada"))] };
    const { calls } = await read(["ada"], ["admin"], { state });
    expect(calls.map(({ route }) => route)).toContain("list-users");
  });

  test("is looked for in no list once the search shows their identifier under the new address", async () => {
    const world = worldWith(["admin"]);
    putUser(world, { email: "ada.new@acme.example", identifier: "u-ada" });
    const roster = aRoster({ users: [aUser("ada.new", { previously: ["ada"] }), aUser("ada")] });
    const { calls } = await read(roster, world, { state: known("u-ada") });
    expect(calls.map(({ route }) => route)).not.toContain("list-users");
  });
});

describe("who left the roster", () => {
  test("is asked for as a leaver, and as somebody whom the last applied roster named, in the same search", async () => {
    const people = ["ada", "old", "gus", "hal"].map(
      (name) => [addressOf(name), { address: addressOf(name), email: `${name}@Acme.example` }] as const,
    );
    const state: State = { ...remembering("admin"), applied: { at: noon, digest: "d", people: new Map(people) } };
    const roster = aRoster({ users: [aUser("ada", { previously: ["old"] })], leavers: [aLeaver("gus")] });
    const { snapshot, calls } = await read(roster, ["admin"], { state });
    expect(calls.filter(({ route }) => route === "search-users")[0]).toEqual({
      route: "search-users",
      identifiers: [
        "ada@acme.example",
        "old@acme.example",
        "gus@acme.example",
        "hal@Acme.example",
        "admin@acme.example",
      ],
    });
    const proven = ["gus", "hal"].map((name) => snapshot.absences.get(addressOf(name))?.proven);
    expect(proven).toEqual([true, true]);
  });
});

describe("who once was put into a team", () => {
  const putInto = (team: TeamKey, name: string): State["memberships"] =>
    new Map([
      [membershipKeyOf(team, addressOf(name)), { team, address: addressOf(name), how: "added", at: noon } as const],
    ]);
  const askedOf = async (open: boolean) => {
    const team = aTeam("Science", { members: ["ada"], open });
    const roster = aRoster({ users: [aUser("ada")], teams: [team] });
    const state = { ...remembering("admin"), memberships: putInto(team.key, "zoe") };
    const { calls } = await read(roster, ["admin"], { state });
    return calls.flatMap((call) => (call.route === "search-users" ? call.identifiers : []));
  };

  test("is asked for, since they may be a member too many by now", async () => {
    expect(await askedOf(false)).toContain("zoe@acme.example");
  });

  test("is not asked for where the team is open to others", async () => {
    expect(await askedOf(true)).not.toContain("zoe@acme.example");
  });
});

describe("an absence is proven", () => {
  /** A service that searches as the test says. */
  const searching =
    (search: (identifiers: readonly string[], by: string) => readonly string[]) => (): Partial<AccountService> => ({
      searchUsers: async (identifiers, by) =>
        success(
          search(identifiers, by).map((email): ObservedUser => ({ email, address: addressOf(email), keys: [], by })),
        ),
    });
  const there = (names: readonly string[]) => new Set(names.map((name) => `${name}@acme.example`));

  test("only where the search found somebody who is there", async () => {
    const world = worldWith(["admin"]);
    const { snapshot, routes } = await read(["ada"], world, { change: searching(() => []) });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], {
        proven: false,
        why: "search 2 did not find admin@acme.example either, but that user exists",
      }),
    );
    expect(routes).toEqual(["read-account", "list-users"]);
  });

  test("by another probe where the first is not found", async () => {
    const world = worldWith(["gone", "admin"]);
    const present = there(["admin"]);
    const asked: (readonly string[])[] = [];
    const change = searching((identifiers) => {
      asked.push(identifiers);
      return identifiers.filter((one) => present.has(one));
    });
    const { snapshot } = await read(["ada"], world, { change });
    expect(asked).toEqual([
      ["ada@acme.example", "gone@acme.example"],
      ["ada@acme.example", "admin@acme.example"],
    ]);
    expect(snapshot.absences).toEqual(byAll(["ada"], { proven: true, by: "confirm 1" }));
  });

  test("by a second question where the answer held others: a bound on its size hides nobody", async () => {
    const names = people(150);
    const fresh = people(20, 1000);
    const present = there(names);
    const change = searching((identifiers) => identifiers.filter((one) => present.has(one)).slice(0, 10));
    const world = worldWith(["admin", ...names]);
    const { snapshot } = await read([...names, ...fresh], world, {
      change,
      hides: ["account-members"],
      state: remembering("p00000"),
    });
    const found = new Set(snapshot.users.map(({ address }) => address));
    expect(names.filter((name) => !found.has(addressOf(name)))).toEqual([]);
    expect([...snapshot.absences.keys()]).toEqual(fresh.map(addressOf));
    expect([...snapshot.absences.values()].every(({ proven }) => proven)).toBe(true);
  });

  test("not by somebody who is remembered and is missing too", async () => {
    const world = worldWith(["bo"]);
    const { snapshot } = await read(["ada", "bo"], world, {
      hides: ["account-members"],
      state: remembering("ada", "bo"),
    });
    expect(snapshot.absences).toEqual(byAll(["ada"], { proven: true, by: "confirm 1" }));
  });

  test("not by an empty list where somebody is remembered", async () => {
    const { snapshot, routes } = await read(["ada"], [], { hides: ["account-members"], state: remembering("bo") });
    const why = "it is empty, but bo@acme.example is known to exist";
    expect(routes).toEqual(["read-account", "search-users", "list-users"]);
    expect(snapshot.everyone).toEqual({ read: "incomplete", why });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], { proven: false, why: `the list of users is incomplete: ${why}` }),
    );
  });

  test("not by an empty list where the details of an account show somebody", async () => {
    const change = (): Partial<AccountService> => ({
      listUsers: async () => success({ users: [], complete: { yes: true } }),
      searchUsers: async () => success([]),
    });
    const { snapshot } = await read(["ada"], ["bo"], { change, everyone: "always" });
    const why = 'the read "account acc-1" shows bo@acme.example, but the list does not have them';
    expect(snapshot.everyone).toEqual({ read: "incomplete", why });
    expect(snapshot.absences.get(addressOf("ada"))?.proven).toBe(false);
  });

  test.each([
    ["not where the list lacks somebody whom the details of an account show", "active", false],
    ["and a deleted user whom the details of an account show does not speak against the list", "Deleted", true],
  ])("%s", async (_name, status, isComplete) => {
    const world = worldWith(["admin"]);
    putUser(world, { email: "bo@acme.example", status });
    const change = listing((users) => users.filter(({ email }) => email.startsWith("admin")));
    const { snapshot } = await read(["ada"], world, { change, everyone: "always" });
    const why = 'the read "account acc-1" shows bo@acme.example, but the list does not have them';
    expect(snapshot.everyone).toEqual(isComplete ? { read: "complete", by: "list" } : { read: "incomplete", why });
    expect(snapshot.absences.get(addressOf("ada"))?.proven).toBe(isComplete);
  });

  test("not where the details of an account show the address", async () => {
    const world = worldWith(["admin", "ada"]);
    const change = searching((identifiers) => identifiers.filter((one) => one.startsWith("admin")));
    const { snapshot } = await read(["ada"], world, { change });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], { proven: false, why: 'the read "account acc-1" shows this address, but a search does not' }),
    );
  });

  test("not where the list was read and is incomplete", async () => {
    const world = worldWith(["admin"]);
    const change = () => ({
      listUsers: async () =>
        success({ users: [], complete: { yes: false, why: "every page showed the same 0" } as const }),
    });
    const { snapshot } = await read(["ada"], world, { change, everyone: "always" });
    expect(snapshot.everyone).toEqual({ read: "incomplete", why: "every page showed the same 0" });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], { proven: false, why: "the list of users is incomplete: every page showed the same 0" }),
    );
  });

  test("not where the list lacks somebody whom a search found", async () => {
    const world = worldWith(["admin", "bo"]);
    const change = listing((users) => users.filter(({ email }) => email.startsWith("admin")));
    const { snapshot } = await read(["ada", "bo"], world, { change, everyone: "always" });
    const why = "a search found bo@acme.example, but the list does not have them";
    expect(snapshot.everyone).toEqual({ read: "incomplete", why });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], { proven: false, why: `the list of users is incomplete: ${why}` }),
    );
  });

  test("and a deleted user whom the list hides does not speak against the list", async () => {
    const world = worldWith(["admin"]);
    putUser(world, { email: "bo@acme.example", status: "deleted" });
    const { snapshot } = await read(["bo"], world, { everyone: "always" });
    expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
    expect(snapshot.users.map(({ email }) => email)).toEqual(["admin@acme.example", "bo@acme.example"]);
  });

  test("where the same question without its probe shows that there was room", async () => {
    const asked: (readonly string[])[] = [];
    const change = searching((identifiers) => {
      asked.push(identifiers);
      return [...identifiers.filter((one) => one.startsWith("admin")), "joann@acme.example"];
    });
    const { snapshot } = await read(["ann"], ["admin"], { change });
    expect(asked).toEqual([["ann@acme.example", "admin@acme.example"], ["ann@acme.example"]]);
    expect(snapshot.absences).toEqual(byAll(["ann"], { proven: true, by: "confirm 1" }));
    expect(snapshot.users.map(({ email }) => email)).toEqual(["admin@acme.example"]);
  });

  test.each(["identifier", "externalIdentifier"] as const)(
    "not where the address is the %s of somebody else",
    async (field) => {
      const change = (): Partial<AccountService> => ({
        searchUsers: async (identifiers, by) =>
          success([
            ...identifiers
              .filter((one) => one.startsWith("admin"))
              .map((email): ObservedUser => ({ email, address: addressOf(email), keys: [], by })),
            { email: "ann.lee@acme.example", address: addressOf("ann.lee"), [field]: "Ann@acme.example", keys: [], by },
          ]),
      });
      const { snapshot } = await read(["ann", "bea"], ["admin"], { change });
      expect(snapshot.absences.get(addressOf("ann"))).toEqual({
        proven: false,
        why: expect.stringMatching(/^search \d shows ann.lee@acme.example, and their identifier is this address$/u),
      });
      expect(snapshot.absences.get(addressOf("bea"))?.proven).toBe(true);
    },
  );

  test("at once beside a stranger where another answer held more", async () => {
    const names = people(5);
    const change = searching((identifiers) => [
      ...identifiers.filter((one) => one.startsWith("p")),
      ...(identifiers.includes("ann@acme.example") ? ["joann@acme.example"] : []),
    ]);
    const { snapshot } = await read([...names, "ann"], names, { change });
    expect(snapshot.absences).toEqual(byAll(["ann"], { proven: true, by: "search 2" }));
  });

  test("not where strangers fill whatever an answer holds", async () => {
    const world = worldWith(["admin", "ann"]);
    const asked: (readonly string[])[] = [];
    const change = searching((identifiers) => {
      asked.push(identifiers);
      return [...identifiers.filter((one) => one.startsWith("admin")), "joann@x", "leann@x", "ann@acme.example"].slice(
        0,
        2,
      );
    });
    const roster = rosterOf(["ann", "bea"]);
    const { snapshot } = await read(roster, world, { change, hides: ["account-members"], state: remembering("admin") });
    expect(asked[0]).toEqual(["ann@acme.example", "bea@acme.example", "admin@acme.example"]);
    expect(snapshot.absences.get(addressOf("bea"))).toEqual({
      proven: false,
      why: expect.stringMatching(/^confirm \d+ returned a full page of other users, so results may be missing$/u),
    });
    expect(snapshot.users.map(({ email }) => email)).toEqual(["admin@acme.example", "ann@acme.example"]);
  });
});

describe("a search that the service refuses", () => {
  const refusing = (most: number, refuses: (identifier: string) => boolean = () => false) => {
    const sizes: number[] = [];
    const change = (service: AccountService): Partial<AccountService> => ({
      searchUsers: async (...question) => {
        const [identifiers] = question;
        sizes.push(identifiers.length);
        const isRefused = identifiers.length > most || identifiers.some(refuses);
        return isRefused ? problem(aFailure("refused", "no")) : service.searchUsers(...question);
      },
    });
    return { sizes, change };
  };

  test("for the number of people is made in smaller ones", async () => {
    const names = people(40);
    const { sizes, change } = refusing(10);
    const { snapshot } = await read([...names, "new"], names, { change });
    expect(snapshot.users.length).toBe(40);
    expect(snapshot.absences).toEqual(byAll(["new"], { proven: true, by: "search 2" }));
    expect(sizes.filter((size) => size > 10)).toEqual([40, 20, 21, 11, 11, 11]);
  });

  test("for one person alone leaves that one unproven", async () => {
    const { change } = refusing(100, (identifier) => identifier.startsWith("odd"));
    const { snapshot } = await read(["ada", "odd", "bea"], ["admin"], { change });
    expect(snapshot.absences.get(addressOf("odd"))).toEqual({
      proven: false,
      why: "the service refuses to search for it: no",
    });
    expect([snapshot.absences.get(addressOf("ada"))?.proven, snapshot.absences.get(addressOf("bea"))?.proven]).toEqual([
      true,
      true,
    ]);
  });

  test("whoever is asked for is a failure, after two of them", async () => {
    const { sizes, change } = refusing(0);
    const { result } = await tryToRead(rosterOf(people(90)), ["admin"], { change });
    expect(result).toEqual(problem(aFailure("refused", "no")));
    expect(sizes.length).toBe(2);
  });
});

describe("the complete list is read", () => {
  function world(): World {
    const made = worldWith(["admin", "ada"]);
    putTeam(made, { name: "Data  science", members: made.users.slice(1) });
    return made;
  }

  test.each([
    ["for a team that nothing shows", { team: aTeam("New", { members: ["ada"] }) }, 1],
    ["not for one with an identifier", { team: aTeam("New", { identifier: "t-1", members: ["ada"] }) }, 0],
    ["not for one that a key shows", { team: aTeam("data SCIENCE", { members: ["ada"] }) }, 0],
    [
      "not for one that a key shows under a former name",
      { team: aTeam("New", { previously: ["Data Science"], members: ["ada"] }) },
      0,
    ],
    [
      "for one that revokes roles members too many, since only the list shows them",
      { team: aTeam("Data science", { onRemoval: "revoke", members: ["ada"] }) },
      1,
    ],
    ["not for one of an account that is not there", { team: aTeam("New", { account: "acc-9", members: ["ada"] }) }, 0],
    [
      "for one that is known in another account alone",
      { team: aTeam("Data science", { account: "acc-2", members: ["ada"] }) },
      1,
    ],
  ] satisfies [string, { team: DesiredTeam }, number][])("%s", async (_name, wish: { team: DesiredTeam }, lists) => {
    const { team } = wish;
    const roster = rosterOf(["ada"], { teams: [team] });
    const twoAccounts = world();
    twoAccounts.accounts.set("acc-2", { identifier: "acc-2" });
    const { routes, snapshot } = await read(roster, twoAccounts);
    expect(count(routes, "list-users")).toBe(lists);
    expect(snapshot.everyone).toEqual(lists === 1 ? { read: "complete", by: "list" } : { read: "not-read" });
  });

  test("not for a team that the state remembers, under its name or a former one", async () => {
    const record = { team: aTeam("Old").key, name: "Old", account: "acc-1", at: noon };
    const state: State = { ...emptyState("l"), teams: new Map([[record.team, record]]) };
    for (const team of [aTeam("Old"), aTeam("New", { previously: ["OLD"] })]) {
      const roster = rosterOf(["ada"], { teams: [team] });
      expect(count((await read(roster, world(), { state })).routes, "list-users")).toBe(0);
    }
  });

  test("for a team whose former name is another team's own", async () => {
    const world = worldWith(["admin", "ada"]);
    putTeam(world, { name: "B", members: world.users.slice(1) });
    const teams = [aTeam("B", { members: ["ada"] }), aTeam("A", { previously: ["B"], members: ["ada"] })];
    const { routes } = await read(rosterOf(["ada"], { teams }), world);
    expect(count(routes, "list-users")).toBe(1);
  });

  test.each([
    ["first where it spares more searches than it costs pages", 300, 0, ["list-users"]],
    ["after the searches where they are few", 200, 0, ["search-users", "search-users", "list-users"]],
    ["after the searches where it is long", 300, 400, ["search-users", "search-users", "search-users", "list-users"]],
  ])("%s", async (_name, known, others, reads) => {
    const names = people(known);
    const roster = rosterOf(names, { teams: [aTeam("New", { members: ["p00000"] })] });
    const { routes, snapshot } = await read(roster, [...names, ...people(others, 1000)]);
    expect(routes).toEqual(["read-account", "list-roles", ...reads]);
    expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
    expect(snapshot.users.length).toBe(known + others);
  });

  test("once, first and for everybody where it is wanted anyway", async () => {
    const roster = rosterOf(["ada", "new"], { teams: [aTeam("New", { members: ["ada"] })] });
    const { calls, snapshot } = await read(roster, world(), { everyone: "always" });
    expect(calls.map((call) => (call.route === "search-users" ? call.identifiers : call.route))).toEqual([
      "read-account",
      "list-roles",
      "list-users",
      ["new@acme.example", "admin@acme.example"],
    ]);
    expect(snapshot.reads).toBe(4);
  });

  test("and those whom it shows without their keys are searched all the same", async () => {
    const change = listing((users) => users.map(({ keys: _, ...user }) => user));
    const { snapshot, routes } = await read(["ada"], world(), { change, everyone: "always" });
    expect(count(routes, "search-users")).toBe(1);
    expect(snapshot.users.find(({ email }) => email.startsWith("ada"))?.keys?.length).toBe(2);
    expect(snapshot.capabilities).toEqual(
      expect.objectContaining({ keysOnUsers: "shown", rolesOnKeys: "shown", teamsOnKeys: "hidden" }),
    );
  });
});

describe("the account of people whom the service shows without one", () => {
  /** Ada and Bo are in acc-1, Cy is in acc-2; the roster has them all in acc-1. */
  async function accountsOf(
    change?: (service: AccountService) => Partial<AccountService>,
    names = ["ada", "bo", "cy"],
  ) {
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    for (const name of ["ada", "bo"]) putUser(world, { email: `${name}@acme.example` });
    putUser(world, { email: "cy@acme.example", account: "acc-2" });
    const { snapshot, routes } = await read(names, world, { hides: ["user-accounts"], change });
    return { accounts: snapshot.users.map(({ account }) => account), routes };
  }

  test("is found in the other accounts where their own lacks them", async () => {
    const { accounts, routes } = await accountsOf();
    expect(accounts).toEqual(["acc-1", "acc-1", "acc-2"]);
    expect(routes.filter((route) => route !== "search-users")).toEqual([
      "read-account",
      "list-accounts",
      "read-account",
    ]);
  });

  test("is not looked for where nobody is lacked", async () => {
    const { routes } = await accountsOf(undefined, ["ada", "bo"]);
    expect(routes).toEqual(["read-account", "search-users"]);
  });

  test("is another one where the other accounts may not be seen", async () => {
    const { accounts } = await accountsOf(() => ({ listAccounts: async () => problem(aFailure("forbidden")) }));
    expect(accounts).toEqual(["acc-1", "acc-1", "(another one)"]);
  });

  test("is not known where the details show fewer than there are", async () => {
    const { accounts, routes } = await accountsOf(detailing({ membersCut: true }));
    expect(accounts).toEqual(["acc-1", "acc-1", undefined]);
    expect(routes).not.toContain("list-accounts");
  });

  test("is not known where the details lack as many as they show, and nobody else shows them", async () => {
    const { accounts } = await accountsOf((service) => ({
      ...detailing({ members: [addressOf("ada")] })(service),
      listAccounts: async () => problem(aFailure("forbidden")),
    }));
    expect(accounts).toEqual(["acc-1", undefined, undefined]);
  });
});

describe("a read that fails fails the whole", () => {
  const failing = (route: string, failure: Failure) => ({
    before: (call: { readonly route: string }) => (call.route === route ? { failure } : undefined),
  });
  const roster = rosterOf(["ada"], { teams: [aTeam("New", { members: ["ada"] })] });

  test.each([
    ["an account", "read-account", aFailure("misunderstood")],
    ["an account that may not be read", "read-account", aFailure("forbidden")],
    ["a search", "search-users", aFailure("misunderstood")],
    ["a search that may not be made", "search-users", aFailure("unauthorized")],
    ["the list", "list-users", aFailure("service-error")],
    ["the roles that may not be read", "list-roles", aFailure("forbidden")],
    ["the roles, redirected", "list-roles", aFailure("redirected")],
    ["the roles, misunderstood", "list-roles", aFailure("misunderstood")],
    ["the roles, not there", "list-roles", aFailure("not-found")],
  ])("%s", async (_name, route, failure) => {
    const { result } = await tryToRead(roster, ["admin"], { ...failing(route, failure) });
    expect(result).toEqual(problem(failure));
  });

  test("except an account that is not there, which then is not in the snapshot", async () => {
    const { snapshot } = await read(aRoster({ users: [aUser("ada"), aUser("bo", { account: "acc-9" })] }), ["ada"]);
    expect([...snapshot.accounts.keys()]).toEqual(["acc-1"]);
  });

  test("and what still waits is not sent", async () => {
    const { calls } = await tryToRead(rosterOf(people(1000)), ["admin"], {
      ...failing("search-users", aFailure("forbidden")),
      parallelism: 2,
    });
    expect(calls.filter(({ route }) => route === "search-users").length).toBeLessThanOrEqual(2);
  });

  test("a run that was stopped reads nothing", async () => {
    const { result, calls } = await tryToRead(roster, [], { signal: AbortSignal.abort() });
    expect([result.ok ? "" : result.error.code, calls.length]).toEqual(["aborted", 0]);
  });
});

describe("open calls are given time to show", () => {
  const at = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString();

  test.each([
    ["the settling time from now on", [at(-60), at(-2)], [5000]],
    ["the same where the clock of another machine may be behind", [at(-299)], [5000]],
    ["none where all are older than clocks are apart", [at(-3600), at(-300)], []],
    ["the settling time after the last moment at which one may have been sent", [at(-2), at(10)], [15_000]],
    ["the settling time and no more where a clock is ahead", [at(3600)], [5000]],
    ["none where nothing is open", [], []],
  ])("%s", async (_name, times, waits) => {
    const open = times.map((time) => openIntent("r1", "a", creationIntent("ada"), time));
    const { clock, snapshot } = await read(["bo"], ["bo"], { state: { ...emptyState("l"), open } });
    expect(clock.waits).toEqual(waits);
    expect(Date.parse(snapshot.readAt)).toBe(Date.parse(noon) + (waits[0] ?? 0));
  });
});

describe("what we did a moment ago is given time to show", () => {
  const at = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString();
  const science = aTeam("Science", { members: ["ada"] });

  function created(name: string, time: string): State {
    const record = { address: addressOf(name), email: `${name}@acme.example`, account: "acc-1", createdAt: time };
    return { ...remembering("admin"), users: new Map([...remembering("admin").users, [record.address, record]]) };
  }

  function member(how: "added" | "created" | "seen", time: string): State {
    const address = addressOf("ada");
    const team = { team: science.key, name: "Science", account: "acc-1", identifier: "t-1", at: time };
    const membership = { team: science.key, address, how, at: time };
    return {
      ...remembering("admin"),
      teams: new Map([[science.key, team]]),
      memberships: new Map([[membershipKeyOf(science.key, address), membership]]),
    };
  }

  /** A service that shows nobody new, and no team, until two seconds have gone by. */
  const lagging = (clock: { now(): number }) => (service: AccountService) => ({
    searchUsers: async (...[identifiers, read, signal]: Parameters<AccountService["searchUsers"]>) => {
      const found = await service.searchUsers(identifiers, read, signal);
      if (!found.ok || clock.now() >= Date.parse(noon) + 2000) return found;
      const old = found.value.filter(({ email }) => email.startsWith("admin"));
      const bare = found.value.map((user) => ({
        ...user,
        keys: (user.keys ?? []).filter(({ team }) => team === "none"),
      }));
      return success(identifiers.includes("ada@acme.example") && keepsPeople ? bare : old);
    },
  });
  let keepsPeople = false;

  test.each([
    ["somebody created", created("ada", at(-1)), false, [4000]],
    ["somebody added", member("added", at(-1)), true, [4000]],
    ["a first member", member("created", at(-3)), true, [2000]],
    ["nobody who was only met", member("seen", at(-1)), true, []],
    ["nobody created long ago", created("ada", at(-60)), false, []],
    ["somebody created by a clock ahead, for no longer than that", created("ada", at(3600)), false, [5000]],
  ])("%s", async (_name, state, keeps, waits) => {
    keepsPeople = keeps;
    const world = worldWith(["admin", "ada"]);
    putTeam(world, { name: "Science", identifier: "t-1", members: world.users.slice(1) });
    const clock = clockAt(noon);
    const roster = rosterOf(["ada"], { teams: keeps ? [science] : [] });
    const read = await tryToRead(roster, world, { change: lagging(clock), state, clock, hides: ["account-members"] });
    expect(clock.waits).toEqual(waits);
    const ada = read.result.ok ? read.result.value.users.find(({ email }) => email.startsWith("ada")) : undefined;
    expect(ada?.keys?.length ?? 0).toBe(waits.length > 0 ? 2 : keeps ? 1 : 0);
  });

  test("and is not waited for where it shows", async () => {
    const world = worldWith(["admin", "ada"]);
    const { clock } = await read(["ada"], world, { state: created("ada", at(-1)) });
    expect(clock.waits).toEqual([]);
  });
});

describe("what is read is put together", () => {
  test("a snapshot of a small world, whole", async () => {
    const world = worldWith(["ada"]);
    const { snapshot, steps } = await read(["ada", "bo"], world, { hides: ["user-accounts", "user-profiles"] });
    expect(snapshot).toEqual({
      service: "https://simulated.example",
      readAt: noon,
      reads: 3,
      readings: new Map([
        ["account acc-1", { at: noon, request: "GET /api/accounting/accounts/acc-1" }],
        ["search 1", { at: noon, request: "POST /api/accounting/users/search for 1 address" }],
        ["search 2", { at: noon, request: "POST /api/accounting/users/search for 2 addresses" }],
      ]),
      roles: { known: "unknown", why: "not read, because the roster has no roles" },
      accounts: new Map([
        [
          "acc-1",
          {
            identifier: "acc-1",
            status: "active",
            by: "account acc-1",
            members: ["ada@acme.example"],
          },
        ],
      ]),
      users: [
        {
          identifier: "u1",
          email: "ada@acme.example",
          address: "ada@acme.example",
          status: "active",
          account: "acc-1",
          keys: [{ prefix: "k2", status: "active", kind: "user", isDefault: true, team: "none", roles: ["TEAM_ROLE"] }],
          by: "search 2",
        },
      ],
      absences: byAll(["bo"], { proven: true, by: "search 2" }),
      everyone: { read: "not-read" },
      capabilities: {
        keysOnUsers: "shown",
        rolesOnKeys: "shown",
        teamsOnKeys: "shown",
        titles: "hidden",
        totals: "unknown",
        paging: { firstPage: "unknown" },
      },
    });
    expect(steps).toEqual([
      { what: "addresses searched", done: 1, of: 2 },
      { what: "addresses searched", done: 2, of: 2 },
    ]);
  });

  test("the same reads in any order give the same snapshot", async () => {
    const names = people(300);
    const slowly =
      (delay: (at: number) => number) =>
      (service: AccountService): Partial<AccountService> => {
        let at = 0;
        return {
          searchUsers: async (...question) => {
            at += 1;
            await new Promise((resolve) => setTimeout(resolve, delay(at)));
            return service.searchUsers(...question);
          },
        };
      };
    const wanted = [...names, ...people(50, 5000)];
    const one = await read(wanted, names, { change: slowly((at) => at * 3) });
    const other = await read(wanted, names, { change: slowly((at) => 15 - at * 3) });
    expect(one.snapshot).toEqual(other.snapshot);
  });
});
