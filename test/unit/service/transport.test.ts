import { afterEach, describe, expect, test } from "vitest";
import type { Exchange } from "../../../src/network/origin.ts";
import type { Call } from "../../../src/service/routes.ts";
import {
  isTransient,
  openTransport,
  retryAfter,
  type TransportOptions,
  waitBefore,
} from "../../../src/service/transport.ts";
import { type Scripted, scriptedServer } from "../../support/scripted-server.ts";

function answered(status: number, body = "", headers: Readonly<Record<string, string>> = {}): Exchange {
  return { is: "answer", status, headers: new Map(Object.entries(headers)), body };
}

function unanswered(
  why: "aborted" | "timed-out" | "too-late" | "unreadable" | "unreachable" | "barred",
  sent = true,
): Exchange {
  return { is: "no-answer", sent, why, cause: "so" };
}

describe("what is sent again", () => {
  test.each([
    ["429", answered(429), true, false],
    ["408", answered(408), true, false],
    ["425", answered(425), true, false],
    ["503", answered(503), true, false],
    ["503 with a time to come back", answered(503, "", { "retry-after": "1" }), true, false],
    ["500", answered(500), true, false],
    ["502", answered(502), true, false],
    ["501", answered(501), false, false],
    ["522", answered(522), true, false],
    ["200", answered(200), false, false],
    ["400", answered(400), false, false],
    ["401", answered(401), false, false],
    ["403", answered(403, "You may not do this"), false, false],
    ["403 with a time to come back", answered(403, "", { "retry-after": "1" }), true, false],
    ["403 that speaks of a rate limit", answered(403, '{"message":"Secondary Rate Limit exceeded"}'), true, false],
    ["401 that speaks of a rate limit", answered(401, "rate limit"), false, false],
    ["404", answered(404), false, false],
    ["409", answered(409), false, false],
    ["a redirect", answered(302), false, false],
    ["a connection that failed", unanswered("unreachable", false), true, false],
    ["a lost answer", unanswered("unreachable"), true, false],
    ["a time-out", unanswered("timed-out"), true, false],
    ["a connection that came too late", unanswered("too-late", false), true, false],
    ["a certificate that is not trusted", unanswered("barred", false), false, false],
    ["an answer too large", unanswered("unreadable"), false, false],
    ["a stopped run", unanswered("aborted"), false, false],
  ])("%s", (_name, exchange, repeatable, once) => {
    expect(isTransient(exchange, "whenever-it-may-pass")).toBe(repeatable);
    expect(isTransient(exchange, "never")).toBe(once);
  });
});

test.each([
  ["429, which asks to come later", answered(429), false],
  ["425, which asks to come later", answered(425), false],
  ["403 that asks to come later", answered(403, "", { "retry-after": "1" }), false],
  ["503 that asks to come later", answered(503, "", { "retry-after": "1" }), false],
  ["503, which may have been done", answered(503), true],
  ["408, which may have been done", answered(408), true],
  ["a lost answer", unanswered("unreachable"), true],
  ["a connection that failed", unanswered("unreachable", false), true],
  ["a connection that came too late", unanswered("too-late", false), false],
  ["404", answered(404), false],
  ["423, which reads have to explain", answered(423), false],
])("a replacement is sent again without more ado after %s", (_name, exchange, expected) => {
  expect(isTransient(exchange, "unless-surely-not-done")).toBe(expected);
});

