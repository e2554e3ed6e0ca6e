import type { lookup } from "node:dns";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate, setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type HttpRequest,
  isThisMachine,
  lookUpThisMachine,
  type OriginOptions,
  openHttpClient,
  openOrigin,
} from "../../../src/http/origin.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { type RawScript, rawServer } from "../../support/raw-server.ts";
import { closedEndpoint, type Scripted, scriptedServer } from "../../support/scripted-server.ts";

const limits = { timeout: 5000, largestAnswer: 1000, clock: timerBy() };

async function against(script: readonly Scripted[], clock = timerBy()) {
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  const client = openHttpClient({ ...limits, origin: server.endpoint.origin, clock });
  onTestFinished(() => client.close());
  return { server, client };
}

test("a request is sent as it is, by any method, and answered with status, headers and body", async () => {
  const { server, client } = await against([{ status: 423, json: { ID: "x" }, headers: { "X-Lock": "y" } }]);
  const answer = await client.send({
    method: "LOCK",
    url: new URL("/state/acme?serial=3", server.endpoint),
    headers: { authorization: "Basic eA==" },
    body: '{"ID":"z"}',
  });
  expect(answer).toMatchObject({ is: "answer", status: 423, body: '{"ID":"x"}' });
  expect(answer.is === "answer" && answer.headers.get("x-lock")).toBe("y");
  expect(server.seen).toMatchObject([
    {
      method: "LOCK",
      url: "/state/acme?serial=3",
      headers: { authorization: "Basic eA==", "accept-encoding": "identity", "content-length": "10" },
      body: { ID: "z" },
    },
  ]);
});

test("a redirect is an answer like any other", async () => {
  const { server, client } = await against([{ status: 307, text: "", headers: { location: "/elsewhere" } }]);
  expect(await client.send({ method: "GET", url: server.endpoint, headers: {} })).toMatchObject({ status: 307 });
  expect(server.seen.length).toBe(1);
});

test("a request for another origin is not sent", async () => {
  const { server, client } = await against([{ text: "" }]);
  const answer = await client.send({ method: "GET", url: new URL("http://127.0.0.1:1/"), headers: {} });
  expect(answer).toEqual({
    is: "no-answer",
    why: "barred",
    sent: false,
    cause: `the request is for http://127.0.0.1:1, but roster sends only to ${server.endpoint.origin}`,
  });
});

test("where nobody listens, nothing was sent", async () => {
  const { origin } = await closedEndpoint();
  const client = openHttpClient({ ...limits, origin });
  onTestFinished(() => client.close());
  expect(await client.send({ method: "GET", url: new URL(origin), headers: {} })).toEqual({
    is: "no-answer",
    why: "unreachable",
    sent: false,
    cause: "the connection was refused",
    hint: "Check the address, and check that the service is running",
  });
});

test("a process that slept between the handing over and the first byte sends nothing", async () => {
  const times = [0, 3_600_000];
  const { server, client } = await against(
    [{ text: "" }],
    timerBy(() => times.shift() ?? 3_600_000),
  );
  expect(await client.send({ method: "POST", url: server.endpoint, headers: {}, body: "{}" })).toEqual({
    is: "no-answer",
    why: "timed-out",
    sent: false,
    cause: "this process was paused for 3600 s before it could send",
  });
  expect(server.seen).toEqual([]);
  expect(await client.send({ method: "POST", url: server.endpoint, headers: {}, body: "{}" })).toMatchObject({
    is: "answer",
  });
});

const get: HttpRequest = { method: "GET", path: "/", headers: {}, onceSent: "cut-off" };
const post: HttpRequest = { method: "POST", path: "/", headers: {}, body: "{}", onceSent: "let-end" };

const answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const answering: RawScript = (socket) => socket.write(answer);

