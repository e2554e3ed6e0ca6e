import { sentence } from "../codes/message.ts";
import { createFinding, type Finding, isTask } from "../model/finding.ts";
import { allowCommand } from "../model/policy.ts";
import { findingOwnership, type OwnershipLookup } from "../model/roster.ts";
import { formatSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import { isGuarded } from "./drift/classify.ts";
import type { FindingDraft } from "./finding-draft.ts";
import type { Selection } from "./selection.ts";
import { lazy } from "./snapshot-index.ts";

/** Keeps what the selection keeps, in the order given. Says of each finding whose it is, what allows it, and if the roster accepts it. */
export function finalizeFindings(
  drafts: readonly FindingDraft[],
  selection: Selection,
  owners: OwnershipLookup,
  context: PlanContext,
): readonly Finding[] {
  const { allowances, policy, outside } = context;
  const given = lazy(() => allowances.used().map(({ code }) => code));
  const kept = drafts.filter(({ concerns }) => concerns.length === 0 || concerns.some(selection.keeps));
  return kept.map(({ concerns, restsOn = [], allow = [], message: said, ...rest }) => {
    const { code, subject } = rest;
    const ownership = findingOwnership(subject, concerns, owners);
    const codes = [...new Set(allow.map((objection) => allowances.ask(objection).code))];
    const isAllowable = codes.length > 0;
    const message = isAllowable
      ? `${said} ${sentence("allow", { command: allowCommand([...given(), ...codes], policy) })}`
      : said;
    const finding = createFinding({ ...rest, message, restsOn, ownership, allow: isAllowable ? codes : undefined });
    if (!isAcceptable(finding)) return finding;
    const privileged = outside.behindFinding(finding).flatMap((change) => change.privileged);
    // What can be allowed is accepted by the same code.
    const [same] = codes.length === 1 ? allow : [];
    const isSame =
      same?.of === code && same.subject !== undefined && formatSubject(same.subject) === formatSubject(subject);
    const facts = isSame ? same.facts : [finding.fingerprint, ...(finding.roles ?? [])];
    const objection = { of: code, subject, facts: [...facts, ...privileged.map((role) => `with ${role}`)] };
    const guarded = isGuarded(finding) || privileged.length > 0 ? true : undefined;
    return { ...finding, ...allowances.accept(objection, guarded) };
  });
}

/** Nobody can accept what roster may have done itself, nor that a service lost its data. */
function isAcceptable(finding: Finding): boolean {
  return finding.code !== "unknown-outcome" && finding.code !== "service-reset" && isTask(finding);
}
