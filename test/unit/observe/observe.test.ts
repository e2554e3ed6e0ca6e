import { describe, expect, test } from "vitest";
import type { Failure } from "../../../src/model/failure.ts";
import { problem, success } from "../../../src/model/result.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { Absence } from "../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { observe } from "../../../src/observe/observe.ts";
import type { ObserveInput } from "../../../src/observe/read-users.ts";
import type { ReadStep } from "../../../src/ports/operator.ts";
import type { AccountService } from "../../../src/service/port.ts";
import { callInShort } from "../../support/apply-run.ts";
import { creationIntent, noon, openIntent } from "../../support/event-builders.ts";
import { clockAt, type MovableClock } from "../../support/fixed-ports.ts";
import { addressOf, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { brief, type Parts, partsOf, play } from "../../support/scenes.ts";
import { aFailure, type SimulationOptions, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser, type World } from "../../support/simulated-world.ts";
import { remembering } from "../../support/state-builders.ts";

function people(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, at) => `p${String(from + at).padStart(5, "0")}`);
}

function worldWith(names: readonly string[]): World {
  const world = aWorld();
  for (const name of names) putUser(world, { email: emailOf(name) });
  return world;
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
  const roster = "users" in wanted ? wanted : aRoster({ users: wanted.map((name) => aUser(name)) });
  const world = "users" in there ? there : worldWith(there);
  const simulated = simulatedService({ world, ...(hides && { hides }), ...(before && { before }) });
  const service: AccountService = Object.assign(Object.create(simulated), change?.(simulated) ?? {});
  const steps: ReadStep[] = [];
  const result = await observe(
    { roster, state: emptyState("l"), everyone: "when-needed", ...question },
    { service, clock, progress: (step) => void steps.push(step), parallelism, ...(signal && { signal }) },
  );
  return { result, calls: simulated.calls.map(callInShort), clock, steps };
}

async function read(...question: Parameters<typeof tryToRead>) {
  const { result, ...rest } = await tryToRead(...question);
  if (!result.ok) throw new Error(result.error.message);
  return { snapshot: result.value, ...rest };
}

/** Every call in one line, and then what makes the list incomplete, of whom nothing was read, and whom a search for namesakes shows. */
const reading =
  (how: Partial<ObserveInput> = {}) =>
  async ({ roster = aRoster({}), state = emptyState("l"), reads }: Parts): Promise<readonly string[]> => {
    const { world, hides = [], finds, lists, strangers = [] } = reads;
    const shows = (names: readonly string[] | undefined, { address }: ObservedUser) =>
      names === undefined || names.map(addressOf).includes(address);
    const { snapshot, calls } = await read(roster, world, {
      hides,
      state,
      ...how,
      change: (service) => ({
        async listUsers(...asked) {
          const list = await service.listUsers(...asked);
          return list.ok
            ? success({ ...list.value, users: list.value.users.filter((user) => shows(lists, user)) })
            : list;
        },
        async searchUsers(asked, by, signal) {
          const found = await service.searchUsers(asked, by, signal);
          const others = strangers.map((name) => ({ email: emailOf(name), address: addressOf(name), keys: [], by }));
          return found.ok ? success([...found.value.filter((user) => shows(finds, user)), ...others]) : found;
        },
      }),
    });
    const { everyone, absences } = snapshot;
    return [
      calls.join(", "),
      ...(everyone.read === "incomplete" ? [`the list is incomplete: ${everyone.why}`] : []),
      ...[...absences].map(([name, absence]) => `${name}: ${absence.proven ? absence.by : absence.why}`),
      ...(how.namesakes === undefined ? [] : [`shown: ${snapshot.users.map(({ email }) => brief(email)).join(", ")}`]),
    ].map(brief);
  };

const byAll = (names: readonly string[], absence: Absence) =>
  new Map(names.map((name): [string, Absence] => [addressOf(name), absence]));

