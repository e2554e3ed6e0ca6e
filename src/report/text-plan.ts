import type { Action } from "../model/action.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import { countPlan, type PlanCounts } from "./counts.ts";
import { type Line, prose, row, stacked } from "./lines.ts";
import type { Reading } from "./outcome.ts";
import { planNames } from "./plan-names.ts";
import { actionLines } from "./text-action.ts";
import { findingCounts, findingsLines } from "./text-findings.ts";
import { readingLines } from "./text-reading.ts";
import { counted } from "./words.ts";

/** What a plan is told with. */
export interface PlanContext {
  readonly reading?: Reading;
  /** The plan is about a part of the roster. */
  readonly selected?: true;
}

/** A plan for people, to be read from top to bottom. */
export function planLines(plan: Plan, { reading, selected }: PlanContext): readonly Line[] {
  return stacked([
    readingLines("Plan for", plan, reading),
    ...kinds.map((kind) => sectionLines(kind, plan)),
    findingsLines("Findings", plan.findings),
    summaryLines(plan, selected === true ? "a-part" : "all"),
  ]);
}

const kinds = ["create-user", "add-members", "replace-roles"] as const;

const sections: Readonly<Record<Action["kind"], (count: number) => string>> = {
  "create-user": (count) => `Create ${counted(count, "user")}`,
  "add-members": (count) => `Add members to ${counted(count, "team")}`,
  "replace-roles": (count) => `Replace the roles of ${counted(count, "key")}`,
};

function sectionLines(kind: Action["kind"], plan: Plan): readonly Line[] {
  const actions = plan.actions.filter((action) => action.kind === kind);
  if (actions.length === 0) return [];
  const heading = row(0, [{ ink: "strong", text: sections[kind](actions.length) }]);
  const names = planNames(plan);
  return [heading, ...actions.flatMap((action) => actionLines(action, names))];
}

function summaryLines(plan: Plan, about: "all" | "a-part"): readonly Line[] {
  const counts = countPlan(plan);
  if (plan.actions.length > 0) {
    const found = plan.findings.length === 0 ? [] : [`${findingCounts(plan.findings)}.`];
    return [...planSummary(counts), ...found].map((text) => row(0, [{ ink: "strong", text }]));
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

function planSummary(counts: PlanCounts): readonly string[] {
  const founding =
    counts.foundTeams === 0 ? "" : ` (${counts.foundTeams} ${counts.foundTeams === 1 ? "founds" : "found"} a team)`;
  const parts = [
    ...(counts.createUsers === 0 ? [] : [`${counted(counts.createUsers, "user")} to create${founding}`]),
    ...(counts.addMembers === 0 ? [] : [counted(counts.addMembers, "team gains members", "teams gain members")]),
    ...(counts.replaceRoles === 0
      ? []
      : [counted(counts.replaceRoles, "key gets other roles", "keys get other roles")]),
  ];
  return [`Plan: ${parts.join(", ")}.`, `${mailWords(counts)} ${callWords(counts)}.`];
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
