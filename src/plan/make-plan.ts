import type { Plan, PlanRefusal } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import type { SnapshotSource } from "../model/saved-files.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { countCalls } from "./calls.ts";
import { finalizeFindings } from "./finish-findings.ts";
import { forbiddenByGuards } from "./guards/forbidden.ts";
import { guardPlan } from "./guards/guard-plan.ts";
import { guardRefusal } from "./guards/tell-guards.ts";
import { findIdleRecreations } from "./idle-recreations.ts";
import { reportSnapshotSource } from "./kept-reading.ts";
import { sortRoster } from "./people-in-order.ts";
import { planId } from "./plan-id.ts";
import { buildPlanContext } from "./question-of.ts";
import { makeSelection } from "./selection.ts";
import { findUnlistedKeys } from "./unlisted/unlisted-keys.ts";
import { findUnreadFields } from "./unread-fields.ts";

export interface PlanInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** With what could be settled of earlier runs already settled. */
  readonly state: State;
  readonly policy: Policy;
  readonly digest: (text: string) => string;
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
  /** Where the snapshot was kept by an earlier run: then the plan is a preview, and says so. */
  readonly kept?: SnapshotSource | undefined;
}

/** Compares what is wanted with what was read: what calls can do about it, what guards hold, and what only people can do. */
export function makePlan(input: PlanInput): Result<Plan, PlanRefusal> {
  const { snapshot, policy, digest, keyInUse } = input;
  const roster = sortRoster(input.roster);
  const selected = makeSelection(roster, policy);
  if (!selected.ok) return selected;
  const selection = selected.value;

  const { context, accountFindings } = buildPlanContext({ ...input, roster });
  const guarded = guardPlan(context, selection, keyInUse);
  if (!guarded.ok) return guarded;

  const { actions, stops } = guarded.value;
  const drafts = [
    ...accountFindings,
    ...guarded.value.findings,
    ...findUnlistedKeys(context, keyInUse),
    ...findIdleRecreations(context),
    ...findUnreadFields(context),
    ...reportSnapshotSource(context, actions),
  ];
  const forbids = forbiddenByGuards(context, keyInUse);
  const plan: Plan = {
    id: planId(snapshot.service, actions, digest),
    service: snapshot.service,
    actions,
    findings: finalizeFindings(drafts, selection, digest),
    calls: countCalls(actions, snapshot.reads),
    ...(forbids === undefined ? {} : { forbids }),
  };
  return stops.length === 0 ? success(plan) : problem(guardRefusal(plan, stops));
}
