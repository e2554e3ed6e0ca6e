import type { Action } from "../model/action.ts";
import type { Plan } from "../model/plan.ts";
import { countPlan, type PlanCounts } from "./counts.ts";
import { type Line, prose, row, stacked } from "./lines.ts";
import type { CommandOutcome, Reading } from "./outcome.ts";
import { planNames } from "./plan-names.ts";
import { actionLines } from "./text-action.ts";
import { findingCounts, findingsLines } from "./text-findings.ts";
import { readingLines } from "./text-reading.ts";
import { counted, listed } from "./words.ts";

/** What a plan is told with. */
export interface PlanContext {
  readonly reading?: Reading;
  /** The words differ where the plan is told as drift. */
  readonly command?: CommandOutcome["command"];
}

/** A plan for people, to be read from top to bottom. */
export function planLines(plan: Plan, { reading, command }: PlanContext): readonly Line[] {
  const words = command === "drift" ? driftWords : planWords;
  return stacked([
    readingLines(words.title, plan, reading),
    ...kinds.map((kind) => sectionLines(kind, words, plan)),
    findingsLines("Findings", plan.findings),
    summaryLines(words, plan),
  ]);
}

const kinds = ["create-user", "add-members", "replace-roles"] as const;

type Section = (count: number) => string;

interface Words {
  readonly title: string;
  readonly sections: Readonly<Record<Action["kind"], Section>>;
  /** One sentence or two for each line. */
  readonly summary: (counts: PlanCounts) => readonly string[];
  readonly nothing: string;
  readonly nothingToSend: string;
}

const planWords: Words = {
  title: "Plan for",
  sections: {
    "create-user": (count) => `Create ${counted(count, "user")}`,
    "add-members": (count) => `Add members to ${counted(count, "team")}`,
    "replace-roles": (count) => `Replace the roles of ${counted(count, "key")}`,
  },
  summary: planSummary,
  nothing: "No changes. The service agrees with the roster.",
  nothingToSend: "No changes.",
};

const driftWords: Words = {
  title: "Drift at",
  sections: {
    "create-user": (count) => `${counted(count, "user is", "users are")} missing`,
    "add-members": (count) => `${counted(count, "team lacks", "teams lack")} members`,
    "replace-roles": (count) => `${counted(count, "key has", "keys have")} other roles than the roster says`,
  },
  summary: driftSummary,
  nothing: "No drift. The service agrees with the roster.",
  nothingToSend: "No drift that a call could correct.",
};

function sectionLines(kind: Action["kind"], words: Words, plan: Plan): readonly Line[] {
  const actions = plan.actions.filter((action) => action.kind === kind);
  if (actions.length === 0) return [];
  const heading = row(0, [{ ink: "strong", text: words.sections[kind](actions.length) }]);
  const names = planNames(plan);
  return [heading, ...actions.flatMap((action) => actionLines(action, names))];
}

function summaryLines(words: Words, plan: Plan): readonly Line[] {
  const counts = countPlan(plan);
  if (plan.actions.length > 0) {
    const found = plan.findings.length === 0 ? [] : [`${findingCounts(plan.findings)}.`];
    return [...words.summary(counts), ...found].map((text) => row(0, [{ ink: "strong", text }]));
  }
  if (counts.blockingFindings === 0) return [prose(0, words.nothing, "strong")];
  const remain = counts.blockingFindings === 1 ? "finding remains" : "findings remain";
  const findings = `${counts.blockingFindings} blocking ${remain}, which no call can correct.`;
  return [prose(0, `${words.nothingToSend} ${findings}`, "strong")];
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

function driftSummary(counts: PlanCounts): readonly string[] {
  const parts = [
    ...(counts.createUsers === 0 ? [] : [`${counted(counts.createUsers, "user")} missing`]),
    ...(counts.addMembers === 0 ? [] : [counted(counts.addMembers, "team lacks members", "teams lack members")]),
    ...(counts.replaceRoles === 0
      ? []
      : [counted(counts.replaceRoles, "key has other roles", "keys have other roles")]),
  ];
  return [`Drift: ${listed(parts)}.`, `An apply corrects it with ${callWords(counts)}. ${mailWords(counts)}`];
}

function mailWords({ mails }: PlanCounts): string {
  if (mails === 0) return "No mail is sent.";
  return counted(mails, "person-in-team addition sends a mail.", "people-in-team additions send a mail.");
}

function callWords({ calls }: PlanCounts): string {
  const writes = counted(calls.writes, "call");
  return calls.atMost === calls.writes ? writes : `${writes}, at most ${calls.atMost}`;
}