describe("an origin:", () => {
  async function opened(script: RawScript, options: Partial<Pick<OriginOptions, "connections" | "clock">> = {}) {
    const server = await rawServer(script, onTestFinished);
    const origin = openOrigin({ ...limits, connections: 2, origin: server.origin, ...options });
    onTestFinished(() => origin.close());
    return { server, origin };
  }

  test("a server that ends each connection after one answer, without a word of it, is read again and again", async () => {
    const { server, origin } = await opened((socket) => socket.end(answer));
    for (let turn = 0; turn < 30; turn += 1) expect(await origin.send(get)).toMatchObject({ is: "answer", body: "{}" });
    expect([server.seen.length, server.connections()]).toEqual([30, 30]);
  });

  test("a server that ends idle connections after a moment is read again and again", async () => {
    const { server, origin } = await opened((socket) => {
      socket.write(answer);
      void setTimeout(3).then(() => socket.end());
    });
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await origin.send(get)).toMatchObject({ is: "answer", body: "{}" });
      await setTimeout(10);
    }
    expect([server.seen.length, server.connections()]).toEqual([10, 10]);
  });

  test("a connection is kept for the next request, and there are no more than so many", async () => {
    const { server, origin } = await opened(answering);
    await Promise.all(Array.from({ length: 20 }, () => origin.send(get)));
    for (let turn = 0; turn < 5; turn += 1) await origin.send(get);
    expect([server.seen.length, server.connections()]).toEqual([25, 2]);
  });

  test.each([
    ["so that only a new one is sure to be there, is not used again", "timeout=1", 3],
    ["is used for that long", "timeout=60, max=100", 1],
  ])("a connection of which a server says for how long it stays, %s", async (_which, said, connections) => {
    const { server, origin } = await opened(
      (socket) => socket.write(answer.replace("\r\n", `\r\nKeep-Alive: ${said}\r\n`)),
      { connections: 1 },
    );
    for (let turn = 0; turn < 3; turn += 1) expect(await origin.send(get)).toMatchObject({ is: "answer" });
    expect([server.seen.length, server.connections()]).toEqual([3, connections]);
  });

  test("a request that ends while it waits for a connection is never sent, and keeps nobody waiting", async () => {
    const held: (() => void)[] = [];
    const { server, origin } = await opened((socket) => held.push(() => socket.write(answer)), { connections: 1 });
    const stop = new AbortController();
    const [first, second, third] = [
      origin.send(get),
      origin.send({ ...get, path: "/2" }, stop.signal),
      origin.send(post),
    ];
    while (held.length === 0) await setImmediate();
    stop.abort();
    expect(await second).toMatchObject({ sent: false, why: "aborted" });
    for (const each of [first, third]) {
      while (held.length === 0) await setImmediate();
      held.shift()?.();
      expect(await each).toMatchObject({ is: "answer" });
    }
    expect(server.seen).toEqual(["GET / HTTP/1.1", "POST / HTTP/1.1 {}"]);
  });

  test("what is stopped once it was sent is cut off, or answered where it may change something", async () => {
    const { server, origin } = await opened((socket) => void setTimeout(50).then(() => socket.write(answer)));
    const stop = new AbortController();
    const both = [origin.send(get, stop.signal), origin.send(post, stop.signal)];
    while (server.seen.length < 2) await setImmediate();
    stop.abort();
    expect(await Promise.all(both)).toMatchObject([{ is: "no-answer", sent: true, why: "aborted" }, { is: "answer" }]);
    expect(await origin.send(get, stop.signal)).toMatchObject({ sent: false, why: "aborted" });
    expect(server.seen.length).toBe(2);
  });

  test.each([
    [
      "late by the clock of its caller",
      { ...post, leaves: { within: 2000, since: { wall: 0, monotonic: 0 } } },
      2001,
      "too-late",
    ],
    ["of a process that slept", get, 3_600_000, "timed-out"],
  ])("a request that is %s is not sent, and the next one is", async (_which, request, late, why) => {
    const times = [0, late];
    const { server, origin } = await opened(answering, { clock: timerBy(() => times.shift() ?? late) });
    expect(await origin.send(request)).toMatchObject({ is: "no-answer", sent: false, why });
    const now = { wall: late, monotonic: 0 };
    const { leaves } = request;
    const next = leaves === undefined ? request : { ...request, leaves: { ...leaves, since: now } };
    expect(await origin.send(next)).toMatchObject({ is: "answer" });
    expect(server.seen.length).toBe(1);
  });

  test.each([
    ["a path with a space", { ...get, path: "/a b" }],
    ["a header over two lines", { ...get, headers: { x: "a\r\nb: c" } }],
    ["no method", { ...get, method: "GET /" }],
  ])("a request with %s is not sent, and leaves its place to the next one", async (_which, request) => {
    const { server, origin } = await opened(answering, { connections: 1 });
    expect(await origin.send(request)).toMatchObject({ is: "no-answer", sent: false });
    expect(await origin.send(get)).toMatchObject({ is: "answer" });
    expect(server.seen).toEqual(["GET / HTTP/1.1"]);
  });

  test("what is under way is waited for at the end, and nothing stays", async () => {
    let ended = 0;
    const { server, origin } = await opened((socket) => {
      socket.on("close", () => {
        ended += 1;
      });
      void setTimeout(30).then(() => socket.write(answer));
    });
    await origin.send(get);
    const sent = origin.send(post);
    await origin.close();
    expect(await sent).toMatchObject({ is: "answer" });
    expect(await origin.send(get)).toMatchObject({ is: "no-answer", sent: false });
    expect(server.seen.length).toBe(2);
    while (ended < server.connections()) await setImmediate();
  });

  test("no variable of Node leads to a proxy", async () => {
    const { server, origin } = await opened(answering);
    const variables = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1" };
    const before = { ...process.env };
    Object.assign(process.env, variables);
    onTestFinished(() => {
      for (const name of Object.keys(variables)) delete process.env[name];
      Object.assign(process.env, before);
    });
    expect(await origin.send(get)).toMatchObject({ is: "answer" });
    expect(server.seen.length).toBe(1);
  });
});

