import { expect, test } from "vitest";
import type { InProcessServer } from "../../../src/reference-server/in-process.ts";
import { memoryTransport } from "../../../src/rehearse/rehearsal-service.ts";
import { virtualClock } from "../../../src/rehearse/virtual-clock.ts";
import type { Call } from "../../../src/service/routes.ts";

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
  await transport.send(call);
  await transport.send({ ...call, method: "PUT", effect: "write", body: "[]" });
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
  await Promise.all(Array.from({ length: 7 }, () => transport.send(call)));
  expect(clock.now()).toBe(milliseconds);
});

test("a call that is aborted on its way does not arrive", async () => {
  const asked: unknown[] = [];
  const { transport } = carrying(1, asked);
  const stop = new AbortController();
  const sending = transport.send(call, stop.signal);
  stop.abort();
  expect([await sending, asked]).toMatchObject([{ is: "no-answer", why: "aborted", sent: false }, []]);
});
