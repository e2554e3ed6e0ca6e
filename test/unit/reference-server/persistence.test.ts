import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { emptyDirectory } from "../../support/command.ts";
import { runningServer } from "./running-server.ts";

const ada = { email: "Ada@acme.example", firstName: "Ada", lastName: "L", title: "Countess", source: "test" };
/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  other.close();
  await once(other, "close");
  return port;
}

const users = "/api/accounting/accounts/acc-1/users";

test("everything survives a restart: people, teams, keys, roles, mails, the administrator's key and what comes next", async () => {
  const state = join(emptyDirectory(), "service.json");
  const first = await runningServer({ state, seed: { accounts: [{ identifier: "acc-1", name: "Acme" }] } });
  const created = await first.call("POST", users, { ...ada, team: { name: "Sea", accessKeyRoles: ["DEVELOPER"] } });
  await first.call("POST", users, { ...ada, email: "bo@acme.example" });
  await first.call("POST", "/api/accounting/teams/t-1/members", [{ identifier: "bo@acme.example" }]);
  const { prefix } = (created.body as { accessKeys: { prefix: string }[] }).accessKeys[0] ?? { prefix: "" };
  await first.call("PUT", `/api/accounting/access-keys/${prefix}/roles`, [{ identifier: "AUDITOR" }]);
  first.world.setUserStatus("bo@acme.example", "Inactive");
  first.world.removeUser(first.world.addUser({ ...ada, email: "gone@acme.example" }));
  const before = { users: first.world.users, teams: first.world.teams, mails: [...first.outbox], key: first.key };
  await first.close();

  const second = await runningServer({ state, seed: { users: [ada, { ...ada, email: "not@used.example" }] } });
  expect({ users: second.world.users, teams: second.world.teams, mails: second.outbox, key: second.key }).toEqual(
    before,
  );
  const listed = await second.call("GET", "/api/accounting/users");
  expect(listed.body).toEqual(before.users);
  const next = await second.call("POST", users, { ...ada, email: "cy@acme.example", team: {} });
  expect(next.body).toMatchObject({ identifier: "u-5", team: { identifier: "t-2" } });
  const prefixes = second.world.users.flatMap((user) => user.accessKeys.map((key) => key.prefix));
  expect(new Set(prefixes).size).toBe(5);
});

test("the file is written soon after a change, whole, and for its owner alone", async () => {
  const state = join(emptyDirectory(), "service.json");
  const server = await runningServer({ state });
  expect(statSync(state).mode & 0o777).toBe(0o600);
  await server.call("POST", users, ada);
  while (!readFileSync(state, "utf8").includes(ada.email)) await pause(20);
  const { format, version, users: rows } = JSON.parse(readFileSync(state, "utf8"));
  expect([format, version, rows.at(-1)]).toEqual([
    "roster-reference-server",
    1,
    { identifier: "u-2", account: "acc-1", createdAt: Date.UTC(2026, 10, 20), ...ada },
  ]);
});

test("a thousand users and more are kept, in pieces", async () => {
  const state = join(emptyDirectory(), "service.json");
  const seed = {
    users: Array.from({ length: 2001 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
  };
  const first = await runningServer({ state, seed });
  const before = first.world.users;
  await first.close();
  const second = await runningServer({ state });
  expect(second.world.users).toEqual(before);
});

test.each([
  ["no JSON", "{", "it is not JSON"],
  ["something else", "[]", "it is not the state of a reference server"],
  ["another version", '{"format":"roster-reference-server","version":2}', "it is of another version"],
  ["a part of it", '{"format":"roster-reference-server","version":1,"accounts":[]}', "its list of roles is missing"],
  [
    "a key without its owner",
    JSON.stringify({
      format: "roster-reference-server",
      version: 1,
      administrator: "p",
      counters: { users: 0, teams: 0 },
      accounts: [],
      roles: [],
      users: [],
      teams: [],
      keys: [{ prefix: "p", secret: "s", kind: "user", owner: "u-1", roles: [] }],
      mails: [],
    }),
    "it names the user u-1, which is not in it",
  ],
])("a file that holds %s is refused and left as it is", async (_, text, message) => {
  const state = join(emptyDirectory(), "service.json");
  writeFileSync(state, text);
  await expect(startReferenceServer({ port: 0, state })).rejects.toThrow(message);
  expect(readFileSync(state, "utf8")).toBe(text);
});

test("a file that can be read and not written is said so at the start, and the port is free again", async () => {
  const state = join(emptyDirectory(), "service.json");
  await (await startReferenceServer({ port: 0, state })).close();
  const before = readFileSync(state, "utf8");
  mkdirSync(`${state}.${process.pid}.new`);
  const port = await freePort();
  await expect(startReferenceServer({ port, state })).rejects.toMatchObject({ code: "ERR_FS_EISDIR" });
  expect(readFileSync(state, "utf8")).toBe(before);
  rmdirSync(`${state}.${process.pid}.new`);
  await (await startReferenceServer({ port, state })).close();
});

test("a server whose port is taken writes nothing", async () => {
  const state = join(emptyDirectory(), "service.json");
  const first = await runningServer();
  const { port } = new URL(first.endpoint);
  await expect(startReferenceServer({ port: Number(port), state })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(existsSync(state)).toBe(false);
});

test("a file that cannot be written any more is told once, then tried again until it can", async () => {
  const directory = join(emptyDirectory(), "kept");
  mkdirSync(directory);
  const state = join(directory, "service.json");
  const heard: string[] = [];
  const server = await runningServer({
    state,
    onStateWriting: (event) =>
      heard.push(event.is === "works" ? "works" : `failed ${(event.error as NodeJS.ErrnoException).code}`),
  });
  rmSync(directory, { recursive: true });
  await server.call("POST", users, ada);
  while (heard.length < 1) await pause(10);
  await pause(700);
  expect((await server.call("GET", "/api/accounting/users")).body).toHaveLength(2);
  expect(heard).toEqual(["failed ENOENT"]);
  mkdirSync(directory);
  while (heard.length < 2) await pause(10);
  expect(heard).toEqual(["failed ENOENT", "works"]);
  expect(readFileSync(state, "utf8")).toContain(ada.email);
});

test("what cannot be written at the end is an error, and nothing is tried after it", async () => {
  const directory = join(emptyDirectory(), "kept");
  mkdirSync(directory);
  const heard: string[] = [];
  const server = await startReferenceServer({
    port: 0,
    state: join(directory, "service.json"),
    onStateWriting: ({ is }) => heard.push(is),
  });
  rmSync(directory, { recursive: true });
  await fetch(`${server.endpoint}${users}`, {
    method: "POST",
    headers: { authorization: `ApiKey ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify(ada),
  });
  await expect(server.close()).rejects.toMatchObject({ code: "ENOENT" });
  // A machine that was busy for long has tried once before that.
  const before = [...heard];
  await pause(600);
  expect(heard).toEqual(before);
});

test("a file that cannot be written is said so at the start", async () => {
  const state = join(emptyDirectory(), "missing", "service.json");
  await expect(startReferenceServer({ port: 0, state })).rejects.toMatchObject({ code: "ENOENT" });
  expect(existsSync(state)).toBe(false);
});
