import { isPlanFile } from "../../codec/document.ts";
import { planContradiction } from "../../codec/plan-contradiction.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { needsReason } from "../../model/allowance.ts";
import type { Plan, PlanFile, PlanningEvent } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { sha256 } from "../../model/sha256.ts";
import { planId } from "../../plan/actions.ts";
import { allowanceFlags, formatAllowanceFlags, type SavedText } from "./plan-file.ts";

/** Reads a plan file that was found at a path, or says why it is none that may be used. */
export async function readPlanFile({ path, text }: SavedText): Promise<Result<PlanFile, RosterError>> {
  const { decodePlanFile } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanFile(text, sha256);
  if (!decoded.ok) return problem(badPlanFile(path, decoded.error));
  const { value: file } = decoded;
  const fault = planFault(file.plan, file.lessons) ?? wordsFault(file);
  return fault === undefined ? success(file) : problem(badPlanFile(path, fault));
}

function planFault(plan: Plan, lessons: readonly PlanningEvent[]): string | undefined {
  return hasOwnId(plan) ? planContradiction(plan, lessons) : anotherId;
}

/** What a person has allowed is shown as flags, and counts as the plan has it. */
function wordsFault({ policy, plan }: PlanFile): string | undefined {
  const shown = policy.words.filter((word) => allowanceFlags.some((flag) => word.startsWith(flag)));
  const meant = formatAllowanceFlags(plan);
  if (shown.length !== meant.length || meant.some((word, at) => shown[at] !== word))
    return "it shows other exceptions than it allows";
  const open = (plan.allowed ?? []).find(({ code }) => needsReason(code));
  return open === undefined || plan.reason !== undefined ? undefined : `it allows ${open.code} without a reason`;
}

/** An approval names the ID of a plan, and counts for its actions: the ID must be theirs. */
function hasOwnId(plan: Plan): boolean {
  return planId(plan) === plan.id;
}

const anotherId = "its plan ID is not the ID of its actions";

function badPlanFile(path: string, why: string): RosterError {
  return invalidSetting(
    "bad-file",
    `${path} is not a usable plan file: ${why}.`,
    "Plan again with `roster plan --out FILE`, and do not edit the file.",
  );
}

/** What a text holds: a plan, and the plan file that it is in; a document that `--format json` printed has the plan alone. */
export interface LoadedPlan {
  readonly plan: Plan;
  readonly file?: PlanFile;
}

export async function readSavedPlan(saved: SavedText): Promise<Result<LoadedPlan, RosterError>> {
  if (isPlanFile(saved.text)) {
    const read = await readPlanFile(saved);
    return read.ok ? success({ plan: read.value.plan, file: read.value }) : read;
  }
  const { decodePlanDocument } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanDocument(saved.text);
  const why = decoded.ok ? planFault(decoded.value.plan, []) : decoded.error;
  if (decoded.ok && why === undefined) return success({ plan: decoded.value.plan });
  return problem(invalidSetting("bad-file", `${saved.path} is not a plan: ${why}`, howToSave));
}

/** What to do where something is not a saved plan. */
export const howToSave = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";
