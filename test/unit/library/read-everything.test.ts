import { expect, test } from "vitest";
import { readEverything } from "../../../src/library/read-everything.ts";
import type { FailureCode } from "../../../src/model/failure.ts";
import { problem, success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/service/port.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf, aRoster, aUser, emailOf } from "../../support/roster-builders.ts";
import { errorOf, settled } from "../../support/settled.ts";
import { simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

const noon = "2026-11-20T12:00:00.000Z";
const ports = { clock: clockAt(noon), progress: () => undefined, parallelism: 2 };

function world() {
  const made = aWorld({ accounts: ["acc-1", "acc-2"] });
  putUser(made, { email: emailOf("ada") });
  return made;
}

/** The same service, of which some calls answer otherwise. */
function changed(parts: Partial<AccountService>): AccountService {
  return Object.assign(Object.create(simulatedService({ world: world() })), parts);
}

const nobody = { roster: aRoster({}), state: emptyState(""), accounts: [] };

test("everybody is read, and whoever the roster and the state know and is not there is searched for", async () => {
  const cy = { address: addressOf("cy"), email: emailOf("cy"), account: "acc-1" };
  const state = { ...emptyState(""), users: new Map([[cy.address, cy]]) };
  const roster = aRoster({ users: [aUser("bo")] });
  const { snapshot, accounts } = await readEverything(
    { roster, state, accounts: [] },
    { ...ports, service: changed({}) },
  );
  expect({
    accounts: [accounts, [...snapshot.accounts.keys()]],
    users: snapshot.users.map(({ address }) => address),
    absences: [...snapshot.absences].map(([address, { proven }]) => [address, proven]),
    everyone: snapshot.everyone.read,
    roles: snapshot.roles.known,
    readAt: snapshot.readAt,
  }).toEqual({
    accounts: ["all", ["acc-1", "acc-2"]],
    users: [addressOf("ada")],
    absences: [
      [addressOf("bo"), true],
      [addressOf("cy"), true],
    ],
    everyone: "complete",
    roles: "observed",
    readAt: noon,
  });
});

test("the roles are read where nobody is there yet", async () => {
  const empty = simulatedService({ world: aWorld({ accounts: ["acc-1"] }) });
  const { snapshot } = await readEverything(nobody, { ...ports, service: empty });
  expect(snapshot.roles.known).toBe("observed");
});

const failing = (code: FailureCode) => async () => problem({ code, message: "no" });

test.each([
  ["a key that may not list accounts reads those that are named", "forbidden", ["acc-2"], "named"],
  ["a service without a list of accounts has those that are named", "not-found", ["acc-1"], "named"],
  ["nobody names any", "forbidden", [], "forbidden"],
  ["the key is refused", "unauthorized", ["acc-1"], "unauthorized"],
  ["the list cannot be had", "unreachable", ["acc-1"], "unreachable"],
] as const)("%s", async (_, code, accounts, comes) => {
  const service = changed({ listAccounts: failing(code) });
  const read = await settled(() => readEverything({ ...nobody, accounts }, { ...ports, service }));
  expect(read.ok ? read.value.accounts : read.error.code).toBe(comes);
  if (read.ok) expect([...read.value.snapshot.accounts.keys()]).toEqual(accounts);
});

test.each<[FailureCode, boolean]>([
  ["forbidden", true],
  ["not-found", true],
  ["unauthorized", false],
  ["aborted", false],
  ["unreachable", false],
])("where the accounts cannot be listed (%s), that they can be named is said only if it helps", async (code, said) => {
  const service = changed({ listAccounts: failing(code) });
  const { hint } = await errorOf(() => readEverything(nobody, { ...ports, service }));
  expect(hint !== undefined).toBe(said);
});

test("nothing is kept of a list that is not complete, or that lacks somebody whom a search shows", async () => {
  const cut = changed({ listUsers: async () => success({ users: [], complete: { yes: false, why: "it was cut" } }) });
  const lacking = changed({ listUsers: async () => success({ users: [], complete: { yes: true } }) });
  const roster = aRoster({ users: [aUser("ada")] });
  const reads = [
    await errorOf(() => readEverything(nobody, { ...ports, service: cut })),
    await errorOf(() => readEverything({ ...nobody, roster }, { ...ports, service: lacking })),
  ];
  expect(reads.map(({ message }) => message)).toEqual([
    "The list of users is incomplete: it was cut",
    `The list of users is incomplete: a search found ${emailOf("ada")}, but the list does not have this user`,
  ]);
});
