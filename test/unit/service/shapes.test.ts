import { afterEach, describe, expect, test } from "vitest";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { ApiKey } from "../../../src/service/api-key.ts";
import { httpAccountService } from "../../../src/service/client.ts";
import { pointedAt, pointerProblem, type Shapes } from "../../../src/service/shapes.ts";
import { clockAt, countingRandomness } from "../../support/fixed-ports.ts";
import { type Scripted, scriptedServer } from "../../support/scripted-server.ts";

test.each([
  ["", { a: 1 }, { a: 1 }],
  ["/a", { a: 1 }, 1],
  ["/a/b/0", { a: { b: [7] } }, 7],
  ["/a~1b/~0", { "a/b": { "~": 7 } }, 7],
  ["/a~01", { "a~1": 7 }, 7],
  ["/a/", { a: { "": 7 } }, 7],
  ["/b", { a: 1 }, undefined],
  ["/a/b", { a: null }, undefined],
  ["/length", [1], undefined],
  ["/__proto__/x", JSON.parse('{"__proto__":{"x":7}}'), 7],
  ["/constructor/name", {}, undefined],
])("%s leads in %j to %j", (pointer, value, expected) => {
  expect(pointedAt(value, pointer)).toEqual(expected);
});

test.each([
  ["payload/rows", "`payload/rows` is not a JSON Pointer. It must start with a slash, like /payload/rows"],
  ["/a~2", "`/a~2` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1"],
  ["/a~", "`/a~` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1"],
  ["/a~0/b~1", undefined],
  ["", undefined],
])("%s is judged", (text, problem) => {
  expect(pointerProblem(text)).toBe(problem);
});

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

async function service(answer: Scripted, shapes: Shapes): Promise<AccountService> {
  const server = await scriptedServer([answer]);
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const ports = { clock, randomness: countingRandomness(), parallelism: 1 };
  const made = httpAccountService({ endpoint: server.endpoint, key: new ApiKey("pre1.s3cret"), shapes, ...ports });
  cleanUp.push(
    () => server.close(),
    () => made.close(),
  );
  return made;
}

const row = {
  uid: 7,
  mail: "Ada@ex.example",
  name: { given: "Ada" },
  state: "Active",
  creds: [{ pfx: "k1.secretpart", group: { gid: "t-1", title: "Data" }, perms: ["A"] }],
};
const shapes: Shapes = {
  users: {
    list: "/payload/rows",
    total: "/payload/count",
    identifier: "/uid",
    email: "/mail",
    status: "/state",
    keys: "/creds",
    firstName: "/name/given",
  },
  key: { prefix: "/pfx", team: "/group", roles: "/perms" },
  team: { identifier: "/gid", name: "/title" },
};
const ada = {
  identifier: "7",
  email: "Ada@ex.example",
  address: "ada@ex.example",
  firstName: "Ada",
  status: "Active",
  keys: [{ prefix: "k1", team: { identifier: "t-1", name: "Data" }, roles: ["A"] }],
};
const payload = { json: { payload: { rows: [row], count: 1 } } };