describe("no more calls than needed", () => {
  const manyOf = (calls: readonly string[]) => calls.map((call) => call.split(" ").length - 1);

  test("everybody known to be there: the account, and one search for each hundred", async () => {
    const names = people(250);
    const { snapshot, calls } = await read(names, names);
    expect(manyOf(calls)).toEqual([1, 100, 100, 50]);
    expect(snapshot.reads).toBe(4);
    expect(snapshot.users.map(({ address }) => address)).toEqual(names.map(addressOf));
    expect(snapshot.absences).toEqual(new Map());
  });

  test("all new beside somebody: one search for each ninety-nine, the probe in the hundredth place", async () => {
    const { snapshot, calls } = await read(people(200), ["admin"]);
    expect(manyOf(calls)).toEqual([1, 100, 100, 3]);
    expect(calls.slice(1).every((call) => call.endsWith(" admin"))).toBe(true);
    expect([...snapshot.absences.values()].filter(({ proven }) => proven)).toHaveLength(200);
    expect(snapshot.users.map(({ email }) => email)).toEqual(["admin@acme.example"]);
  });

  test("known and new people are searched apart, so that nobody is asked for twice", async () => {
    const [known, fresh] = [people(100), people(99, 1000)];
    const { calls, snapshot } = await read([...fresh, ...known], known);
    expect(manyOf(calls)).toEqual([1, 100, 100]);
    expect(snapshot.absences).toEqual(byAll(fresh, { proven: true, by: "search 2" }));
  });

  test("an empty service: the complete list alone proves that everybody is absent", async () => {
    const names = people(300);
    const { snapshot, calls } = await read(names, []);
    expect(calls).toEqual(["read acc-1", "list-users"]);
    expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
    expect(snapshot.absences).toEqual(byAll(names, { proven: true, by: "list" }));
  });

  test("ten thousand people are read", async () => {
    const names = people(10_000);
    const { snapshot, calls } = await read(names, [], {
      change: () => ({
        readAccount: async () => success({ identifier: "acc-1", by: "account acc-1", members: names.map(addressOf) }),
        searchUsers: async (identifiers, by) =>
          success(identifiers.map((email): ObservedUser => ({ email, address: addressOf(email), keys: [], by }))),
      }),
    });
    expect([calls, snapshot.users.length]).toEqual([[], 10_000]);
  });
});

play("of roles,", reading())`
  there: {ada: {in: {Data}}}
  users: {ada}
none are read where the roster has none
  > read acc-1, search ada
none are read where a team that is known by its identifier has none
  teams: {Data: {identifier: t9, members: [ada]}}
  > read acc-1, search ada
those of an own key need them
  users: {ada: {ownKeyRoles: [DEVELOPER]}}
  > read acc-1, list-roles, search ada
those of a listed key need them
  keys: {k1: {roles: [DEVELOPER]}}
  > read acc-1, list-roles, search ada
those of a team need them
  teams: {Data: {identifier: t9, members: [ada], roles: [R]}}
  > read acc-1, list-roles, search ada
a team that may have to be created needs them
  teams: {Data: {members: [ada]}}
  > read acc-1, list-roles, search ada
`;

