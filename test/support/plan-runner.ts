import type { Plan } from "../../src/model/plan.ts";
import type { State } from "../../src/model/state.ts";
import { defaultPrivilegedRoles } from "../../src/model/values.ts";
import { momentOf } from "../../src/ports/clock.ts";
import { applyPlan } from "../../src/run/run.ts";
import { clockAt, tellingTime } from "./fixed-ports.ts";
import { memorySession } from "./memory-session.ts";
import { aPeopleReader } from "./people-reader.ts";
import type { SimulatedService } from "./simulated-service.ts";

const readAt = "2026-11-20T10:00:00.000Z";

/** Runs a plan against a simulated service, until so many actions have succeeded where told so, and returns the state that it leaves. */
export async function runPlan(plan: Plan, service: SimulatedService, before: State, stopAfter = plan.actions.length) {
  if (stopAfter === 0) return before;
  const session = memorySession(before);
  const clock = clockAt(readAt);
  const run = applyPlan(
    { plan, run: "r1", factsRead: momentOf(clock), privilegedRoles: defaultPrivilegedRoles },
    { service: tellingTime(service, clock), people: aPeopleReader(service), session, clock, parallelism: 10 },
  );
  let succeeded = 0;
  for await (const together of run) {
    succeeded += together.filter(({ type }) => type === "succeeded").length;
    if (stopAfter < plan.actions.length && succeeded >= stopAfter) break;
  }
  return session.saved();
}
