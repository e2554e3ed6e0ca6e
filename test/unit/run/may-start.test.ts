import { expect, test } from "vitest";
import { aCreation } from "../../support/action-builders.ts";
import { aboutAction, applied, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import type { ServiceCall } from "../../support/simulated-service.ts";

test("a write waits until it may start before it is announced, however long that takes", async () => {
  const clock = clockAt(noon);
  const started: string[] = [];
  const service = emptyService({
    before: ({ route }: ServiceCall) => {
      if (route === "create-user") started.push("call");
      return undefined;
    },
  });
  const waiting = Object.assign(service, {
    async mayStart() {
      started.push("permit");
      clock.move(60_000);
    },
  });
  const events = await applied([aCreation("ada"), aCreation("bo")], waiting, { clock, parallelism: 1 });
  expect(started).toEqual(["permit", "call", "permit", "call"]);
  const announced = events.flatMap((event) => (event.type === "intended" ? [event.at] : []));
  expect(announced).toEqual(["2026-11-20T12:01:00.000Z", "2026-11-20T12:02:00.000Z"]);
});

test("a write that may not start any more is not announced", async () => {
  const controller = new AbortController();
  const service = Object.assign(emptyService(), { mayStart: async () => controller.abort() });
  const creation = aCreation("ada");
  const events = await applied([creation], service, { signal: controller.signal });
  expect(aboutAction(events, creation.id)).toEqual([
    `skipped ${creation.id} because of the run: the run was interrupted`,
  ]);
  expect(service.requests.writes).toBe(0);
});
