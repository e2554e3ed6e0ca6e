import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { refusal, runningServer } from "./running-server.ts";

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
      body: refusal(403, "Forbidden", message, server),
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
