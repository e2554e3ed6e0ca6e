import type { Action } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import type { Finding, FindingCode } from "../../model/finding.ts";

/** Findings of which each says that somebody holds access that the roster denies. No call of the plan can take it. */
export function residualAccess(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, blocking }) => blocking && residualAccessCodes.has(code));
}

/** Prefixes of the keys that a plan leaves without roles, of whom such a finding is about; none for other findings. */
export function emptiedKeys(finding: Finding, actions: readonly Action[]): readonly string[] {
  const { subject } = finding;
  if (residualAccess([finding]).length === 0) return [];
  return actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.owner === undefined || action.roles.length > 0) return [];
    const { key, owner } = action;
    const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
    const isAbout =
      subject === `user ${owner.address}` ||
      (key.of === "prefix" && key.team !== undefined && subject === `member ${owner.address} of team ${key.team.team}`);
    return prefix !== undefined && isAbout ? [prefix] : [];
  });
}

const residualAccessCodes: ReadonlySet<FindingCode> = new Set([
  "leaver-remains",
  "leaver-unproven",
  "extra-member",
  "dropped",
  "unmanaged-privilege",
  "unlisted-key-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-implied",
]);
