import { applyPlan } from "../../apply/run.ts";
import type { ApplyInput } from "../../apply/session.ts";
import { type RunSummary, summarizeRun } from "../../journal/summary.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { accountStatus } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { peopleReader } from "../../observe/people-reader.ts";
import { withDisarmedMembers } from "../../plan/memberships/extra-members.ts";
import type { UserQuery } from "../../ports/account-service.ts";
import type { ProgressObserver } from "../../ports/progress.ts";
import type { StateSession } from "../../ports/state-store.ts";
import type { Cancellation } from "../cancellation.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Connection } from "../connection.ts";
import type { Host } from "../host.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { Settings } from "../settings/settings.ts";
import { sha256 } from "../system.ts";

/** What a plan is run with. */
export interface RunPorts {
  readonly flags: OutputFlags;
  readonly host: Host;
  readonly settings: Settings;
  readonly halting: Cancellation;
  readonly onlooker: ProgressObserver;
  readonly policy: Policy;
  readonly service: Connection;
  readonly session: StateSession;
  readonly run: string;
}

/** A plan, and what is known of what it rests on. */
export interface PlanToRun extends Pick<ApplyInput, "plan" | "factsAt" | "capabilities" | "stale" | "shown"> {
  /** Those who are there: a search that does not find them proves nobody's absence. */
  readonly known: readonly UserQuery[];
}

/** A plan that this very run has read for and made. */
export function planToRun({ plan, snapshot }: Planned): PlanToRun {
  const { readAt: factsAt, capabilities, users } = snapshot;
  return {
    plan,
    factsAt,
    capabilities,
    shown: users,
    known: users.filter(({ status }) => accountStatus(status) !== "deleted"),
  };
}

/** Runs a plan to its end and tells how it goes. `before`: what was recorded in this run already, by reading. */
export async function runPlan(
  work: RunPorts,
  { known, ...about }: PlanToRun,
  before: readonly RunEvent[],
): Promise<RunSummary> {
  const { host, settings, halting, onlooker, policy, service, session, run } = work;
  const { parallelism } = settings;
  const people = peopleReader({ service, parallelism, known });
  const { signal, deadline } = halting;
  const ports = { service, people, session, clock: host.clock, digest: sha256, parallelism, signal, deadline };
  const events: RunEvent[] = [];
  const tell = (event: RunEvent) => {
    events.push(event);
    onlooker.event(event);
  };
  const { privilegedRoles, consistency } = policy;
  const what = { ...about, run, privilegedRoles, consistency };
  for (const event of before) tell(event);
  signal.addEventListener("abort", () => host.stderr.write(cancellationNotice(halting)), { once: true });
  for await (const event of applyPlan(what, ports)) tell(event);
  return summarizeRun(events);
}

/** What a run came to, beside the plan as it stands after it. */
export function runResult(plan: Plan, run: RunSummary): { readonly plan: Plan; readonly run: RunSummary } {
  const isEmptied = (prefix: string) => run.rolesRead.get(prefix)?.length === 0;
  return { plan: withDisarmedMembers(plan, isEmptied, sha256), run };
}

function cancellationNotice({ deadline }: Cancellation): string {
  const rest = "no new action starts, and those under way come to their end";
  return deadline.aborted ? `time is over: ${rest}\n` : `interrupted: ${rest}; once more ends roster at once\n`;
}

export interface SequenceFlags {
  readonly sequence?: string | undefined;
}

/** The place that a run names for itself among all applies; undefined where it names none. */
export function readSequence({ sequence }: SequenceFlags): Result<number | undefined, CommandError> {
  if (sequence === undefined) return success(undefined);
  const number = Number(sequence);
  if (/^\d+$/u.test(sequence) && Number.isSafeInteger(number)) return success(number);
  return problem(
    invalidSetting(
      "bad-sequence",
      `--sequence ${sequence} is not a whole number.`,
      "Pass a number that only grows, such as that of the pipeline's run.",
    ),
  );
}

/** What to remember of the place that a run names; nothing where it is known. */
export function sequenceEvents(
  sequence: number | undefined,
  { sequence: known }: State,
  at: string,
): readonly RunEvent[] {
  return sequence === undefined || sequence === known ? [] : [{ type: "sequenced", at, sequence }];
}

/** Whoever comes after a newer roster was applied would undo it: what to say then; undefined where the run is in order. */
export function supersededRun(sequence: number | undefined, { sequence: applied }: State): CommandError | undefined {
  if (sequence === undefined || applied === undefined || sequence >= applied) return undefined;
  const problem = {
    code: "stale",
    message: `this run is number ${sequence}, and number ${applied} was already applied: its roster is newer`,
    hint: "nothing was read or sent; let the newest run of the pipeline apply",
  };
  return { reason: "stale", problem };
}
