import { expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation } from "../../support/action-builders.ts";
import { emptyService, running } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt, timesBy } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { aFailure, type SimulationOptions } from "../../support/simulated-service.ts";

const lost: Partial<SimulationOptions> = {
  before: (call) =>
    call.route === "create-user" ? { outcome: "unknown", failure: aFailure("unreachable") } : undefined,
};

const later = (milliseconds: number) => new Date(Date.parse(noon) + milliseconds).toISOString();

/** What the state holds of a creation whose answer was lost, right after it. */
async function openAfter(times: { readonly service?: true; readonly store?: true }) {
  const clock = clockAt(noon);
  const told = timesBy(clock);
  const session = { ...memorySession(emptyState("l")), ...(times.store ? { times: told } : {}) };
  const service = Object.create(emptyService(lost), {
    times: { value: times.service ? told : undefined },
  });
  const stop = new AbortController();
  for await (const event of running([aCreation("ada")], service, { clock, session, signal: stop.signal })) {
    if (event.type === "intended") stop.abort();
  }
  return session.durable.flatMap((event) =>
    event.type === "intended" || event.type === "unknown-outcome" ? [[event.type, event.dated]] : [],
  );
}

test.each([
  ["service", { service: true, store: true }],
  ["store", { store: true }],
] as const)(
  "a call is dated by the %s: until when it may be on its way, and when its answer was lost",
  async (by, times) => {
    expect(await openAfter(times)).toEqual([
      ["intended", { by, at: later(1000 + 2000 + 30_000) }],
      ["unknown-outcome", { by, at: noon }],
    ]);
  },
);

test("a call is not dated where neither shows its time", async () => {
  expect(await openAfter({})).toEqual([
    ["intended", undefined],
    ["unknown-outcome", undefined],
  ]);
});
