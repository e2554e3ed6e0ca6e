import type { Plan } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { quoted } from "./document.ts";
import { type Fault, validPlanDocument } from "./generated/plan.js";
import { actionOrderProblem, decodePlan, type PlanFields } from "./plan.ts";

/** A plan read back from a JSON document, and the command that wrote it. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly command: string;
}

const supportedMajor = 1;

/**
 * Reads the plan from a document that `--format json` wrote. The error is one sentence without a trailing
 * stop; whatever the text holds, nothing throws.
 */
export function decodePlanDocument(text: string): Result<SavedPlan, string> {
  const json = parseJson(text);
  if (!json.ok) return json;
  const document = json.value;
  const refusal = unreadablePlanReason(document) ?? planSchemaProblem(document);
  if (refusal !== undefined) return problem(refusal);
  const decoded = document as PlanFields & { readonly command: string };
  const disorder = actionOrderProblem(decoded);
  return disorder === undefined ? success({ plan: decodePlan(decoded), command: decoded.command }) : problem(disorder);
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return success(JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text));
  } catch {
    return problem("it is not a JSON document");
  }
}

/** Why a document cannot be a plan of this version, whatever the rest of it looks like. */
function unreadablePlanReason(document: unknown): string | undefined {
  if (!isObject(document)) return "it is not a JSON object";
  const version = document["format_version"];
  if (typeof version !== "string") return "it has no format_version; a plan is written with `--format json`";
  const major = /^(\d+)\.\d+$/.exec(version)?.[1];
  if (major === undefined) return `its format_version ${quoted(version)} is not a version`;
  if (Number(major) !== supportedMajor) {
    return `its format_version is ${quoted(version)}, and this version of roster reads ${supportedMajor}.x`;
  }
  return document["plan_id"] === undefined ? formatMissingPlan(document) : undefined;
}

function formatMissingPlan(document: Readonly<Record<string, unknown>>): string {
  const error = document["error"];
  const why = isObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
  return `it holds no plan, because the command that wrote it made none${why}`;
}

function planSchemaProblem(document: unknown): string | undefined {
  if (validPlanDocument(document)) return undefined;
  const fault = deepestError(validPlanDocument.errors ?? []);
  const where = fault?.instancePath ? fault.instancePath : "the document";
  if (fault === undefined || fault.keyword === "oneOf") return `${where} is not of a known shape`;
  return `${where} ${fault.message ?? "is not valid"}`;
}

/** Of several shapes that a value does not have, the one that it comes closest to tells the most. */
function deepestError(faults: readonly Fault[]): Fault | undefined {
  let best: Fault | undefined;
  for (const fault of faults) {
    // Another tag, such as another `kind`, only says that this shape is not meant.
    if (fault.keyword === "const") continue;
    const deeper = fault.instancePath.length - (best?.instancePath.length ?? -1);
    if (deeper > 0 || (deeper === 0 && fault.keyword === "oneOf")) best = fault;
  }
  return best;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