play("asked for", reading())`
  there: {admin}
is everybody of the roster, at former addresses too, with owners of keys and whom an open call was about
  users: {Ada: {previously: [lovelace]}, bo}
  keys: {k1: {owner: cy, roles: []}, k-dora: {roles: []}}
  state: {users: {admin, dora: {key: k-dora}}}
  open: {create eve, add fay to Data as t-1, set k-dora to DEVELOPER, set k-nobody to DEVELOPER}
  > read acc-1, list-roles, search dora, search Ada bo lovelace cy eve fay admin, search dora admin, list-users
  > ada: search 2
  > bo: search 2
  > lovelace: search 2
  > cy: search 2
  > dora: confirm 1
  > eve: search 2
  > fay: search 2
is whom the list lacks, where nobody is known and the list shows somebody
  there: {admin: gone, ada, bo}
  users: {ada, cy}
  hides: [account-members]
  > read acc-1, list-users, search cy ada
  > cy: search 1
is a leaver, and whom the last applied roster named, in the same search
  users: {ada: {previously: [old]}}
  leavers: {gus}
  applied: [ada, old, gus, hal]
  state: {users: {admin}}
  > read acc-1, search ada old gus hal admin
  > ada: search 1
  > old: search 1
  > gus: search 1
  > hal: search 1
is who was put into a team, since they may be a member too many by now
  users: {ada}
  teams: {Science: {members: [ada]}}
  state: {users: {admin}, members: {Science/zoe}}
  > read acc-1, list-roles, search ada zoe admin, list-users
  > ada: search 1
  > zoe: search 1
is not who was put into a team that is open to others
  users: {ada}
  teams: {Science: {members: [ada], open: true}}
  state: {users: {admin}, members: {Science/zoe}}
  > read acc-1, list-roles, search ada admin, list-users
  > ada: search 1
is who left an open team of which nobody knows the identifier, since they show it
  users: {ada}
  teams: {Science: {members: [ada], open: true}}
  state: {users: {admin}, members: {Science/zoe: {how: created}}, teams: {Science}}
  > read acc-1, list-roles, search ada zoe admin
  > ada: search 1
  > zoe: search 1
is not who left an open team that is known
  users: {ada}
  teams: {Science: {members: [ada], open: true}}
  state: {users: {admin}, members: {Science/zoe: {how: created}}, teams: {Science: {identifier: t-1}}}
  > read acc-1, list-roles, search ada admin
  > ada: search 1
is whoever holds a declared own key by record, beside whom the roster names
  users: {bo: {key: p, ownKeyRoles: [DEVELOPER]}}
  state: {users: {zoe: {key: p}}}
  > read acc-1, list-roles, search zoe, search bo admin, search zoe admin
  > bo: search 2
  > zoe: confirm 1
is whoever holds a declared team key by record
  users: {bo}
  teams: {Red: {open: true, members: [{user: bo, roles: [DEVELOPER], key: p}]}}
  state: {users: {zoe: {key: p}}}
  > read acc-1, list-roles, search zoe, search bo admin, search zoe admin, list-users
  > bo: search 2
  > zoe: confirm 1
is whoever holds a leaver's key by record
  leavers: {bo: {key: p}}
  state: {users: {zoe: {key: p}}}
  > search zoe, search bo zoe, list-users, search bo zoe admin
  > bo: search 3
  > zoe: search 3
`;

play("somebody of the roster who is not shown", reading())`
  there: {admin, ada.new: {identifier: u-ada}}
  users: {ada}
is looked for in the whole list where the state knows them by identifier
  state: {users: {admin, ada: {identifier: u-ada}}}
  > read acc-1, search ada, search ada admin, list-users
  > ada: confirm 1
is looked for there as well where it does not: a search may pass over them
  state: {users: {admin, ada}}
  > read acc-1, search ada, search ada admin, list-users
  > ada: confirm 1
is looked for in the whole list where a creation of them has an unknown outcome
  there: {ada.new: gone}
  state: {users: {admin}}
  open: {create ada}
  > read acc-1, search ada admin, list-users
  > ada: search 1
is looked for in no list once the search shows their identifier under the new address
  users: {ada.new: {previously: [ada]}}
  state: {users: {admin, ada: {identifier: u-ada}}}
  > read acc-1, search ada ada.new
  > ada: search 1
`;

