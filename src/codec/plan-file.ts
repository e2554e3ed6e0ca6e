import type { Action } from "../model/action.ts";
import { publish, readPublished } from "../model/declare.ts";
import { isObject, type JsonObject, parseJson } from "../model/json.ts";
import { type Plan, planFieldsOf, readPlan } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { changeOf, encodeDocument, planFileVersion, quoted, readDocument, schemaProblem } from "./document.ts";
import { validPlanDocument } from "./generated/plan.js";
import { validPlanFile } from "./generated/plan-file.js";
import { type PlanFile, planFile, planFileParts } from "./plan-file-format.ts";

/** The same file is always the same text: its longest lists stand last. */
export function encodePlanFile({ plan, ...file }: PlanFile): string {
  const content = publish(planFile, { ...file, ...planFieldsOf(plan) });
  return encodeDocument({ document: "roster plan file", format_version: planFileVersion }, content);
}

/**
 * Reads a plan file back. It must be byte for byte as it was written: so that nothing in it goes unread. The error is one
 * sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodePlanFile(text: string): Result<PlanFile, string> {
  const read = readDocument(text, planFileKind);
  if (!read.ok) return read;
  const file: PlanFile = { ...readPublished(planFileParts, read.value), plan: readPlan(read.value) };
  const disorder = actionOrderProblem(file.plan.actions);
  if (disorder !== undefined) return problem(disorder);
  const changed = changeOf(text, encodePlanFile(file), file.madeBy);
  return changed === undefined ? success(file) : problem(changed);
}

const planFileKind = {
  version: planFileVersion,
  schema: validPlanFile,
  otherKind({ document }: JsonObject) {
    if (document === "roster plan file") return undefined;
    return document === "roster snapshot"
      ? "it is a snapshot. `roster plan --from FILE` shows a preview of it; `apply` needs a plan file"
      : "it is not the output of `roster plan --out FILE`. The output of `--format json` cannot be applied";
  },
};

const supportedMajor = 1;

/**
 * Reads the plan from a document that `--format json` wrote. The error is one sentence without a trailing
 * stop; whatever the text holds, nothing throws.
 */
export function decodePlanDocument(text: string): Result<Plan, string> {
  const document = parseJson(text.replace(/^\uFEFF/u, ""));
  if (document === undefined) return problem("it is not JSON");
  const refusal = unreadablePlanReason(document) ?? schemaProblem(document, validPlanDocument);
  if (refusal !== undefined) return problem(refusal);
  const plan = readPlan(document);
  const disorder = actionOrderProblem(plan.actions);
  return disorder === undefined ? success(plan) : problem(disorder);
}

/** Why they are no plan's: they have names of their own and stand after what they depend on. */
function actionOrderProblem(actions: readonly Action[]): string | undefined {
  const before = new Set<string>();
  for (const { id, dependsOn } of actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = dependsOn.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}

/** Why a document cannot be a plan of this version, whatever the rest of it looks like. */
function unreadablePlanReason(document: unknown): string | undefined {
  if (!isObject(document)) return "it is not a JSON object";
  const version = document["format_version"];
  if (typeof version !== "string") return "it has no format_version. Write the plan with `--format json`";
  const major = /^(\d+)\.\d+$/.exec(version)?.[1];
  if (major === undefined) return `its format_version ${quoted(version)} is not a version`;
  if (Number(major) !== supportedMajor) {
    return `its format_version is ${quoted(version)}, and this version of roster reads ${supportedMajor}.x`;
  }
  return document["plan_id"] === undefined ? formatMissingPlan(document) : undefined;
}

function formatMissingPlan(document: JsonObject): string {
  const error = document["error"];
  const why = isObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
  return `it holds no plan, because the command that wrote it made none${why}`;
}
