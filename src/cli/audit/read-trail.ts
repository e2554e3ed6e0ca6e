import { type VerifiedTrail, verifyTrail } from "../../codec/audit.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import { type CommandError, errorFromFailure } from "../command-error.ts";
import type { Session } from "../session.ts";
import { sha256 } from "../system.ts";
import { openAuditTrail } from "./open-trail.ts";

/** A whole trail whose records follow from one another, and from what the state remembers. */
interface ReadTrail extends VerifiedTrail {
  readonly address: string;
}

/** Reads the trail of a state and verifies it: a trail that was changed is never shown as if it were whole. */
export async function readAuditTrail(
  { settings, host }: Session,
  { audit: known }: State,
): Promise<Result<ReadTrail | "none", CommandError>> {
  const trail = await openAuditTrail(settings, host);
  if (!trail.ok) return trail;
  if (trail.value === "none") return success("none");
  const { address } = trail.value;
  const lines = await trail.value.read();
  await trail.value.close();
  if (!lines.ok) return problem(errorFromFailure(lines.error));
  const verified = await verifyTrail(lines.value, known, sha256);
  if (verified.ok) return success({ address, ...verified.value });
  const { record, why } = verified.error;
  return problem(
    errorFromFailure({
      code: "audit",
      message: `the audit trail was changed: record ${record} ${why}`,
      request: address,
      hint: "keep the trail as it is, and compare it with a copy",
    }),
  );
}
