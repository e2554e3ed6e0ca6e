import { describe, expect, test } from "vitest";
import type { InProcessServer } from "../../../src/reference-server/in-process.ts";
import { memoryTransport, virtualClock } from "../../../src/rehearse/rehearsal-service.ts";
import type { Call } from "../../../src/service/requests.ts";

const call: Call = {
  method: "GET",
  path: "/modzy/api/accounting/roles",
  shown: "/api/accounting/roles",
  effect: "read",
  answersWithKey: false,
};

function carrying(connections: number, asked: unknown[] = []) {
  const clock = virtualClock(0);
  const server: InProcessServer = {
    key: "k.s",
    outbox: [],
    answer(request) {
      asked.push(request);
      return { status: 200, headers: new Map(), body: "[]" };
    },
  };
  return { clock, transport: memoryTransport(server, { clock, latency: 80, connections, prefix: "/modzy" }) };
}

test("a call reaches the service under the path that it knows, with the key of the rehearsal", async () => {
  const asked: unknown[] = [];
  const { transport } = carrying(1, asked);
  await transport.send(call, "k.s");
  await transport.send({ ...call, method: "PUT", effect: "write", body: "[]" }, "k.s");
  const headers = { authorization: "ApiKey k.s", accept: "application/json" };
  const path = "/api/accounting/roles";
  expect(asked).toEqual([
    { method: "GET", path, headers },
    { method: "PUT", path, headers: { ...headers, "content-type": "application/json" }, body: "[]" },
  ]);
});

test.each([
  [1, 7 * 80],
  [2, 4 * 80],
  [7, 80],
  [10, 80],
])("seven calls at once over %i connections take %i ms", async (connections, milliseconds) => {
  const { clock, transport } = carrying(connections);
  await Promise.all(Array.from({ length: 7 }, () => transport.send(call, "k.s")));
  expect(clock.now()).toBe(milliseconds);
});

test("a call that is aborted on its way does not arrive", async () => {
  const asked: unknown[] = [];
  const { transport } = carrying(1, asked);
  const stop = new AbortController();
  const sending = transport.send(call, "k.s", stop.signal);
  stop.abort();
  expect([await sending, asked]).toMatchObject([{ is: "no-answer", why: "aborted", sent: false }, []]);
});

const noon = Date.UTC(2026, 10, 20, 12);

describe("a clock that jumps", () => {
  test("n waits one after another take just n times as long", async () => {
    const clock = virtualClock(noon);
    for (let call = 0; call < 1000; call += 1) await clock.wait(80);
    expect(clock.now() - noon).toBe(80_000);
  });

  test("waits at once end in the order of their times, and as a whole take the longest", async () => {
    const clock = virtualClock(noon);
    const ended: string[] = [];
    const wait = async (name: string, milliseconds: number) => {
      await clock.wait(milliseconds);
      ended.push(`${name} at ${clock.now() - noon}`);
    };
    await Promise.all([wait("c", 30), wait("a", 10), wait("b", 10), wait("d", 86_400_000)]);
    expect(ended).toEqual(["a at 10", "b at 10", "c at 30", "d at 86400000"]);
  });

  test("work between two waits takes no time, however many promises it is made of", async () => {
    const clock = virtualClock(noon);
    const busy = async () => {
      for (let step = 0; step < 500; step += 1) await Promise.resolve();
      await clock.wait(10);
      return clock.now() - noon;
    };
    const other = clock.wait(1000).then(() => clock.now() - noon);
    expect([await busy(), await busy(), await other]).toEqual([10, 20, 1000]);
  });

  test("no wait, and one that is aborted, are over at once", async () => {
    const clock = virtualClock(noon);
    const stop = new AbortController();
    const waiting = clock.wait(1000, stop.signal);
    stop.abort();
    await Promise.all([waiting, clock.wait(1000, stop.signal), clock.wait(0), clock.wait(-5)]);
    expect(clock.now()).toBe(noon);
    await clock.wait(20);
    expect(clock.now() - noon).toBe(20);
  });
});
