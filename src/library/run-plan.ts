import { allowedRetries } from "../log/remembered-refusals.ts";
import { type RunSummary, summarizeRun } from "../log/summary.ts";
import { definedFields } from "../model/collections.ts";
import type { RunEvent } from "../model/event.ts";
import { accountStatus } from "../model/key.ts";
import type { Plan } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { type AddressedUser, type RecordedUser, unshownUntil } from "../model/user.ts";
import { peopleReader } from "../observe/read-users.ts";
import { withDisarmedMembers } from "../plan/extra-members.ts";
import type { ApplyInput } from "../run/apply-input.ts";
import { applyPlan } from "../run/run.ts";
import type { LockedLog } from "./lock.ts";
import type { Planned, PlanPorts } from "./plan.ts";

/** What a run of a plan works with. Once the signal is aborted, no new call starts, and calls in progress finish. */
export interface RunContext extends Omit<PlanPorts, "progress"> {
  readonly policy: Policy;
  readonly lock: LockedLog;
  /** Aborted where the time of the run is over. */
  readonly deadline?: AbortSignal | undefined;
}

export interface PlanToRun
  extends Pick<
    ApplyInput,
    "plan" | "factsAt" | "factsRead" | "capabilities" | "stale" | "shown" | "former" | "teamMembers"
  > {
  /** Users who exist: a search that does not find them proves no absence. */
  readonly known: readonly AddressedUser[];
}

/** A plan that this run has made. */
export function planToRun({ plan, snapshot, state, read: factsRead }: Planned): PlanToRun {
  const { readAt: factsAt, capabilities, users, absences } = snapshot;
  const isGone = (record: RecordedUser) =>
    absences.get(record.address)?.proven === true && Date.parse(factsAt) >= unshownUntil(record, undefined);
  return {
    former: [...state.users.values()].filter(isGone).map(({ address }) => address),
    plan,
    factsAt,
    factsRead,
    capabilities,
    shown: users,
    known: users.filter(({ status }) => accountStatus(status) !== "deleted"),
  };
}

/** Runs a plan to its end. `before`: what this run has recorded already. Returns the run and the plan as it stands after it. */
export async function runPlan(
  { policy, service, lock, clock, parallelism, signal, deadline }: RunContext,
  { known, ...input }: PlanToRun,
  before: readonly RunEvent[],
  hear: (event: RunEvent) => void,
): Promise<{ readonly plan: Plan; readonly run: RunSummary }> {
  const people = peopleReader({ service, parallelism, known, ...definedFields({ shown: input.shown }) });
  const ports = { service, people, session: lock, clock, parallelism, signal, ...definedFields({ deadline }) };
  const events: RunEvent[] = [];
  const report = (event: RunEvent) => {
    events.push(event);
    hear(event);
  };
  const { privilegedRoles, consistency, throttling } = policy;
  for (const event of before) report(event);
  const started = applyPlan({ ...input, run: lock.run, privilegedRoles, consistency, throttling }, ports);
  for await (const together of started) for (const event of together) report(event);
  const retry = allowedRetries(lock.now(), input.plan);
  const run = { ...summarizeRun(events), ...(retry.length === 0 ? {} : { retry }), head: lock.head() };
  const isEmptied = (prefix: string) => run.rolesRead.get(prefix)?.length === 0;
  return { plan: withDisarmedMembers(input.plan, isEmptied), run };
}
