import { expect, test } from "vitest";
import { momentOf } from "../../../src/ports/clock.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import type { Scripted } from "../../support/scripted-server.ts";
import { scriptedService } from "../../support/scripted-service.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
const page = (first: number) => ({
  json: Array.from({ length: 100 }, (_, at) => ({ email: `u${first + at}@x.example`, identifier: `u-${first + at}` })),
});

/** A service whose requests and permits are noted in their order. Each permit takes `takes` ms. */
async function against(script: readonly Scripted[], takes = 0) {
  const order: string[] = [];
  const effects = new Set<string>();
  const clock = clockAt("2026-11-20T10:00:00.000Z");
  const answer = (_: unknown, index: number) => {
    order.push("request");
    return script[Math.min(index, script.length - 1)] ?? { json: [] };
  };
  const { service } = await scriptedService(answer, {
    clock,
    parallelism: 1,
    async mayStart(effect) {
      order.push("permit");
      effects.add(effect);
      clock.move(takes);
    },
  });
  return { service, clock, order, effects };
}

test("each request waits until it may start: pages, and what is sent again", async () => {
  const { service, order, effects } = await against([
    { status: 503, json: {} },
    page(0),
    page(0),
    page(100),
    { json: [] },
  ]);
  expect(await service.listUsers()).toMatchObject({ ok: true, value: { users: { length: 200 } } });
  expect(order.length).toBeGreaterThan(8);
  expect(order).toEqual(order.map((_, at) => (at % 2 === 0 ? "permit" : "request")));
  expect([...effects]).toEqual(["read"]);
});

test("an announced write has waited before, and leaves at once; one that is sent again waits, and its wait counts", async () => {
  const { service, clock, order, effects } = await against([{ status: 500, json: {} }], 2500);
  expect(await service.createUser("acc-1", ada, undefined, undefined, momentOf(clock))).toMatchObject({
    outcome: "unknown",
  });
  expect(order).toEqual(["request"]);
  expect(await service.replaceRoles("k1", ["R"], undefined, momentOf(clock))).toMatchObject({ outcome: "unknown" });
  expect(order).toEqual(["request", "request", "permit", "permit", "permit"]);
  expect([...effects]).toEqual(["write"]);
});

test("who waits is not kept once the work is stopped, and nothing is sent", async () => {
  const controller = new AbortController();
  const mayStart = () => new Promise<void>(() => controller.abort());
  const { server, service } = await scriptedService([{ json: [] }], { mayStart });
  expect(await service.listRoles(controller.signal)).toMatchObject({ ok: false, error: { code: "aborted" } });
  expect([server.seen, service.requests]).toEqual([[], { reads: 0, writes: 0 }]);
});
