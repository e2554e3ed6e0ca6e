import type { JsonObject } from "../../codec/mapping.ts";
import type { ApprovalReport, PlanFileReport } from "../outcome.ts";

/** A plan file that was written, shown or applied, under the published names. */
export function planFilePart({ path, file, approvals }: PlanFileReport): JsonObject {
  const { roster, state, readAt } = file.basis;
  return {
    path,
    file: file.id,
    made_at: file.madeAt,
    made_by: file.madeBy,
    expires_at: file.expiresAt,
    roster_digest: roster.digest,
    state: state === "none" ? null : { lineage: state.lineage, serial: state.serial },
    read_at: readAt,
    words: file.policy.words,
    approvals: approvals && approvalPart(approvals),
  };
}

function approvalPart({ needed, privileged, signatures, open }: ApprovalReport): JsonObject {
  const counted = signatures.filter(({ is }) => is === "counted").length;
  return { needed, counted, privileged, signatures, open };
}
