import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { emptyDirectory } from "../../support/command.ts";
import { type RunningServer, refusal, runningServer } from "./running-server.ts";

const bo = { email: "bo@acme.example", firstName: "Bo", lastName: "D", status: "Invited" };
const seed: Seed = { users: [bo], teams: [{ identifier: "t-air", name: "Air", admin: bo.email }] };

async function invited(server: RunningServer): Promise<string> {
  await server.call("POST", "/api/accounting/teams/t-air/members", [{ identifier: bo.email }]);
  return new URL(server.outbox[0]?.link ?? "").pathname;
}

const open = async (server: RunningServer, path: string, method = "GET") => {
  const response = await fetch(server.endpoint + path, { method });
  return [response.status, await response.text()];
};
const statusIn = ({ world }: RunningServer) => world.users[0]?.status;
const accepted = [200, "bo@acme.example has accepted the invitation to the team Air.\n"];

test("opening an invitation accepts it, needs no key, and may be done again", async () => {
  const server = await runningServer({ seed });
  const path = await invited(server);
  const before = statusIn(server);
  expect([before, await open(server, path), statusIn(server), await open(server, path), statusIn(server)]).toEqual([
    "Invited",
    accepted,
    "Active",
    accepted,
    "Active",
  ]);
  const found = await server.call("POST", "/api/accounting/users/search", { identifiers: [bo.email] });
  expect(found.body).toMatchObject([{ email: bo.email, status: "Active" }]);
});

test("an invitation is its user's, whatever their address is by then", async () => {
  const server = await runningServer({ seed });
  const path = await invited(server);
  server.world.changeEmail(bo.email, "bo.diaz@acme.example");
  server.world.addUser(bo);
  expect((await open(server, path))[0]).toBe(200);
  expect(server.world.users.map(({ email, status }) => `${email} ${status}`)).toEqual([
    "bo.diaz@acme.example Active",
    "root@reference.example Active",
    "bo@acme.example Invited",
  ]);
});

test.each(["Deleted", "Inactive", "Rejected"])("whoever is %s by then stays so", async (status) => {
  const server = await runningServer({ seed });
  const path = await invited(server);
  server.world.setUserStatus(bo.email, status);
  const message = `The user "bo@acme.example" of this invitation has the status ${status}`;
  expect((await server.send(path, { method: "GET" })).body).toEqual(refusal(410, message, server));
  expect(statusIn(server)).toBe(status);
});

test("what is no invitation, or nobody's any more, is refused and changes nothing", async () => {
  const server = await runningServer({ seed });
  const path = await invited(server);
  const refused = async (wrong: string, method = "GET") => {
    const { status, body } = await server.send(wrong, { method });
    return [status, (body as { message: string }).message];
  };
  const none = [404, "There is no such invitation"];
  expect(await refused("/invitations/")).toEqual(none);
  expect(await refused(path.slice(0, -1))).toEqual(none);
  expect(await refused("/invitations/%2E")).toEqual(none);
  expect((await refused(path, "POST"))[0]).toBe(405);
  expect((await refused(`${path}/more`))[0]).toBe(404);
  expect(statusIn(server)).toBe("Invited");
  server.world.removeUser(bo.email);
  expect(await refused(path)).toEqual([410, 'The user "bo@acme.example" of this invitation was removed']);
});

test("an invitation is kept over a restart", async () => {
  const data = join(emptyDirectory(), "service.json");
  const first = await runningServer({ seed, data });
  const path = await invited(first);
  await first.close();
  const next = await runningServer({ data });
  expect([statusIn(next), await open(next, path), statusIn(next)]).toEqual(["Invited", accepted, "Active"]);
  expect(JSON.parse(readFileSync(data, "utf8")).users[0]).toMatchObject({ email: "bo@acme.example", status: "Active" });
});

/** A request whose Host header says what the test wants. */
async function read(endpoint: string, path: string, host: string): Promise<{ status: number; body: unknown }> {
  const sent = request(endpoint + path, { headers: { host } }).end();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const piece of response) text += piece;
  return { status: response.statusCode, body: JSON.parse(text) };
}

const pages = ["/reference/outbox", "/reference/requests"];
const own = ["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "[::1]"];

test.each(own.flatMap((name) => [name, `${name}:7070`]))("reference pages answer under %s", async (host) => {
  const { endpoint } = await runningServer();
  for (const path of pages) expect(await read(endpoint, path, host)).toEqual({ status: 200, body: [] });
});

test.each([
  "evil.example",
  "evil.example:7070",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127.1.2.3.4",
  "127.0.0.256",
  "10.0.0.1",
  "[::2]",
  "::1",
  "localhost:7070:7070",
  "localhost.",
  "evil.example#localhost",
])("reference pages answer nothing under the foreign name %j", async (host) => {
  const server = await runningServer();
  const hint = "reference pages answer under localhost, 127.0.0.1 and [::1] alone";
  const message = `The Host ${JSON.stringify(host)} is no name of this machine; ${hint}`;
  for (const path of [...pages, "/reference/keys"]) {
    expect(await read(server.endpoint, path, host)).toEqual({
      status: 403,
      body: refusal(403, message, server),
    });
  }
});

test("reference pages answer nothing without a Host", async () => {
  const { endpoint } = await runningServer();
  const socket = connect(Number(new URL(endpoint).port), "127.0.0.1").setEncoding("utf8");
  socket.write("GET /reference/outbox HTTP/1.0\r\n\r\n");
  let answer = "";
  for await (const piece of socket) answer += piece;
  expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 403 Forbidden");
});

test("the service itself answers under any name, as behind a proxy", async () => {
  const { endpoint } = await runningServer();
  expect((await read(endpoint, "/api/accounting/roles", "accounts.example")).status).toBe(401);
});
