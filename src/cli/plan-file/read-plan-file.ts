import { isPlanFile } from "../../codec/document.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { sha256 } from "../../library/system.ts";
import type { Plan, PlanFile } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { planId } from "../../plan/actions.ts";

/** Reads a plan file that was found at a path, or says why it is none that may be used. */
export async function readPlanFile({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): Promise<Result<PlanFile, RosterError>> {
  const { decodePlanFile } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanFile(text, sha256);
  if (!decoded.ok) return problem(badPlanFile(path, decoded.error));
  return hasOwnId(decoded.value.plan) ? success(decoded.value) : problem(badPlanFile(path, anotherId));
}

/** An approval names the ID of a plan, and counts for its actions: the ID must be theirs. */
function hasOwnId({ id, service, actions }: Plan): boolean {
  return planId(service, actions, sha256) === id;
}

const anotherId = "its plan ID is not the ID of its actions";

function badPlanFile(path: string, why: string): RosterError {
  return invalidSetting(
    "bad-plan-file",
    `${path} is not a usable plan file: ${why}.`,
    "Plan again with `roster plan --out FILE`, and do not edit the file.",
  );
}

/** What a text holds: a plan, and the plan file that it is in; a document that `--format json` printed has the plan alone. */
export interface LoadedPlan {
  readonly plan: Plan;
  readonly file?: PlanFile;
}

export async function readSavedPlan(saved: {
  readonly path: string;
  readonly text: string;
}): Promise<Result<LoadedPlan, RosterError>> {
  if (isPlanFile(saved.text)) {
    const read = await readPlanFile(saved);
    return read.ok ? success({ plan: read.value.plan, file: read.value }) : read;
  }
  const { decodePlanDocument } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanDocument(saved.text);
  if (decoded.ok && hasOwnId(decoded.value.plan)) return success({ plan: decoded.value.plan });
  const why = decoded.ok ? anotherId : decoded.error;
  return problem(invalidSetting("bad-plan-file", `${saved.path} is not a plan: ${why}`, howToSave));
}

/** What to do where something is not a saved plan. */
export const howToSave = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";
