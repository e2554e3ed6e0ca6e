import { lastRecordNumber } from "../codec/audit.ts";
import type { Failure } from "../model/result.ts";

/** Where the trail is, what was done there, and why it failed. `hint`: how the place is repaired. */
export interface AuditFault {
  readonly at: string;
  readonly doing: "read" | "written";
  readonly why: string;
  readonly hint: string;
}

export function auditFailure({ at, doing, why, hint }: AuditFault): Failure {
  return {
    code: "state",
    message: `the audit trail could not be ${doing} at ${at}: ${why}`,
    request: at,
    hint: withOtherPlace(hint),
  };
}

/** A hint how a place is repaired, with what else can be done. */
export function withOtherPlace(hint: string | undefined): string {
  const repair = hint === undefined ? "" : `${hint}, or `;
  return `${repair}name another place with ROSTER_AUDIT=URL; ROSTER_AUDIT=none goes on without a trail`;
}

/** The trail does not end with the record behind which lines were to be added. */
export function grownTrail(at: string): Failure {
  return auditFailure({
    at,
    doing: "written",
    why: "another program added records to it",
    hint: "run again, give each state a trail of its own",
  });
}

/** Why no line may be added behind a record: the trail ends with another line. Undefined where it may. */
export function whyNotBehind(last: string | undefined, after: number, at: string): Failure | undefined {
  if (last === undefined) return undefined;
  const number = lastRecordNumber(last);
  if (!number.ok) return auditFailure({ at, doing: "written", why: number.error, hint: "keep it" });
  return number.value === after ? undefined : grownTrail(at);
}
