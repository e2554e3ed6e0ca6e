import type { Plan } from "../../model/plan.ts";
import { problem, type Result } from "../../model/result.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { errorFromFailure } from "../error.ts";
import { type Planned, planFor } from "../planning/planning.ts";
import { type LibraryError, libraryError, libraryResult, type Redaction } from "./errors.ts";
import { readWork, type WorkOptions } from "./options.ts";

/** A plan, and what it rests on. */
export interface PlanResult {
  /** The actions, in an order that respects every dependency, and the findings. */
  readonly plan: Plan;
  /** Guards refuse the plan: it may be shown, and `apply` does not run it. `allow` has the exceptions that let it pass. */
  readonly refusal?: LibraryError;
  /** How the service was read, and when. */
  readonly reading: ReadSummary;
}

/** Plans what `apply` would do. Reads the service and the state, takes no lock and writes nothing. */
export async function plan(options: WorkOptions): Promise<Result<PlanResult, LibraryError>> {
  const work = readWork(options);
  if (!work.ok) return problem(libraryError(work.error, options.service.secrets));
  const { store, secrets, ...ports } = work.value;
  const state = await store.read();
  if (!state.ok) return problem(libraryError(errorFromFailure(state.error), secrets));
  const planned = await planFor({ ...ports, state: state.value }, ports);
  if (!planned.ok) return libraryResult(planned, secrets);
  return { ok: true, value: planResult(planned.value, secrets) };
}

/** @internal */
export function planResult({ plan, reading, refusal }: Planned, secrets: Redaction): PlanResult {
  const shown = secrets.redactAll({ plan, reading });
  return refusal === undefined ? shown : { ...shown, refusal: libraryError(refusal, secrets) };
}