test("a connection is used for the next request, and ends when nobody has used it for seconds, or with the origin", async () => {
  const ends: Promise<unknown>[] = [];
  const known = new Set<Socket>();
  const server = await rawServer((socket) => {
    if (!known.has(socket)) ends.push(once(socket, "close"));
    known.add(socket);
    socket.write(answer);
  }, onTestFinished);
  const origin = openOrigin({ ...limits, connections: 1, origin: server.origin });
  for (const request of [get, get, post]) expect(await origin.send(request)).toMatchObject({ is: "answer" });
  expect(server.connections()).toBe(1);
  await ends[0];
  expect(await origin.send(get)).toMatchObject({ is: "answer" });
  expect(server.connections()).toBe(2);
  await origin.close();
  await ends[1];
});

/** Resolves every name to these addresses. */
function resolvingTo(...addresses: readonly string[]): typeof lookup {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const resolve = (_name: string, _options: object, callback: (error: null, found: object) => void) =>
    callback(null, found);
  return resolve as typeof lookup;
}

function lookedUp(resolve: typeof lookup, options: { readonly all: boolean }): Promise<unknown> {
  return new Promise((done) => {
    lookUpThisMachine(resolve)("api.localhost", options, (error, address) => done(error?.message ?? address));
  });
}

const elsewhere = (address: string) =>
  `its name leads to ${address}, not to this machine; http:// works only for this machine`;

test.each([
  ["127.0.0.1", ["127.0.0.1"], "127.0.0.1"],
  ["::1", ["::1", "127.0.0.1"], "::1"],
  ["10.0.0.7", ["10.0.0.7"], elsewhere("10.0.0.7")],
  ["this machine and another one", ["127.0.0.1", "203.0.113.9"], elsewhere("203.0.113.9")],
  ["an address that only looks like it", ["::ffff:203.0.113.9"], elsewhere("::ffff:203.0.113.9")],
  ["nothing", [], elsewhere("no address")],
])("a name of this machine that leads to %s", async (_name, addresses, expected) => {
  expect(await lookedUp(resolvingTo(...addresses), { all: false })).toBe(expected);
});

test("all addresses are given where all are asked for", async () => {
  expect(await lookedUp(resolvingTo("::1", "127.0.0.1"), { all: true })).toEqual([
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ]);
});

test.each([
  ["localhost", true],
  ["api.localhost", true],
  ["::1", true],
  ["127.9.9.9", true],
  ["localhost.example", false],
  ["10.0.0.1", false],
  ["fd00::1", false],
])("%s is this machine: %s", (host, expected) => {
  expect(isThisMachine(host)).toBe(expected);
});