play("an absence is proven", reading())`
  there: {admin}
  users: {ada}
only where the search found somebody who is there
  finds: []
  > read acc-1, search ada admin, list-users, search ada admin
  > ada: search 2 did not find admin either, but that user exists
by another probe where the first is not found
  there: {admin: gone, gone, bo}
  finds: [bo]
  > read acc-1, search ada gone, search ada bo
  > ada: confirm 1
not by somebody who is remembered and is missing too
  there: {admin: gone, bo}
  users: {bo}
  hides: [account-members]
  state: {users: {ada, bo}}
  > read acc-1, search bo ada, search ada bo, list-users
  > ada: confirm 1
not by an empty list where somebody is remembered
  there: gone
  hides: [account-members]
  state: {users: {bo}}
  > read acc-1, search ada bo, list-users
  > the list is incomplete: it is empty, but bo is known to exist
  > ada: the list of users is incomplete: it is empty, but bo is known to exist
not where the details of an account show the address
  there: {ada}
  finds: [admin]
  > read acc-1, search ada, search ada admin
  > ada: the request "account acc-1" shows this address, but a search does not
where the same question without its probe shows that there was room
  strangers: [joann]
  > read acc-1, search ada admin, search ada
  > ada: confirm 1
at once beside a stranger where another answer held more
  there: {admin: gone, a, b, c}
  users: {a, b, c}
  strangers: [joann]
  > read acc-1, search b c a, search ada a
  > ada: search 2
`;

play("where the list is wanted anyway, an absence is proven", reading({ everyone: "always" }))`
  there: {admin}
  users: {ada}
by the list and a search
  > read acc-1, list-users, search ada admin
  > ada: search 1
not by an empty list where the details of an account show somebody
  there: {admin: gone, bo}
  lists: []
  finds: []
  > read acc-1, list-users, search ada bo
  > the list is incomplete: the request "account acc-1" shows bo, but the list does not
  > ada: the list of users is incomplete: the request "account acc-1" shows bo, but the list does not
not where the list lacks somebody whom the details of an account show
  there: {bo}
  lists: [admin]
  > read acc-1, list-users, search ada admin
  > the list is incomplete: the request "account acc-1" shows bo, but the list does not
  > ada: the list of users is incomplete: the request "account acc-1" shows bo, but the list does not
although the list lacks a deleted user whom the details of an account show
  there: {bo: {status: Deleted}}
  lists: [admin]
  > read acc-1, list-users, search ada admin
  > ada: search 1
not where the list lacks somebody whom a search found
  there: {bo}
  users: {bo}
  lists: [admin]
  > read acc-1, list-users, search bo, search ada admin
  > the list is incomplete: a search found bo, but the list does not have this user
  > ada: the list of users is incomplete: a search found bo, but the list does not have this user
although the list hides a deleted user whom a search found
  there: {bo: {status: deleted}}
  users: {bo}
  > read acc-1, list-users, search ada bo admin, search ada admin
  > ada: confirm 1
once, first and for everybody, of a new team as well
  there: {bo}
  users: {bo}
  teams: {New: {members: [bo]}}
  > read acc-1, list-roles, list-users, search ada admin
  > ada: search 1
`;

test("a user who was created between the list and the search is in a second list", async () => {
  const world = worldWith(["admin"]);
  const change = (service: AccountService): Partial<AccountService> => ({
    async listUsers(signal) {
      const list = await service.listUsers(signal);
      putUser(world, { email: emailOf("bo") });
      return list;
    },
  });
  const { snapshot, calls } = await read(["bo"], world, { everyone: "always", change });
  expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
  expect(calls).toEqual(["read acc-1", "list-users", "search bo admin", "list-users"]);
});

test("a second list that lacks somebody of the first is incomplete, and the first still shows this user", async () => {
  const world = worldWith(["admin", "cy"]);
  let lists = 0;
  const change = (service: AccountService): Partial<AccountService> => ({
    async listUsers(signal) {
      const list = await service.listUsers(signal);
      putUser(world, { email: emailOf("bo") });
      lists += 1;
      if (lists === 1 || !list.ok) return list;
      return success({ ...list.value, users: list.value.users.filter(({ address }) => address !== addressOf("cy")) });
    },
    async readAccount(...asked) {
      const account = await service.readAccount(...asked);
      return account.ok ? success({ ...account.value, members: undefined }) : account;
    },
  });
  const { snapshot } = await read(["bo"], world, { everyone: "always", change });
  const why = "an earlier list found cy@acme.example, but the list does not have this user";
  expect(snapshot.everyone).toEqual({ read: "incomplete", why });
  expect(snapshot.users.map(({ email }) => brief(email))).toEqual(["admin", "bo", "cy"]);
});

