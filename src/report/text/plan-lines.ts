import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import type { Rehearsal } from "../../model/rehearsal.ts";
import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import { heldAccess } from "../access/held-access.ts";
import { countPlan, type PlanCounts } from "../counts.ts";
import type { Reading } from "../outcome.ts";
import { rehearsalLines } from "../rehearsal/text-rehearsal.ts";
import type { ViewName } from "../views/view-name.ts";
import { views } from "../views/views.ts";
import { counted } from "../words.ts";
import { findingCounts, findingsLines } from "./finding-lines.ts";
import { type Line, prose, stacked } from "./lines.ts";
import { readingLines } from "./reading-lines.ts";

/** What a plan is told with. */
export interface PlanContext {
  readonly reading?: Reading;
  /** The plan is about a part of the roster. */
  readonly selected?: true;
  /** By teams and people, where nothing else is wished for. */
  readonly view?: ViewName;
  /** Roles that let their holder administer others: those of this run, or those that are so unless set. */
  readonly privilegedRoles?: RoleSet;
  readonly rehearsal?: Rehearsal;
}

/** A plan for people, to be read from top to bottom; as Mermaid, for programs that draw it. */
export function planLines(plan: Plan, { reading, selected, view = "teams", ...about }: PlanContext): readonly Line[] {
  const sections = views[view](plan, {
    privileged: about.privilegedRoles ?? defaultPrivilegedRoles,
    shown: reading?.privileges,
  });
  if (view === "mermaid") return sections.flat();
  return stacked([
    readingLines("Plan for", plan, reading),
    ...sections,
    ...(view === "access" ? accessFindings(plan) : [findingsLines("Findings", plan.findings, plan.actions)]),
    summaryLines(plan, selected === true ? "a-part" : "all"),
    about.rehearsal === undefined ? [] : rehearsalLines(about.rehearsal, plan),
  ]);
}

/** Access that nobody's call can take stands by itself where access is what is read. */
function accessFindings({ findings, actions }: Plan): readonly (readonly Line[])[] {
  const held = heldAccess(findings);
  const others = findings.filter((finding) => !held.includes(finding));
  return [
    findingsLines("Access that is held against the roster, and that no call can take", held, actions),
    findingsLines(held.length === 0 ? "Findings" : "Other findings", others, actions),
  ];
}

/** What a plan comes to, in numbers. */
export function summaryLines(plan: Plan, about: "all" | "a-part"): readonly Line[] {
  const counts = countPlan(plan);
  if (plan.actions.length > 0) {
    const found = plan.findings.length === 0 ? [] : [`${findingCounts(plan.findings)}.`];
    return [...planSummary(counts), ...found].map((text) => prose(0, text, "strong"));
  }
  const blocking = plan.findings.filter((finding) => finding.blocking);
  return [prose(0, `No changes. ${blocking.length === 0 ? agreement(about) : remainder(blocking)}`, "strong")];
}

function agreement(about: "all" | "a-part"): string {
  if (about === "all") return "The service agrees with the roster.";
  return "The service agrees with the selected part of the roster; the rest was not compared.";
}

/** What a guard holds is a call that waits for a word. */
function remainder(blocking: readonly Finding[]): string {
  const held = blocking.filter(({ allow }) => allow !== undefined).length;
  const remain = blocking.length === 1 ? "finding remains" : "findings remain";
  const all = `${blocking.length} blocking ${remain}`;
  if (held === 0) return `${all}, which no call can correct.`;
  if (held < blocking.length) return `${all}, of which guards hold ${held}.`;
  return `${all}, which ${held === 1 ? "a guard holds" : "guards hold"}.`;
}

/** What a plan does and what it costs, a sentence or two each. */
function planSummary(counts: PlanCounts): readonly string[] {
  return [`Plan: ${deedWords(counts)}`, `${mailWords(counts)} ${callWords(counts)}.`];
}

/** What a plan does, in a sentence. */
export function deedWords(counts: PlanCounts): string {
  const founding =
    counts.foundTeams === 0 ? "" : ` (${counts.foundTeams} ${counts.foundTeams === 1 ? "founds" : "found"} a team)`;
  const parts = [
    ...(counts.createUsers === 0 ? [] : [`${counted(counts.createUsers, "user")} to create${founding}`]),
    ...(counts.addMembers === 0 ? [] : [counted(counts.addMembers, "team gains members", "teams gain members")]),
    ...(counts.replaceRoles === 0
      ? []
      : [counted(counts.replaceRoles, "key gets other roles", "keys get other roles")]),
  ];
  return `${parts.join(", ")}.`;
}

/** How many mails a plan sends, as a sentence. */
export function mailWords({ mails }: PlanCounts): string {
  if (mails === 0) return "No mail is sent.";
  return counted(mails, "person-in-team addition sends a mail.", "people-in-team additions send a mail.");
}

/** How many calls a plan makes, and how many at the most. */
export function callWords({ calls }: PlanCounts): string {
  const writes = counted(calls.writes, "call");
  return calls.atMost === calls.writes ? writes : `${writes}, at most ${calls.atMost}`;
}
