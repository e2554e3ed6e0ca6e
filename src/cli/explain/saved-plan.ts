import { isPlanFile } from "../../codec/document.ts";
import { decodePlanDocument } from "../../codec/plan-document.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { readPlanFile } from "../plan-file/read-plan-file.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

/** The plan that a text holds: that of a plan file, or of a document that `--format json` printed. */
export function decodeSavedPlan(saved: { readonly path: string; readonly text: string }): Result<Plan, CommandError> {
  if (isPlanFile(saved.text)) {
    const read = readPlanFile(saved);
    return read.ok ? success(read.value.plan) : read;
  }
  const decoded = decodePlanDocument(saved.text);
  if (decoded.ok) return success(decoded.value.plan);
  return problem(
    invalidSetting(
      "bad-plan-file",
      `${saved.path} is not a plan: ${decoded.error}`,
      "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.",
    ),
  );
}