play("the complete list", reading())`
  there: {admin, ada: {in: {"Data  science": [TEAM_ROLE]}}}
  users: {ada}
is read for a team that nothing shows
  teams: {New: {members: [ada]}}
  > read acc-1, list-roles, search ada, list-users
is not read for one with an identifier
  teams: {New: {identifier: t-1, members: [ada]}}
  > read acc-1, search ada
is not read for one that a key shows
  teams: {data SCIENCE: {members: [ada]}}
  > read acc-1, list-roles, search ada
is not read for one that a key shows under a former name
  teams: {New: {previously: [Data Science], members: [ada]}}
  > read acc-1, list-roles, search ada
is read first for one that revokes roles of members too many, since only the list shows them
  teams: {Data science: {onRemoval: revoke, members: [ada]}}
  > read acc-1, list-roles, list-users
is not read for one of an account that is not there
  teams: {New: {account: acc-9, members: [ada]}}
  > read acc-1, read acc-9, list-roles, search ada
is read for one that is known in another account alone
  accounts: {acc-2}
  teams: {Data science: {account: acc-2, members: [ada]}}
  > read acc-1, read acc-2, list-roles, search ada, list-users
is not read for one that the state remembers under a former name
  teams: {New: {previously: [OLD], members: [ada]}}
  state: {teams: {Old}}
  > read acc-1, list-roles, search ada
is read for a team whose former name is another team's own
  there: {ada: {in: {B: [TEAM_ROLE]}}}
  teams: {B: {members: [ada]}, A: {previously: [B], members: [ada]}}
  > read acc-1, list-roles, search ada, list-users
`;

play("whoever is there under a near address", reading({ namesakes: "sought" }))`
  there: {root}
  users: {ada.l}
in another domain is read by one more search
  there: {"ada.l@old.example", bo, cy}
  > read acc-1, search ada.l root, search ada.l@old.example
  > ada.l: search 1
  > shown: ada.l@old.example, root
with a letter less
  there: {adal, bo}
  > read acc-1, search ada.l root, search adal
  > ada.l: search 1
  > shown: adal, root
is read with the list, where the account does not show its users
  there: {"ada.l@old.example"}
  hides: [account-members]
  > read acc-1, list-users, search ada.l root
  > ada.l: search 1
  > shown: ada.l@old.example, root
is nobody where nobody is near
  there: {bo, ada}
  > read acc-1, search ada.l root
  > ada.l: search 1
  > shown: root
is of no matter where everybody of the roster is there
  there: {adal, ada.l}
  > read acc-1, search ada.l
  > shown: ada.l
is of no matter where everybody is there and the account shows nobody
  there: {ada.l}
  hides: [account-members]
  > read acc-1, list-users
  > shown: ada.l, root
is not read where the roster calls them somebody else
  there: {adal}
  users: {ada.l: {distinctFrom: [adal]}}
  > read acc-1, search ada.l root
  > ada.l: search 1
  > shown: root
`;

/** A service that searches as the test says, and each search of it. */
function searching(search: (identifiers: readonly string[]) => readonly string[]) {
  const asked: (readonly string[])[] = [];
  const change = (): Partial<AccountService> => ({
    async searchUsers(identifiers, by) {
      asked.push(identifiers.map(brief));
      const found = search(identifiers);
      return success(found.map((email): ObservedUser => ({ email, address: addressOf(email), keys: [], by })));
    },
  });
  return { asked, change };
}

