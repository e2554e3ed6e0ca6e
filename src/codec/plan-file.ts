import type { FoldedAddress } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { roleSet } from "../model/role-set.ts";
import type { PlanFile, UserAddress } from "../model/saved-files.ts";
import { actionOrderProblem, decodePlan } from "./decode-plan.ts";
import {
  checksumProblem,
  type DocumentFields,
  encodeDocument,
  parseDocument,
  planFileVersion,
  quoted,
  schemaProblem,
} from "./document.ts";
import { validPlanFile } from "./generated/plan-file.js";
import type { PlanFileDocument, UserAddressFields } from "./plan-schema.ts";

/** What the format takes from elsewhere. */
export interface PlanFileFormat {
  /** SHA-256, in hexadecimal. */
  readonly digest: (text: string) => string;
  /** A plan under its published names. */
  readonly planFields: (plan: Plan) => Readonly<Record<string, unknown>>;
}

/** The same file is always the same text. */
export function encodePlanFile(file: PlanFile, { digest, planFields }: PlanFileFormat): string {
  const { roster, state, readAt, everyone, capabilities, records, witnesses } = file.basis;
  const { plan_id, service, summary, actions, findings, forbids } = planFields(file.plan);
  const head = { document: "roster plan file", format_version: planFileVersion };
  const content = {
    file: file.id,
    made_at: file.madeAt,
    made_by: file.madeBy,
    expires_at: file.expiresAt,
    basis: { roster, state: state === "none" ? null : state, read_at: readAt, everyone, capabilities },
    policy: { words: file.policy.words, privileged_roles: file.policy.privilegedRoles },
    plan_id,
    service,
    summary,
    actions,
    findings,
    ...(forbids === undefined ? {} : { forbids }),
    records,
    lessons: file.lessons,
    witnesses,
  };
  return encodeDocument(head, content, digest);
}

/**
 * Reads a plan file back. It must be byte for byte as it was written: so that nothing in it goes unread. The error is one
 * sentence without a trailing stop; whatever the text holds, nothing throws.
 */
export function decodePlanFile(text: string, format: PlanFileFormat): Result<PlanFile, string> {
  const json = parseDocument(text);
  if (!json.ok) return json;
  const { value: document } = json;
  const refusal =
    planFileHeaderProblem(document) ?? checksumProblem(document, format.digest) ?? planFileSchemaProblem(document);
  if (refusal !== undefined) return problem(refusal);
  const valid = document as unknown as PlanFileDocument;
  const disorder = actionOrderProblem(valid);
  if (disorder !== undefined) return problem(disorder);
  const file = decodeFile(valid);
  if (encodePlanFile(file, format) !== text) return problem(notCanonicalPlanFile(file));
  return success(file);
}

/** Why it cannot be a plan file of this version, whatever the rest of it looks like. */
function planFileHeaderProblem({ document, format_version: version }: DocumentFields): string | undefined {
  if (document === "roster snapshot") {
    return "it is a snapshot, of which `roster plan --from FILE` makes a preview; what is applied is read anew";
  }
  if (document !== "roster plan file") {
    return "it is no plan file: what `roster plan --format json` prints shows what would be done, and is not applied";
  }
  if (version === planFileVersion) return undefined;
  return `its format_version is ${quoted(version)}, and this version of roster reads ${planFileVersion}`;
}

function planFileSchemaProblem(document: DocumentFields): string | undefined {
  return validPlanFile(document) ? undefined : schemaProblem(validPlanFile.errors?.[0]);
}

function notCanonicalPlanFile({ madeBy }: PlanFile): string {
  return `it is not as roster writes it, with something added or laid out otherwise; it says that roster ${madeBy} made it`;
}

function decodeFile(document: PlanFileDocument): PlanFile {
  const { basis, policy } = document;
  const { roster, state, read_at: readAt, everyone, capabilities } = basis;
  return {
    id: document.file,
    madeAt: document.made_at,
    madeBy: document.made_by,
    expiresAt: document.expires_at,
    basis: {
      roster,
      state: state ?? "none",
      records: document.records,
      readAt,
      everyone,
      capabilities,
      witnesses: document.witnesses.map(decodeUserAddress),
    },
    policy: { words: policy.words, privilegedRoles: roleSet(policy.privileged_roles) },
    lessons: document.lessons,
    plan: decodePlan(document),
  };
}

function decodeUserAddress({ address, email }: UserAddressFields): UserAddress {
  return { address: address as FoldedAddress, email };
}
