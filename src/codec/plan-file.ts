import type { Plan } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { PlanFile } from "../model/saved-files.ts";
import {
  checksumProblem,
  type Digest,
  encodeDocument,
  parseDocument,
  planFileVersion,
  quoted,
  schemaProblem,
} from "./document.ts";
import { validPlanFile } from "./generated/plan-file.js";
import { type Codec, fields, inline, type JsonObject, named, plain, roles, verbatim } from "./mapping.ts";
import { actionOrderProblem, decodePlan, encodePlan, type PlanFields } from "./plan.ts";

/** The same file is always the same text. */
export function encodePlanFile(file: PlanFile, digest: Digest): string {
  const { records, witnesses, ...basis } = file.basis;
  const head = { document: "roster plan file", format_version: planFileVersion };
  return encodeDocument(head, content.encode({ ...file, basis, records, witnesses }), digest);
}

/**
 * Reads a plan file back. It must be byte for byte as it was written: so that nothing in it goes unread. The error is one
 * sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodePlanFile(text: string, digest: Digest): Result<PlanFile, string> {
  const json = parseDocument(text);
  if (!json.ok) return json;
  const { value: document } = json;
  const refusal =
    planFileHeaderProblem(document) ?? checksumProblem(document, digest) ?? planFileSchemaProblem(document);
  if (refusal !== undefined) return problem(refusal);
  const disorder = actionOrderProblem(document as PlanFields);
  if (disorder !== undefined) return problem(disorder);
  const file = decodeFile(document);
  if (encodePlanFile(file, digest) !== text) return problem(notCanonicalPlanFile(file));
  return success(file);
}

/** Why it cannot be a plan file of this version, whatever the rest of it looks like. */
function planFileHeaderProblem({ document, format_version: version }: JsonObject): string | undefined {
  if (document === "roster snapshot") {
    return "it is a snapshot, of which `roster plan --from FILE` makes a preview; what is applied is read anew";
  }
  if (document !== "roster plan file") {
    return "it is no plan file: what `roster plan --format json` prints shows what would be done, and is not applied";
  }
  if (version === planFileVersion) return undefined;
  return `its format_version is ${quoted(version)}, and this version of roster reads ${planFileVersion}`;
}

function planFileSchemaProblem(document: JsonObject): string | undefined {
  return validPlanFile(document) ? undefined : schemaProblem(validPlanFile.errors?.[0]);
}

function notCanonicalPlanFile({ madeBy }: PlanFile): string {
  return `it is not as roster writes it, with something added or laid out otherwise; it says that roster ${madeBy} made it`;
}

function decodeFile(document: JsonObject): PlanFile {
  const { basis, records, witnesses, ...file } = content.decode(document);
  return { ...file, basis: { ...basis, records, witnesses } };
}

/** A plan file, laid out as its document is: its longest lists stand last. */
interface PlanFileContent extends Omit<PlanFile, "basis">, Pick<PlanFile["basis"], "records" | "witnesses"> {
  readonly basis: Omit<PlanFile["basis"], "records" | "witnesses">;
}

const stateOrNull: Codec<PlanFile["basis"]["state"]> = {
  encode: (state) => (state === "none" ? null : state),
  decode: (written) => (written === null ? "none" : verbatim.decode(written)),
};

/** What a plan is in numbers stands before its actions. */
const planInFile: Codec<Plan, JsonObject> = {
  encode: (plan) => {
    const { plan_id, service, summary, ...rest } = encodePlan(plan);
    return { plan_id, service, summary, ...rest };
  },
  decode: (written) => decodePlan(written as PlanFields),
};

const content = fields<PlanFileContent>({
  id: named("file", plain),
  madeAt: plain,
  madeBy: plain,
  expiresAt: plain,
  basis: fields({
    roster: verbatim,
    state: stateOrNull,
    readAt: plain,
    everyone: verbatim,
    capabilities: verbatim,
  }),
  policy: fields({ words: plain, privilegedRoles: roles }),
  plan: inline(planInFile),
  records: verbatim,
  lessons: verbatim,
  witnesses: verbatim,
});
