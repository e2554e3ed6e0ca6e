import type { Finding } from "../../model/finding.ts";
import type { Plan, Rehearsal } from "../../model/plan.ts";
import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import { residualAccess } from "../access/held-access.ts";
import { countPlan, type PlanCounts } from "../counts.ts";
import type { ReadSummary } from "../outcome.ts";
import { rehearsalLines } from "../rehearsal/text-rehearsal.ts";
import type { ViewName } from "../views/view-name.ts";
import { views } from "../views/views.ts";
import { formatCount } from "../words.ts";
import { findingCounts, findingListLines } from "./finding-lines.ts";
import { joinSections, type Line, prose } from "./lines.ts";
import { readingLines } from "./reading-lines.ts";

/** What a plan is told with. */
export interface PlanTextOptions {
  readonly reading?: ReadSummary;
  /** The plan is about a part of the roster. */
  readonly selected?: true;
  /** By teams and people, where nothing else is wished for. */
  readonly view?: ViewName;
  /** Roles that let their holder administer others: those of this run, or those that are so unless set. */
  readonly privilegedRoles?: RoleSet;
  readonly rehearsal?: Rehearsal;
}

/** A plan for people, to be read from top to bottom; as Mermaid, for programs that draw it. */
export function planLines(
  plan: Plan,
  { reading, selected, view = "teams", ...about }: PlanTextOptions,
): readonly Line[] {
  const sections = views[view](plan, {
    privileged: about.privilegedRoles ?? defaultPrivilegedRoles,
    shown: reading?.privileges,
  });
  if (view === "mermaid") return sections.flat();
  return joinSections([
    readingLines("Plan for", plan, reading),
    ...sections,
    ...(view === "access" ? accessFindings(plan) : [findingListLines("Findings", plan.findings, plan.actions)]),
    planSummaryLines(plan, selected === true ? "a-part" : "all"),
    about.rehearsal === undefined ? [] : rehearsalLines(about.rehearsal, plan),
  ]);
}

/** Access that nobody's call can take stands by itself where access is what is read. */
function accessFindings({ findings, actions }: Plan): readonly (readonly Line[])[] {
  const held = residualAccess(findings);
  const others = findings.filter((finding) => !held.includes(finding));
  return [
    findingListLines("Access that is held against the roster, and that no call can take", held, actions),
    findingListLines(held.length === 0 ? "Findings" : "Other findings", others, actions),
  ];
}

/** What a plan comes to, in numbers. */
export function planSummaryLines(plan: Plan, about: "all" | "a-part"): readonly Line[] {
  const counts = countPlan(plan);
  if (plan.actions.length > 0) {
    const found = plan.findings.length === 0 ? [] : [`${findingCounts(plan.findings)}.`];
    return [...formatPlanSummary(counts), ...found].map((text) => prose(0, text, "strong"));
  }
  const blocking = plan.findings.filter((finding) => finding.blocking);
  return [
    prose(0, `No changes. ${blocking.length === 0 ? formatAgreement(about) : formatRemaining(blocking)}`, "strong"),
  ];
}

function formatAgreement(about: "all" | "a-part"): string {
  if (about === "all") return "The service agrees with the roster.";
  return "The service agrees with the selected part of the roster; the rest was not compared.";
}

/** What a guard holds is a call that waits for a word. */
function formatRemaining(blocking: readonly Finding[]): string {
  const held = blocking.filter(({ allow }) => allow !== undefined).length;
  const remain = blocking.length === 1 ? "finding remains" : "findings remain";
  const all = `${blocking.length} blocking ${remain}`;
  if (held === 0) return `${all}, which no call can correct.`;
  if (held < blocking.length) return `${all}, of which guards hold ${held}.`;
  return `${all}, which ${held === 1 ? "a guard holds" : "guards hold"}.`;
}

/** What a plan does and what it costs, a sentence or two each. */
function formatPlanSummary(counts: PlanCounts): readonly string[] {
  return [`Plan: ${formatActionCounts(counts)}`, `${formatMailCount(counts)} ${formatCallCount(counts)}.`];
}

/** What a plan does, in a sentence. */
export function formatActionCounts(counts: PlanCounts): string {
  const founding =
    counts.foundTeams === 0 ? "" : ` (${counts.foundTeams} ${counts.foundTeams === 1 ? "founds" : "found"} a team)`;
  const parts = [
    ...(counts.createUsers === 0 ? [] : [`${formatCount(counts.createUsers, "user")} to create${founding}`]),
    ...(counts.addMembers === 0 ? [] : [formatCount(counts.addMembers, "team gains members", "teams gain members")]),
    ...(counts.replaceRoles === 0
      ? []
      : [formatCount(counts.replaceRoles, "key gets other roles", "keys get other roles")]),
  ];
  return `${parts.join(", ")}.`;
}

/** How many mails a plan sends, as a sentence. */
export function formatMailCount({ mails }: PlanCounts): string {
  if (mails === 0) return "No mail is sent.";
  return formatCount(mails, "person-in-team addition sends a mail.", "people-in-team additions send a mail.");
}

/** How many calls a plan makes, and how many at the most. */
export function formatCallCount({ calls }: PlanCounts): string {
  const writes = formatCount(calls.writes, "call");
  return calls.atMost === calls.writes ? writes : `${writes}, at most ${calls.atMost}`;
}