describe("answers of a shape that the settings map", () => {
  test("a list of users, their keys and their teams", async () => {
    const made = await service(payload, shapes);
    expect(await made.listUsers()).toEqual({
      ok: true,
      value: { users: [{ ...ada, by: "list" }], complete: { yes: true } },
    });
    expect(made.totals).toBe("shown");
  });

  test.each<[string, object, unknown]>([
    ["a team", { groupId: "t-1", groupName: "Data" }, { identifier: "t-1", name: "Data" }],
    ["a team without a name", { groupId: "t-1", groupName: null }, { identifier: "t-1" }],
    ["no team, whatever else the key is called", { id: "k-9", name: "Key 9", groupId: null, groupName: null }, "none"],
    ["nothing of a team", { id: "k-9", name: "Key 9" }, undefined],
  ])("a team whose fields stand on the key itself: %s", async (_, fields, team) => {
    const json = [{ identifier: "u-1", email: "ada@ex.example", accessKeys: [{ prefix: "k1", ...fields }] }];
    const flat = { key: { team: "" }, team: { identifier: "/groupId", name: "/groupName" } };
    const list = await (await service({ json }, flat)).listUsers();
    expect(list.ok && list.value.users[0]?.keys).toEqual([{ prefix: "k1", ...(team === undefined ? {} : { team }) }]);
  });

  test("a search, by the same places", async () => {
    const made = await service(payload, shapes);
    expect(await made.searchUsers(["ada@ex.example"], "search 1")).toEqual({
      ok: true,
      value: [{ ...ada, by: "search 1" }],
    });
  });

  test("a search, by its own place of the list", async () => {
    const made = await service({ json: { hits: [row] } }, { ...shapes, search: { list: "/hits" } });
    expect(await made.searchUsers(["ada@ex.example"], "search 1")).toEqual({
      ok: true,
      value: [{ ...ada, by: "search 1" }],
    });
  });

  test("account details", async () => {
    const body = { title: "Acme", people: [{ mail: "ada@ex.example" }], identifier: "acc-1" };
    const made = await service(
      { json: body },
      { account: { name: "/title", users: "/people" }, users: { email: "/mail" } },
    );
    expect(await made.readAccount("acc-1")).toEqual({
      ok: true,
      value: { identifier: "acc-1", name: "Acme", members: ["ada@ex.example"], by: "account acc-1" },
    });
  });

  test("accounts and roles", async () => {
    const answer: Scripted = { json: { payload: [{ code: "A", kind: "user" }] } };
    const places = { list: "/payload", identifier: "/code" };
    const made = await service(answer, { accounts: places, roles: { ...places, type: "/kind" } });
    expect(await made.listRoles()).toEqual({ ok: true, value: [{ identifier: "A", type: "user" }] });
    expect(await made.listAccounts()).toMatchObject({ ok: true, value: [{ identifier: "A" }] });
  });

  test.each([
    [
      "its prefix",
      {
        createdUser: { identifier: "/person/uid", prefix: "/credential/pfx", team: "/group" },
        team: { identifier: "/gid" },
      },
    ],
    [
      "its keys",
      {
        createdUser: { identifier: "/person/uid", keys: "/credentials", team: "/group" },
        key: { prefix: "/pfx" },
        team: { identifier: "/gid" },
      },
    ],
  ] satisfies [string, Shapes][])("a created user, by %s", async (_name, mapped) => {
    const json = {
      person: { uid: "u-1" },
      credential: { pfx: "k1.secretpart" },
      credentials: [{ pfx: "k1.secretpart" }],
      group: { gid: 3 },
    };
    const made = await service({ status: 201, json }, mapped);
    const user = { email: "ada@ex.example", firstName: "Ada", lastName: "L" };
    expect(await made.createUser("acc-1", user, { name: "Data", accessKeyRoles: ["A"] })).toEqual({
      outcome: "done",
      value: {
        identifier: "u-1",
        key: { prefix: "k1" },
        shownKeys: [{ prefix: "k1" }],
        team: { identifier: "3" },
        profile: {},
      },
    });
  });

  test("added members and replaced roles", async () => {
    const json = { payload: [{ who: "u-1", cred: { pfx: "k1" } }] };
    const mapped: Shapes = {
      addedMembers: { list: "/payload", identifier: "/who", key: "/cred" },
      key: { prefix: "/pfx" },
    };
    expect(await (await service({ json }, mapped)).addMembers("t-1", ["u-1"])).toEqual({
      outcome: "done",
      value: { members: [{ identifier: "u-1", keys: { are: "named", shown: [{ prefix: "k1" }] } }] },
    });
    const made = await service({ json: { payload: ["A"] } }, { replacedRoles: { list: "/payload" } });
    expect(await made.replaceRoles("k1", ["A"])).toEqual({ outcome: "done", value: { roles: ["A"] } });
  });

  test("a place where there is no list is an error that says so", async () => {
    const made = await service({ json: { payload: {} } }, shapes);
    expect(await made.listUsers()).toMatchObject({
      ok: false,
      error: {
        code: "misunderstood",
        message: expect.stringContaining("the settings name its list at /payload/rows, but there is nothing"),
      },
    });
  });

  test("without a mapping, the error names `service.shapes`", async () => {
    const made = await service(payload, {});
    expect(await made.listUsers()).toMatchObject({
      ok: false,
      error: { hint: expect.stringContaining("`service.shapes`") },
    });
  });
});