describe("an absence is proven", () => {
  test("by a second question where the answer held others: a bound on its size hides nobody", async () => {
    const [names, fresh] = [people(150), people(20, 1000)];
    const present = new Set(names.map(emailOf));
    const { change } = searching((identifiers) => identifiers.filter((one) => present.has(one)).slice(0, 10));
    const { snapshot } = await read([...names, ...fresh], ["admin", ...names], {
      change,
      hides: ["account-members"],
      state: remembering({ users: { p00000: {} } }),
    });
    const found = new Set(snapshot.users.map(({ address }) => address));
    expect(names.filter((name) => !found.has(addressOf(name)))).toEqual([]);
    expect([...snapshot.absences.keys()]).toEqual(fresh.map(addressOf));
    expect([...snapshot.absences.values()].every(({ proven }) => proven)).toBe(true);
  });

  test("not where the list was read and is incomplete", async () => {
    const complete = { yes: false, why: "every page showed the same 0" } as const;
    const change = () => ({ listUsers: async () => success({ users: [], complete }) });
    const { snapshot } = await read(["ada"], ["admin"], { change, everyone: "always" });
    expect(snapshot.everyone).toEqual({ read: "incomplete", why: "every page showed the same 0" });
    expect(snapshot.absences).toEqual(
      byAll(["ada"], { proven: false, why: "the list of users is incomplete: every page showed the same 0" }),
    );
  });

  test.each(["identifier", "externalIdentifier"] as const)(
    "not where the address is the %s of somebody else",
    async (field) => {
      const change = (service: AccountService): Partial<AccountService> => ({
        async searchUsers(asked, by, signal) {
          const found = await service.searchUsers(asked, by, signal);
          const other = { email: "ann.lee@acme.example", address: addressOf("ann.lee"), [field]: "Ann@acme.example" };
          return found.ok ? success([...found.value, { ...other, keys: [], by }]) : found;
        },
      });
      const { snapshot } = await read(["ann", "bea"], ["admin"], { change });
      expect(snapshot.absences.get(addressOf("ann"))).toEqual({
        proven: false,
        why: expect.stringMatching(/^search \d shows ann.lee@acme.example with this address as the identifier$/u),
      });
      expect(snapshot.absences.get(addressOf("bea"))?.proven).toBe(true);
    },
  );

  test("not where strangers fill whatever an answer holds", async () => {
    const { asked, change } = searching((identifiers) =>
      [...identifiers.filter((one) => one.startsWith("admin")), "joann@x", "leann@x", emailOf("ann")].slice(0, 2),
    );
    const { snapshot } = await read(["ann", "bea"], ["admin", "ann"], {
      change,
      hides: ["account-members"],
      state: remembering({ users: { admin: {} } }),
    });
    expect(asked[0]).toEqual(["ann", "bea", "admin"]);
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
    const before: SimulationOptions["before"] = (call) => {
      if (call.route !== "search-users") return undefined;
      sizes.push(call.identifiers.length);
      const isRefused = call.identifiers.length > most || call.identifiers.some(refuses);
      return isRefused ? { failure: aFailure("refused", "no") } : undefined;
    };
    return { sizes, before };
  };

  test("for the number of people is made in smaller ones", async () => {
    const names = people(40);
    const { sizes, before } = refusing(10);
    const { snapshot } = await read([...names, "new"], names, { before });
    expect(snapshot.users.length).toBe(40);
    expect(snapshot.absences).toEqual(byAll(["new"], { proven: true, by: "search 2" }));
    expect(sizes.filter((size) => size > 10)).toEqual([40, 20, 21, 11, 11, 11]);
  });

  test("for one person alone leaves that one unproven", async () => {
    const { before } = refusing(100, (identifier) => identifier.startsWith("odd"));
    const { snapshot } = await read(["ada", "odd", "bea"], ["admin"], { before });
    const why = "the service refuses to search for it: no";
    expect(snapshot.absences.get(addressOf("odd"))).toEqual({ proven: false, why });
    expect(["ada", "bea"].map((name) => snapshot.absences.get(addressOf(name))?.proven)).toEqual([true, true]);
  });

  test("whoever is asked for is a failure, after two of them", async () => {
    const { sizes, before } = refusing(0);
    const { result } = await tryToRead(people(90), ["admin"], { before });
    expect([result, sizes.length]).toEqual([problem(aFailure("refused", "no")), 2]);
  });
});

test.each([
  ["first where it spares more searches than it costs pages", 300, 0, "list"],
  ["after the searches where they are few", 200, 0, "search search list"],
  ["after the searches where it is long", 300, 400, "search search search list"],
])("a list that a new team needs is read %s", async (_name, known, others, reads) => {
  const names = people(known);
  const roster = aRoster({
    users: names.map((name) => aUser(name)),
    teams: [aTeam("New", { members: ["p00000"] })],
  });
  const { calls, snapshot } = await read(roster, [...names, ...people(others, 1000)]);
  expect(calls.slice(2).map((call) => /^[a-z]+/u.exec(call)?.[0])).toEqual(reads.split(" "));
  expect(snapshot.everyone).toEqual({ read: "complete", by: "list" });
  expect(snapshot.users.length).toBe(known + others);
});

test("those whom the list shows without their keys are searched all the same", async () => {
  const change = (service: AccountService): Partial<AccountService> => ({
    async listUsers() {
      const list = await service.listUsers();
      return list.ok ? success({ ...list.value, users: list.value.users.map(({ keys: _, ...user }) => user) }) : list;
    },
  });
  const { reads } = partsOf("there: {admin, ada: {in: {Data: [TEAM_ROLE]}}}");
  const { snapshot, calls } = await read(["ada"], reads.world, { change, everyone: "always" });
  expect(calls).toEqual(["read acc-1", "list-users", "search ada"]);
  expect(snapshot.users.find(({ email }) => email.startsWith("ada"))?.keys?.length).toBe(2);
  expect(snapshot.capabilities).toMatchObject({ keysOnUsers: "shown", rolesOnKeys: "shown", teamsOnKeys: "hidden" });
});

describe("the account of people whom the service shows without one", () => {
  /** Ada and Bo are in acc-1, Cy is in acc-2; the roster has them all in acc-1. The details of an account are otherwise by `details`. */
  async function accountsOf(names: readonly string[], others: "shown" | "hidden" = "shown", details: object = {}) {
    const { reads } = partsOf("{accounts: {acc-2}, there: {ada, bo, cy: {account: acc-2}}}");
    const { snapshot, calls } = await read(names, reads.world, {
      hides: ["user-accounts"],
      change: (service) => ({
        async readAccount(...asked) {
          const read = await service.readAccount(...asked);
          return read.ok ? success({ ...read.value, ...details }) : read;
        },
        ...(others === "hidden" ? { listAccounts: async () => problem(aFailure("forbidden")) } : {}),
      }),
    });
    const accounts = snapshot.users.map(({ account }) => account);
    return { accounts, calls: calls.filter((call) => !call.startsWith("search")) };
  }
  const all = ["ada", "bo", "cy"];

  test("is found in the other accounts where their own lacks them, and looked for there nowhere else", async () => {
    const { accounts, calls } = await accountsOf(all);
    expect(accounts).toEqual(["acc-1", "acc-1", "acc-2"]);
    expect(calls).toEqual(["read acc-1", "list-accounts", "read acc-2"]);
    expect((await accountsOf(["ada", "bo"])).calls).toEqual(["read acc-1"]);
  });

  test("is another one where the other accounts may not be seen", async () => {
    expect((await accountsOf(all, "hidden")).accounts).toEqual(["acc-1", "acc-1", "(another one)"]);
  });

  test("is not known where the details show fewer than there are", async () => {
    const { accounts, calls } = await accountsOf(all, "shown", { membersCut: true });
    expect([accounts, calls]).toEqual([["acc-1", "acc-1", undefined], ["read acc-1"]]);
  });

  test("is not known where the details lack as many as they show, and nobody else shows them", async () => {
    const { accounts } = await accountsOf(all, "hidden", { members: [addressOf("ada")] });
    expect(accounts).toEqual(["acc-1", undefined, undefined]);
  });
});

describe("a read that fails fails the whole", () => {
  const failing = (route: string, failure: Failure): Setting => ({
    before: (call) => (call.route === route ? { failure } : undefined),
  });
  const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("New", { members: ["ada"] })] });

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
    const { result } = await tryToRead(roster, ["admin"], failing(route, failure));
    expect(result).toEqual(problem(failure));
  });

  test("except an account that is not there, which then is not in the snapshot", async () => {
    const { snapshot } = await read(aRoster({ users: [aUser("ada"), aUser("bo", { account: "acc-9" })] }), ["ada"]);
    expect([...snapshot.accounts.keys()]).toEqual(["acc-1"]);
  });

  test("and what still waits is not sent", async () => {
    const { before } = failing("search-users", aFailure("forbidden"));
    const { calls } = await tryToRead(people(1000), ["admin"], { ...(before && { before }), parallelism: 2 });
    expect(calls.filter((call) => call.startsWith("search")).length).toBeLessThanOrEqual(2);
  });

  test("a run that was stopped reads nothing", async () => {
    const { result, calls } = await tryToRead(roster, [], { signal: AbortSignal.abort() });
    expect([result.ok ? "" : result.error.code, calls]).toEqual(["aborted", []]);
  });
});

