import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { runningServer } from "./running-server.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

/** A creation that is given up a moment after it was served or answered: its status, how its body ended, the users then. */
async function givenUp(knobs: Partial<Knobs>, after: "served" | "answered") {
  const server = await runningServer({ knobs });
  const controller = new AbortController();
  const answered = fetch(`${server.endpoint}/api/accounting/accounts/acc-1/users`, {
    method: "POST",
    headers: { authorization: `ApiKey ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify(ada),
    signal: controller.signal,
  });
  const outcome = answered.then(
    async (response) => [
      response.status,
      ...(await response.text().then(
        () => ["whole"],
        () => ["cut"],
      )),
    ],
    () => ["nothing"],
  );
  if (after === "answered") await answered;
  else while (server.world.users.length === 1) await pause(1);
  await pause(40);
  controller.abort();
  return [...(await outcome), server.world.users.length];
}

test("a creation that hangs was done, and gets no answer, or half of one", async () => {
  expect(await givenUp({ hang: ["create@1"] }, "served")).toEqual(["nothing", 2]);
  expect(await givenUp({ hangBody: ["create@1"] }, "answered")).toEqual([201, "cut", 2]);
  expect(await givenUp({}, "answered")).toEqual([201, "whole", 2]);
});

test("each answer waits as long as latencyMs says", async () => {
  // So long that no busy machine takes as long by itself.
  const server = await runningServer({ knobs: { latencyMs: 400 } });
  const began = performance.now();
  await server.call("GET", "/api/accounting/roles");
  expect(performance.now() - began).toBeGreaterThan(399);
});