describe("how long is waited", () => {
  const first = { tries: 1, elapsed: 0, asked: undefined, fraction: 0 };

  test.each([
    ["half the first backoff at the least", first, 125],
    ["nearly the whole of it at the most", { ...first, fraction: 0.999 }, 250],
    ["twice that after the second try", { ...first, tries: 2 }, 250],
    ["four times that after the third", { ...first, tries: 3 }, 500],
    ["not at all after the fourth", { ...first, tries: 4 }, undefined],
    ["what the service asks for, and the jitter on top", { ...first, asked: 7000 }, 7125],
    ["not at all where the service asks for more than the deadline", { ...first, asked: 60_000 }, undefined],
    ["not at all where the deadline would pass", { ...first, elapsed: 59_900 }, undefined],
    ["not at all for an absurd wish", { ...first, asked: Number.POSITIVE_INFINITY }, undefined],
  ])("%s", (_name, next, wait) => {
    expect(waitBefore(next)).toBe(wait);
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");

  test.each([
    ["seconds", "5", 5000],
    ["a fraction of seconds", "0.5", 500],
    ["a date to come", "Fri, 20 Nov 2026 10:00:07 GMT", 7000],
    ["a date gone by", "Fri, 20 Nov 2026 09:00:00 GMT", 0],
    ["a negative number", "-5", undefined],
    ["words", "soon", undefined],
    ["nothing", undefined, undefined],
    ["an empty text", "", undefined],
  ])("%s", (_name, value, wait) => {
    expect(retryAfter(value, now)).toBe(wait);
  });
});

const cleanUp: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const get: Call = { method: "GET", path: "/x", shown: "/x", effect: "read", answersWithKey: false };
const post: Call = { ...get, method: "POST", body: "[]", effect: "write" };

async function against(
  script: readonly Scripted[],
  options: Partial<Pick<TransportOptions, "connections" | "timeout" | "largestAnswer" | "clock">> = {},
) {
  const server = await scriptedServer(script);
  const transport = openTransport({
    origin: server.endpoint.origin,
    key: "k",
    connections: 4,
    timeout: 5000,
    largestAnswer: 1000,
    clock: Date,
    ...options,
  });
  cleanUp.push(
    () => transport.close(),
    () => server.close(),
  );
  return { server, transport };
}

/** By this clock no process ever slept. */
const still = { now: () => 0 };

test("an answer comes with its status, headers and body", async () => {
  const { transport } = await against([{ status: 207, text: "é", headers: { "X-Total-Count": "3" } }]);
  const exchange = await transport.send(get);
  expect(exchange).toMatchObject({ is: "answer", status: 207, body: "é" });
  expect(exchange.is === "answer" && exchange.headers.get("x-total-count")).toBe("3");
});

test("a request that is not answered in time was sent all the same", async () => {
  const { transport, server } = await against(["hang"], { timeout: 150 });
  expect(await transport.send(post)).toEqual({
    is: "no-answer",
    sent: true,
    why: "timed-out",
    cause: "no answer came within 0.15 s",
  });
  expect(server.seen.length).toBe(1);
});

test("a request that waits for a free connection until its time is up is never sent", async () => {
  const { transport, server } = await against(["hang", { text: "" }], { connections: 1, timeout: 150, clock: still });
  const first = transport.send(post);
  const second = transport.send(post);
  expect(await second).toMatchObject({ is: "no-answer", sent: false, why: "timed-out" });
  expect(await first).toMatchObject({ is: "no-answer", sent: true });
  expect(await transport.send(post)).toMatchObject({ is: "answer" });
  expect(server.seen.length).toBe(2);
});

test("a write that has no connection in time is never sent, and a read is", async () => {
  let slow = 0;
  const clock = { now: () => (slow += 2001) };
  const { transport, server } = await against([{ text: "" }], { clock });
  expect(await transport.send(post)).toEqual({
    is: "no-answer",
    sent: false,
    why: "too-late",
    cause: "a connection for it was there only after 2 s, too long after it was announced",
  });
  expect(await transport.send(get)).toMatchObject({ is: "answer" });
  expect(server.seen.map(({ method }) => method)).toEqual(["GET"]);
});

test("a write that came too late leaves its connection to the next one", async () => {
  const times = [0, 2001];
  const { transport, server } = await against([{ text: "" }], { clock: { now: () => times.shift() ?? 2001 } });
  expect(await transport.send(post)).toMatchObject({ sent: false, why: "too-late" });
  expect(await transport.send(post)).toMatchObject({ is: "answer" });
  expect([server.seen.length, server.connections()]).toEqual([1, 1]);
});

test("a write whose process slept is never sent", async () => {
  let slept = 0;
  const { transport, server } = await against([], { clock: { now: () => (slept += 3_600_000) } });
  expect(await transport.send(post)).toMatchObject({
    sent: false,
    why: "too-late",
    cause: "this process stood still before it could send, and 3600 s had passed",
  });
  expect(server.seen).toEqual([]);
});

test("a request that is stopped while it waits for a free connection is never sent", async () => {
  const stop = new AbortController();
  const { transport, server } = await against(["hang", { text: "" }], { connections: 1, timeout: 400, clock: still });
  const first = transport.send(post);
  const second = transport.send(post, stop.signal);
  stop.abort();
  expect(await second).toMatchObject({ is: "no-answer", sent: false, why: "aborted" });
  await first;
  expect(await transport.send(get)).toMatchObject({ is: "answer" });
  expect(server.seen.map(({ method }) => method)).toEqual(["POST", "GET"]);
});

test("an answer larger than the bound is given up", async () => {
  const { transport } = await against([{ text: "x".repeat(1001) }, { text: "x".repeat(1000) }]);
  expect(await transport.send(get)).toEqual({
    is: "no-answer",
    sent: true,
    why: "unreadable",
    cause: "the answer is larger than 1000 bytes",
  });
  expect(await transport.send(get)).toMatchObject({ is: "answer" });
});

test("an answer that ends too early is no answer", async () => {
  const { transport } = await against(["cut-short"]);
  expect(await transport.send(get)).toMatchObject({ is: "no-answer", sent: true, why: "unreachable" });
});

test("an impossible request is not sent", async () => {
  const { transport, server } = await against([{ text: "" }]);
  expect(await transport.send({ ...get, path: "/a b" })).toMatchObject({ is: "no-answer", sent: false });
  expect(server.seen).toEqual([]);
});
