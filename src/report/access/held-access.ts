import type { Finding, FindingCode } from "../../model/finding.ts";

/** Findings of which each says that somebody holds access that the roster denies. No call of the plan can take it. */
export function heldAccess(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, blocking }) => blocking && codes.has(code));
}

const codes: ReadonlySet<FindingCode> = new Set([
  "leaver-remains",
  "leaver-unproven",
  "extra-member",
  "dropped",
  "unmanaged-privilege",
  "unlisted-key-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-implied",
]);
