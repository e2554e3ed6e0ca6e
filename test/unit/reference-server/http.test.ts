import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { onLoopback } from "../../support/loopback.ts";
import { refusal, runningServer } from "./running-server.ts";

const search = "/api/accounting/users/search";

test.each<[string, RequestInit & { headers: Record<string, string> }, number, string]>([
  [
    "of another media type",
    { headers: { "content-type": "text/plain" }, body: "{}" },
    415,
    'The Content-Type must be application/json; it is "text/plain"',
  ],
  [
    "without a media type",
    { headers: {}, body: new Uint8Array([123, 125]) },
    415,
    'The Content-Type must be application/json; it is "not given"',
  ],
  [
    "that is no JSON",
    { headers: { "content-type": "application/json" }, body: "{" },
    400,
    "The body is not JSON in UTF-8",
  ],
  ["that is empty", { headers: { "content-type": "application/json" } }, 400, "The body is not JSON in UTF-8"],
  [
    "that is not UTF-8",
    { headers: { "content-type": "application/json" }, body: new Uint8Array([34, 0xff, 34]) },
    400,
    "The body is not JSON in UTF-8",
  ],
  [
    "that is deeper than anybody needs",
    { headers: { "content-type": "application/json" }, body: "[".repeat(500_000) },
    400,
    "The body is not JSON in UTF-8",
  ],
  [
    "that is too large",
    { headers: { "content-type": "application/json" }, body: `"${"x".repeat(1024 * 1024)}"` },
    413,
    "The body has 1048578 bytes; this server reads 1048576",
  ],
])("a body %s is refused", async (_, request, status, message) => {
  const server = await runningServer();
  const headers = { ...request.headers, authorization: `ApiKey ${server.key}` };
  const refused = await server.send(search, { ...request, method: "POST", headers });
  expect(refused.body).toEqual(refusal(status, message, server));
  expect(refused.status).toBe(status);
});

test("a media type with a parameter is taken", async () => {
  const server = await runningServer();
  const headers = { authorization: `ApiKey ${server.key}`, "content-type": "Application/JSON; charset=utf-8" };
  const found = await server.send(search, { method: "POST", headers, body: '{"identifiers":[]}' });
  expect(found.status).toBe(200);
});

test("links and errors lead back to where the caller came in", async () => {
  const server = await runningServer();
  const port = new URL(server.endpoint).port;
  const headers = { authorization: `ApiKey ${server.key}` };
  const listed = await fetch(`http://localhost:${port}/api/accounting/roles`, { headers });
  expect(listed.headers.get("link")).toContain(`<http://localhost:${port}/api/accounting/roles?page=1&per-page=10>`);
});

test("it listens on the loopback interface alone", async () => {
  const server = await runningServer();
  const { hostname, port } = new URL(server.endpoint);
  expect(hostname).toBe("127.0.0.1");
  const others = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address),
  );
  const loopback = process.platform === "linux" ? ["127.0.0.2"] : [];
  for (const host of [...loopback, ...others]) {
    const socket = connect({ host, port: Number(port) });
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  }
});

test("closing ends kept connections at once and frees the port", async () => {
  const server = await startReferenceServer({ port: 0 });
  await (await fetch(`${server.endpoint}/reference/outbox`)).json();
  const halfway = connect({ host: "127.0.0.1", port: Number(new URL(server.endpoint).port) });
  halfway.on("error", () => undefined);
  halfway.write("POST /api/accounting/users/search HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{");
  await once(halfway, "connect");
  const began = performance.now();
  await server.close();
  // Node would keep an idle connection for 5 s, and wait minutes for the rest of a request.
  expect(performance.now() - began).toBeLessThan(4000);
  const again = await startReferenceServer({ port: Number(new URL(server.endpoint).port) });
  await again.close();
});

test("a port that is taken is said so", async () => {
  const port = await onLoopback(createServer(), onTestFinished);
  await expect(startReferenceServer({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
