import { describe, expect, test } from "vitest";
import { problem, success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import { proveGone, withListedAbsences } from "../../../src/observe/absence.ts";
import type { AccountService, UserList } from "../../../src/ports/account-service.ts";
import { addressOf, aRoster, aUser, emailOf } from "../../support/roster-builders.ts";
import { aFailure, simulatedService } from "../../support/simulated-service.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

const roster = aRoster({ users: ["ada", "bo", "cy", "dara"].map((name) => aUser(name)) });

function scene() {
  const world = aWorld({ accounts: ["acc-1"] });
  putUser(world, { email: "ada@acme.example" });
  const snapshot = snapshotOf(world, { roster: aRoster({}) });
  const doubt = { proven: false, why: "the service refuses to search for it" } as const;
  const account = { identifier: "acc-1", members: [addressOf("ada"), addressOf("cy")], by: "account acc-1" };
  return { ...snapshot, accounts: new Map([["acc-1", account]]), absences: new Map([[addressOf("dara"), doubt]]) };
}

test("whom the complete list lacks is absent, unless another read shows the address or a search has left a doubt", () => {
  const { snapshot, unsearched } = withListedAbsences(scene(), roster, emptyState(""));
  expect([...snapshot.absences]).toEqual([
    [addressOf("dara"), { proven: false, why: "the service refuses to search for it" }],
    [addressOf("bo"), { proven: true, by: "list" }],
    [
      addressOf("cy"),
      { proven: false, why: 'the read "account acc-1" shows this address, but the list of users does not' },
    ],
  ]);
  expect([...unsearched]).toEqual([addressOf("bo")]);
});

test("nobody is absent of a list that is not complete", () => {
  const cut = { ...scene(), everyone: { read: "incomplete", why: "it was cut" } as const };
  const { snapshot, unsearched } = withListedAbsences(cut, roster, emptyState(""));
  expect([...snapshot.absences.values()].map(({ proven }) => proven)).toEqual([false, false, false]);
  expect(unsearched.size).toBe(0);
});

const ada = { address: addressOf("ada"), email: emailOf("ada") };
const account = (...members: readonly string[]) => ({
  identifier: "acc-1",
  members: members.map(addressOf),
  by: "account acc-1",
});

function serviceOf(...names: readonly string[]) {
  const world = aWorld();
  for (const name of names.filter((one) => one !== "deleted ada")) putUser(world, { email: emailOf(name) });
  if (names.includes("deleted ada")) putUser(world, { email: ada.email, status: "deleted" });
  return simulatedService({ world });
}

/** The same service with another list of users. */
async function listing(service: AccountService, change: (list: UserList) => UserList): Promise<AccountService> {
  const list = await service.listUsers();
  if (!list.ok) throw new Error(list.error.message);
  return { ...service, requests: service.requests, listUsers: async () => success(change(list.value)) };
}

async function proof(
  service: AccountService,
  { person = ada, ...more }: Partial<Parameters<typeof proveGone>[1]> & { readonly person?: typeof ada } = {},
) {
  const read = await proveGone([person], { service, parallelism: 2, ...more });
  return read.ok ? read.value.get(person.address) : read.error.code;
}

describe("a person is gone", () => {
  test("where the complete list lacks them, and a search does not find them", async () => {
    expect(await proof(serviceOf("bo"))).toEqual({ is: "gone" });
  });

  test("not where they are shown, under another address too", async () => {
    const service = serviceOf("ada", "bo");
    expect(await proof(service)).toMatchObject({ is: "shown", user: { email: emailOf("ada") } });
    const list = await service.listUsers();
    const identifier = list.ok
      ? list.value.users.find(({ address }) => address === ada.address)?.identifier
      : undefined;
    expect(identifier).toEqual(expect.any(String));
    const person = { address: addressOf("cy"), email: emailOf("cy"), identifier };
    expect(await proof(service, { person })).toMatchObject({ is: "shown", user: { email: emailOf("ada") } });
  });

  test("not where the list is incomplete, or lacks somebody whom another read shows", async () => {
    const cut = await listing(serviceOf("bo"), (list) => ({ ...list, complete: { yes: false, why: "it was cut" } }));
    expect(await proof(cut)).toEqual({ is: "unproven", why: "the list of users is incomplete: it was cut" });
    const deleted = await listing(serviceOf("bo", "deleted ada"), (list) => list);
    expect(await proof(deleted)).toEqual({ is: "gone" });
    const both = await listing(deleted, (list) => ({ ...list, complete: { yes: false, why: "it was cut" } }));
    expect(await proof(both)).toEqual({ is: "unproven", why: "the list of users is incomplete: it was cut" });
    expect(await proof(serviceOf("bo"), { accounts: [account("bo", "cy")] })).toMatchObject({ is: "unproven" });
    expect(await proof(serviceOf("bo"), { accounts: [account("bo", "ada")] })).toMatchObject({ is: "unproven" });
    expect(await proof(serviceOf("bo"), { accounts: [account("bo")] })).toEqual({ is: "gone" });
  });

  test("not where the list is empty, and this run has seen somebody", async () => {
    const bo = { address: addressOf("bo"), email: emailOf("bo") };
    expect(await proof(serviceOf(), { known: bo })).toMatchObject({ is: "unproven" });
  });

  test("not where the search finds nobody, even somebody who is known", async () => {
    const service = serviceOf("bo");
    const blind = { ...service, requests: service.requests, searchUsers: async () => success([]) };
    expect(await proof(blind)).toMatchObject({ is: "unproven" });
  });

  test("not where a read fails", async () => {
    const service = serviceOf("bo");
    const refused = async () => problem(aFailure("refused"));
    for (const failing of [{ listUsers: refused }, { searchUsers: refused }]) {
      expect(await proof({ ...service, requests: service.requests, ...failing })).not.toEqual({ is: "gone" });
    }
    expect(await proof({ ...service, requests: service.requests, listUsers: refused })).toBe("refused");
  });
});
