import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { emptyDirectory } from "../../support/command.ts";
import { freePort } from "../../support/loopback.ts";
import { runningServer } from "./running-server.ts";

const ada = { email: "Ada@acme.example", firstName: "Ada", lastName: "L", title: "Countess", source: "test" };
const users = "/api/accounting/accounts/acc-1/users";

test("everything survives a restart: people, teams, keys, roles, mails, the administrator's key and what comes next", async () => {
  const data = join(emptyDirectory(), "service.json");
  const first = await runningServer({ data, seed: { accounts: [{ identifier: "acc-1", name: "Acme" }] } });
  const created = await first.call("POST", users, { ...ada, team: { name: "Sea", accessKeyRoles: ["DEVELOPER"] } });
  await first.call("POST", users, { ...ada, email: "bo@acme.example" });
  await first.call("POST", "/api/accounting/teams/t-1/members", [{ identifier: "bo@acme.example" }]);
  const { prefix } = (created.body as { accessKeys: { prefix: string }[] }).accessKeys[0] ?? { prefix: "" };
  await first.call("PUT", `/api/accounting/access-keys/${prefix}/roles`, [{ identifier: "AUDITOR" }]);
  first.world.setUserStatus("bo@acme.example", "Inactive");
  first.world.removeUser(first.world.addUser({ ...ada, email: "gone@acme.example" }));
  const before = { users: first.world.users, teams: first.world.teams, mails: [...first.outbox], key: first.key };
  await first.close();

  const second = await runningServer({ data, seed: { users: [ada, { ...ada, email: "not@used.example" }] } });
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

test("requests that come together are all in the file, for its owner alone, once they are answered", async () => {
  const data = join(emptyDirectory(), "service.json");
  const server = await runningServer({ data });
  const emails = Array.from({ length: 30 }, (_, index) => `n${index}@acme.example`);
  await Promise.all(
    emails.map(async (email) => {
      await server.call("POST", users, { ...ada, email });
      expect(readFileSync(data, "utf8")).toContain(email);
    }),
  );
  expect(statSync(data).mode & 0o777).toBe(0o600);
});

test("identifiers and prefixes go on as if nothing had happened, also after those that were removed", async () => {
  const names = ["a", "b", "c", "d", "e", "f"];
  const knobs = { readd: "remove" } as const;
  const work = async (restarts: boolean) => {
    const data = join(emptyDirectory(), "service.json");
    let server = await runningServer({ data, knobs });
    const given: unknown[] = [];
    for (const name of names) {
      given.push((await server.call("POST", users, { ...ada, email: `${name}@acme.example`, team: {} })).body);
      const added = request(server.key, [{ identifier: "a@acme.example" }]);
      const members = `${server.endpoint}/api/accounting/teams/t-1/members`;
      for (const _ of [1, 2]) given.push(await (await fetch(members, added)).json());
      const text = readFileSync(data, "utf8");
      if (!restarts) continue;
      await server.close();
      // As a kill leaves it.
      writeFileSync(data, text);
      server = await runningServer({ data, knobs });
    }
    return {
      users: server.world.users,
      mails: server.outbox.length,
      given: JSON.stringify(given).match(/"prefix":"\w+"/gu),
    };
  };
  const undisturbed = await work(false);
  expect(await work(true)).toEqual(undisturbed);
  expect(new Set(undisturbed.given).size).toBe(undisturbed.given?.length);
});

test("a file that another service uses is refused, and one that a dead process left is taken over", async () => {
  const data = join(emptyDirectory(), "service.json");
  writeFileSync(`${data}.lock`, String(process.ppid));
  await expect(startReferenceServer({ port: 0, data })).rejects.toThrow(
    `another service uses it, as process ${process.ppid}`,
  );
  expect(readFileSync(`${data}.lock`, "utf8")).toBe(String(process.ppid));
  const dead = spawnSync("true").pid;
  writeFileSync(`${data}.lock`, String(dead));
  await (await startReferenceServer({ port: 0, data })).close();
  expect(existsSync(`${data}.lock`)).toBe(false);
});

test("a file that somebody removes while the service runs is written anew before the next answer", async () => {
  const data = join(emptyDirectory(), "service.json");
  const server = await runningServer({ data });
  await server.call("POST", users, ada);
  rmSync(data);
  await server.call("POST", users, { ...ada, email: "bo@acme.example" });
  expect(readFileSync(data, "utf8")).toContain(ada.email);
  expect(readFileSync(data, "utf8")).toContain("bo@acme.example");
});

test("a thousand users and more are kept", async () => {
  const data = join(emptyDirectory(), "service.json");
  const seed = {
    users: Array.from({ length: 2001 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
  };
  const first = await runningServer({ data, seed });
  const before = first.world.users;
  await first.close();
  const second = await runningServer({ data });
  expect(second.world.users).toEqual(before);
});

test.each([
  ["no JSON", "{\n", "it is not JSON"],
  ["nothing", "", "it is not JSON"],
  ["something else", "[]\n", "it is not the data of a reference server"],
  ["another version", '{"format":"roster-reference-server","version":1}\n', "it is of another version"],
  [
    "a key without its owner",
    JSON.stringify({
      ...{ format: "roster-reference-server", version: 3, administrator: "p" },
      ...{ roles: [], accounts: [], users: [], teams: [], mails: [] },
      keys: [{ prefix: "p", owner: "u-1", roles: [] }],
    }),
    "it names the user u-1, which is not in it",
  ],
])("a file that holds %s is refused and left as it is", async (_, text, message) => {
  const data = join(emptyDirectory(), "service.json");
  writeFileSync(data, text);
  await expect(startReferenceServer({ port: 0, data })).rejects.toThrow(message);
  expect(readFileSync(data, "utf8")).toBe(text);
});

test("a file that can be read and not written is said so at the start, and the port is free again", async () => {
  const data = join(emptyDirectory(), "service.json");
  await (await startReferenceServer({ port: 0, data })).close();
  const before = readFileSync(data, "utf8");
  mkdirSync(`${data}.${process.pid}.new`);
  const port = await freePort();
  await expect(startReferenceServer({ port, data })).rejects.toMatchObject({ code: "ERR_FS_EISDIR" });
  expect(readFileSync(data, "utf8")).toBe(before);
  rmdirSync(`${data}.${process.pid}.new`);
  await (await startReferenceServer({ port, data })).close();
});

test("a server whose port is taken writes nothing", async () => {
  const data = join(emptyDirectory(), "service.json");
  const first = await runningServer();
  const { port } = new URL(first.endpoint);
  await expect(startReferenceServer({ port: Number(port), data })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(existsSync(data)).toBe(false);
});

test("while the file cannot be written nothing is answered that it lacks; what has failed is told once", async () => {
  const directory = join(emptyDirectory(), "kept");
  mkdirSync(directory);
  const data = join(directory, "service.json");
  const heard: string[] = [];
  const server = await runningServer({
    data,
    onDataWriting: (event) =>
      heard.push(event.is === "works" ? "works" : `failed ${(event.error as NodeJS.ErrnoException).code}`),
  });
  rmSync(directory, { recursive: true });
  const created = () => fetch(server.endpoint + users, request(server.key, ada));
  expect([(await created()).status, (await created()).status]).toEqual([503, 503]);
  expect(heard).toEqual(["failed ENOENT"]);
  mkdirSync(directory);
  expect((await server.call("GET", "/api/accounting/users")).body).toHaveLength(2);
  expect(heard).toEqual(["failed ENOENT", "works"]);
  expect(readFileSync(data, "utf8")).toContain(ada.email);
});

function request(key: string, body: unknown): RequestInit {
  const headers = { authorization: `ApiKey ${key}`, "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

test("a file that cannot be written is said so at the start", async () => {
  const data = join(emptyDirectory(), "missing", "service.json");
  await expect(startReferenceServer({ port: 0, data })).rejects.toMatchObject({ code: "ENOENT" });
  expect(existsSync(data)).toBe(false);
});
