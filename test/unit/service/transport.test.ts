import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { OriginOptions } from "../../../src/http/origin.ts";
import { openTransport } from "../../../src/service/client.ts";
import type { Call } from "../../../src/service/requests.ts";
import { timerBy } from "../../support/fixed-ports.ts";
import { type Scripted, scriptedServer } from "../../support/scripted-server.ts";

const get: Call = { method: "GET", path: "/x", shown: "/x", effect: "read" };
const post: Call = { ...get, method: "POST", body: "[]", effect: "write" };

async function against(
  script: readonly Scripted[],
  options: Partial<Pick<OriginOptions, "connections" | "timeout" | "largestAnswer" | "clock">> = {},
) {
  const server = await scriptedServer(script);
  onTestFinished(() => server.close());
  const transport = openTransport({
    origin: server.endpoint.origin,
    connections: 4,
    timeout: 5000,
    largestAnswer: 1000,
    clock: timerBy(),
    ...options,
  });
  onTestFinished(() => transport.close());
  return { server, transport };
}

/** By this clock no process ever slept. */
const still = timerBy(() => 0);

test("an answer comes with its status, headers and body", async () => {
  const { transport } = await against([{ status: 207, text: "é", headers: { "X-Total-Count": "3" } }]);
  const exchange = await transport.send(get, "k");
  expect(exchange).toMatchObject({ is: "answer", status: 207, body: "é" });
  expect(exchange.is === "answer" && exchange.headers.get("x-total-count")).toBe("3");
});

test("a request that is not answered in time was sent all the same", async () => {
  const { transport, server } = await against(["hang"], { timeout: 1500 });
  expect(await transport.send(post, "k")).toEqual({
    is: "no-answer",
    sent: true,
    why: "timed-out",
    cause: "no answer came within 1.5 s",
  });
  expect(server.seen.length).toBe(1);
});

test("a request that waits for a free connection until its time is up is never sent", async () => {
  const { transport, server } = await against(["hang", { text: "" }], { connections: 1, timeout: 150, clock: still });
  // The time of both is up at once, so that the first leaves no time in which its connection is free for the second.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const first = transport.send(post, "k");
  const second = transport.send(post, "k");
  while (server.seen.length === 0) await setImmediate();
  vi.advanceTimersByTime(150);
  expect(await second).toMatchObject({ is: "no-answer", sent: false, why: "timed-out" });
  expect(await first).toMatchObject({ is: "no-answer", sent: true });
  expect(await transport.send(post, "k")).toMatchObject({ is: "answer" });
  expect(server.seen.length).toBe(2);
});

test("a write that has no connection in time is never sent, and a read is", async () => {
  const times = [0, 0, 2001];
  const clock = timerBy(() => times.shift() ?? 2001);
  const { transport, server } = await against([{ text: "" }], { clock });
  expect(await transport.send(post, "k")).toEqual({
    is: "no-answer",
    sent: false,
    why: "too-late",
    cause: "it got a connection only after 2 s, too long after it was recorded",
  });
  expect(await transport.send(get, "k")).toMatchObject({ is: "answer" });
  expect(server.seen.map(({ method }) => method)).toEqual(["GET"]);
});

test("a write that came too late is never sent, and the next one is", async () => {
  const times = [0, 2001];
  const { transport, server } = await against([{ text: "" }], { clock: timerBy(() => times.shift() ?? 2001) });
  expect(await transport.send(post, "k")).toMatchObject({ sent: false, why: "too-late" });
  expect(await transport.send(post, "k")).toMatchObject({ is: "answer" });
  expect(server.seen.length).toBe(1);
});

test("a write whose process slept is never sent", async () => {
  const times = [0, 0];
  const { transport, server } = await against([], { clock: timerBy(() => times.shift() ?? 3_600_000) });
  expect(await transport.send(post, "k")).toMatchObject({
    sent: false,
    why: "too-late",
    cause: "this process was paused for 3600 s before it could send",
  });
  expect(server.seen).toEqual([]);
});

test("a request that is stopped while it waits for a free connection is never sent", async () => {
  const stop = new AbortController();
  const { transport, server } = await against(["hang", { text: "" }], { connections: 1, timeout: 1500, clock: still });
  const first = transport.send(post, "k");
  const second = transport.send(post, "k", stop.signal);
  stop.abort();
  expect(await second).toMatchObject({ is: "no-answer", sent: false, why: "aborted" });
  await first;
  expect(await transport.send(get, "k")).toMatchObject({ is: "answer" });
  expect(server.seen.map(({ method }) => method)).toEqual(["POST", "GET"]);
});

test("an answer larger than the bound is given up", async () => {
  const { transport } = await against([{ text: "x".repeat(1001) }, { text: "x".repeat(1000) }]);
  expect(await transport.send(get, "k")).toEqual({
    is: "no-answer",
    sent: true,
    why: "unreadable",
    cause: "the answer is larger than 1000 bytes",
  });
  expect(await transport.send(get, "k")).toMatchObject({ is: "answer" });
});

test("an answer that ends too early is no answer", async () => {
  const { transport } = await against(["cut-short"]);
  expect(await transport.send(get, "k")).toMatchObject({ is: "no-answer", sent: true, why: "unreachable" });
});

test("an impossible request is not sent", async () => {
  const { transport, server } = await against([{ text: "" }]);
  expect(await transport.send({ ...get, path: "/a b" }, "k")).toMatchObject({ is: "no-answer", sent: false });
  expect(server.seen).toEqual([]);
});