const at = (seconds: number) => new Date(Date.parse(noon) + seconds * 1000).toISOString();

describe("open calls are given time to show", () => {
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
  const created = (createdAt: string) => remembering({ users: { admin: {}, ada: { createdAt } } });
  const member = (how: "added" | "created" | "seen", time: string) =>
    remembering({
      users: { admin: {} },
      teams: { Science: { identifier: "t-1" } },
      members: { "Science/ada": { how, at: time } },
    });

  /** Reads for Ada, whom a service shows only after two seconds, or by then without her key of Science. */
  async function readAda(state: State, shownAtFirst: "nothing" | "without the team" | "all") {
    const clock = clockAt(noon);
    const { reads, roster } = partsOf(
      "{shown: {Science: {identifier: t-1}}, there: {admin, ada: {in: {Science: [TEAM_ROLE]}}}, users: {ada}}",
      shownAtFirst === "without the team" ? "teams: {Science: {members: [ada]}}" : "",
    );
    const { snapshot } = await read(roster ?? [], reads.world, {
      state,
      clock,
      hides: ["account-members"],
      change: (service) => ({
        async searchUsers(...asked) {
          const found = await service.searchUsers(...asked);
          if (!found.ok || shownAtFirst === "all" || clock.now() >= Date.parse(noon) + 2000) return found;
          const users = found.value.map(({ keys = [], ...user }) => ({
            ...user,
            keys: keys.filter(({ team }) => team === "none"),
          }));
          const isShown = shownAtFirst === "without the team";
          return success(users.filter(({ address }) => isShown || address !== addressOf("ada")));
        },
      }),
    });
    const ada = snapshot.users.find(({ address }) => address === addressOf("ada"));
    return { waits: clock.waits, keys: ada?.keys?.length ?? 0 };
  }

  test.each([
    ["somebody created", created(at(-1)), "nothing", [4000], 2],
    ["somebody added", member("added", at(-1)), "without the team", [4000], 2],
    ["a first member", member("created", at(-3)), "without the team", [2000], 2],
    ["nobody who was only met", member("seen", at(-1)), "without the team", [], 1],
    ["nobody created long ago", created(at(-60)), "nothing", [], 0],
    ["somebody created by a clock ahead, for no longer than that", created(at(3600)), "nothing", [5000], 2],
    ["nobody who shows at once", created(at(-1)), "all", [], 2],
  ] as const)("%s", async (_name, state, shownAtFirst, waits, keys) => {
    expect(await readAda(state, shownAtFirst)).toEqual({ waits, keys });
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
