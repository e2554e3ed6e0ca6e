import { isPlanFile } from "../../codec/document.ts";
import { planContradiction } from "../../codec/plan-contradiction.ts";
import type { PlanFile } from "../../codec/plan-file-format.ts";
import { invalidSetting } from "../../library/error.ts";
import { needsReason } from "../../model/allowance.ts";
import type { Plan, PlanningEvent } from "../../model/plan.ts";
import { planId } from "../../plan/actions.ts";
import { allowanceFlags, formatAllowanceFlags, howToSave, type SavedText } from "./plan-file.ts";

/** What a text holds: a plan, and the plan file that it is in; a document that `--format json` printed has the plan alone. */
export interface LoadedPlan {
  readonly plan: Plan;
  readonly file?: PlanFile;
}

export async function readSavedPlan(saved: SavedText): Promise<LoadedPlan> {
  if (isPlanFile(saved.text)) {
    const file = await readPlanFile(saved);
    return { plan: file.plan, file };
  }
  const { decodePlanDocument } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanDocument(saved.text);
  const why = decoded.ok ? planFault(decoded.value.plan, []) : decoded.error;
  if (decoded.ok && why === undefined) return { plan: decoded.value.plan };
  throw invalidSetting("bad-file", `${saved.path} is not a plan: ${why}`, howToSave);
}

export async function readPlanFile({ path, text }: SavedText): Promise<PlanFile> {
  const { decodePlanFile } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanFile(text);
  const fault = decoded.ok
    ? (planFault(decoded.value.plan, decoded.value.lessons) ?? wordsFault(decoded.value))
    : decoded.error;
  if (decoded.ok && fault === undefined) return decoded.value;
  throw invalidSetting(
    "bad-file",
    `${path} is not a usable plan file: ${fault}.`,
    "Plan again with `roster plan --out FILE`, and do not edit the file.",
  );
}

/** An approval names the ID of a plan, and counts for its actions: the ID must be theirs. */
function planFault(plan: Plan, lessons: readonly PlanningEvent[]): string | undefined {
  if (planId(plan) !== plan.id) return "its plan ID is not the ID of its actions";
  return planContradiction(plan, lessons);
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
