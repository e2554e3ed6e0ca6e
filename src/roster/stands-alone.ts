import type { RosterDiagnosticCode } from "./fault-code.ts";

/** What is missing, or is left to a weaker entry, only as long as no other file holds it; and hints that would be cut short. */
const dependsOnOtherFiles: ReadonlySet<RosterDiagnosticCode> = new Set<RosterDiagnosticCode>([
  "unknown-user",
  "unknown-group",
  "unknown-role-set",
  "admin-not-member",
  "founder-not-member",
  "leaver-in-use",
  "leaver-key-roles",
  "conflicting-roles",
  "until-has-come",
  "unsafe-address",
  "single-label-domain",
  "unusual-address",
  "non-ascii-address",
]);

/** Whether a fault of some files stands whatever other files of the roster hold. */
export function isLocalError(code: RosterDiagnosticCode): boolean {
  return !dependsOnOtherFiles.has(code);
}
