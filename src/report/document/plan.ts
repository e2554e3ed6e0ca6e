import { isAccepted } from "../../model/accept.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import { countPlan, type Plan, type PlanCounts, type RosterCounts } from "../../model/plan.ts";
import type { Capabilities } from "../../model/recorded.ts";
import { defaultPrivilegedRoles } from "../../model/role-set.ts";
import type { ReadSummary, UserListStatus } from "../../model/snapshot.ts";
import type { CommandOutcome, PlanFileReport, ViewName } from "../outcome.ts";
import { formatCount, formatCounts, formatList } from "../phrases.ts";
import type { View } from "./access.ts";
import { formatCallCount } from "./actions.ts";
import { heading, joinSections, type Line, prose, row } from "./blocks.ts";
import { groupLines } from "./entries.ts";
import { allowanceCommand, findingCounts, findingGroups } from "./findings.ts";
import { callsView, recordedSection } from "./sent.ts";
import { teamsView } from "./teams.ts";

/** How a plan is shown: by teams and people unless a view is named. */
export type PlanTextOptions = Pick<
  CommandOutcome,
  "reading" | "selected" | "view" | "privilegedRoles" | "planFile" | "repeats"
>;

/** A plan for people, to be read from top to bottom. */
export function planLines(
  plan: Plan,
  { reading, selected, view = "teams", planFile, privilegedRoles, repeats }: PlanTextOptions,
): readonly Line[] {
  const sections = views[view](plan, {
    privileged: privilegedRoles ?? defaultPrivilegedRoles,
    shown: reading?.privileges,
  });
  // Who reads a saved plan approves it: everything that its apply sends and records is shown.
  const isShown = planFile?.is === "shown" || planFile?.is === "shown-expired";
  return joinSections([
    planFile === undefined || planFile.is === "written" ? [] : planFileLines(planFile),
    readingLines("Plan for", plan, reading),
    ...sections,
    ...(isShown && view !== "calls" ? callsView(plan) : []),
    ...findingGroups(plan.findings, plan).map(groupLines),
    planSummaryLines(plan, selected === true ? "a-part" : "all"),
    allowanceLines(allowanceCommand(plan, repeats)),
    isShown ? recordedSection(plan, planFile.file.lessons) : [],
    planFile?.is === "written" ? savedPlanLines(planFile) : [],
  ]);
}

/** A plan in numbers. */
export function planSummaryLines(plan: Plan, about: "all" | "a-part"): readonly Line[] {
  const counts = countPlan(plan);
  if (plan.actions.length > 0) {
    const found = plan.findings.length === 0 ? [] : [`${findingCounts(plan.findings)}.`];
    return [...formatPlanSummary(plan, counts), ...found].map((text) => prose(0, text, "strong"));
  }
  const blocking = plan.findings.filter(isOpenProblem);
  const text = blocking.length === 0 ? formatNoChanges(plan, about) : formatBlockedPlan(blocking);
  return [prose(0, text, "strong")];
}

function formatNoChanges({ findings }: Plan, about: "all" | "a-part"): string {
  return findings.some(isAccepted)
    ? "No changes, except for what is accepted."
    : `No changes. ${formatAgreement(about)}`;
}

function formatAgreement(about: "all" | "a-part"): string {
  if (about === "all") return "The service matches the roster.";
  return "The service matches the selected part of the roster. The rest was not compared.";
}

/** What is left where roster has nothing to send: not that nothing was done before. */
function formatBlockedPlan(blocking: readonly Finding[]): string {
  const offered = blocking.filter(({ allow }) => allow !== undefined).length;
  const all = `Nothing to apply. ${formatTasksLeft(blocking.length)}.`;
  if (offered === 0) return all;
  if (blocking.length === 1) return `${all} It can be allowed with a flag.`;
  return `${all} ${offered === blocking.length ? "All" : `${offered} of the ${blocking.length}`} can be allowed with a flag.`;
}

/** `1 task is left for a person`: why a plan without calls is not a plan without changes. */
export function formatTasksLeft(count: number): string {
  return count === 1 ? "1 task is left for a person" : `${count} tasks are left for a person`;
}

/** One command that allows all that can be allowed. */
function allowanceLines(command: ReturnType<typeof allowanceCommand>): readonly Line[] {
  if (command === undefined) return [];
  return [prose(0, `To allow ${command.what}:`), row(2, [command.line])];
}

/** What a plan does and what it costs, a sentence or two each. */
function formatPlanSummary({ id, actions }: Plan, counts: PlanCounts): readonly string[] {
  const costs = `${formatMailCount(counts)} ${formatCallCount(actions).replace(/^u/u, "U")}.`;
  return [`Plan: ${formatActionCounts(counts)}.`, `${costs} Plan ID ${id}.`];
}

/** `create 2 users and 1 team, invite 3 members to 1 team, change the roles of 4 keys`. */
export function formatActionCounts(counts: PlanCounts): string {
  const { createUsers, createTeams, addMembers, replaceRoles, mails } = counts;
  const created = formatCounts([createUsers, "user"], [createTeams, "team"]);
  return [
    ...(created.length === 0 ? [] : [`create ${formatList(created)}`]),
    ...(addMembers === 0 ? [] : [`invite ${formatCount(mails, "member")} to ${formatCount(addMembers, "team")}`]),
    ...(replaceRoles === 0 ? [] : [`change the roles of ${formatCount(replaceRoles, "key")}`]),
  ].join(", ");
}

/** How many mails a plan sends, as a sentence. */
export function formatMailCount({ mails }: PlanCounts): string {
  return mails === 0 ? "No mails." : `${formatCount(mails, "mail")}.`;
}

/** The ways to read a plan, by name. A new one is a file, a name and a line here. */
const views: Readonly<Record<ViewName, View>> = {
  teams: teamsView,
  calls: callsView,
};

/** What was read, from where, and what was not. */
export function readingLines(title: string, plan: Plan, reading: ReadSummary | undefined): readonly Line[] {
  const head = heading(`${title} ${plan.service}`);
  if (reading === undefined) return [head];
  const requests = formatCount(plan.calls.reads, "request");
  return [
    head,
    ...snapshotNoticeLines(reading),
    prose(0, `Read at ${reading.readAt} with ${requests}. ${formatCompleteness(reading.everyone)}`, "dim"),
    ...hiddenFieldLines(reading.capabilities),
  ];
}

function snapshotNoticeLines(reading: ReadSummary): readonly Line[] {
  const words = formatSnapshotNotice(reading);
  return words === undefined ? [] : [prose(0, words, "strong")];
}

/** That a plan was made of a snapshot, in sentences; nothing where the service was read for it. */
export function formatSnapshotNotice({ kept }: ReadSummary): string | undefined {
  return kept === undefined ? undefined : "This is a preview from a snapshot. It cannot be applied.";
}

/** Whether everybody was read, in a sentence. */
export function formatCompleteness(everyone: UserListStatus): string {
  switch (everyone.read) {
    case "complete":
      return "All users were read.";
    case "incomplete":
      return `The list of users is incomplete: ${everyone.why}.`;
    case "not-read":
      return "Users outside the roster were not read.";
  }
}

function hiddenFieldLines(capabilities: Capabilities): readonly Line[] {
  const words = formatHiddenFields(capabilities);
  return words === undefined ? [] : [prose(0, words, "dim")];
}

/** What the service does not show, in a sentence; nothing where it shows what there is. */
export function formatHiddenFields(capabilities: Capabilities): string | undefined {
  const hidden = [
    ...(capabilities.keysOnUsers === "hidden" ? ["the keys of users"] : []),
    ...(capabilities.rolesOnKeys === "hidden" ? ["the roles of keys"] : []),
    ...(capabilities.teamsOnKeys === "hidden" ? ["the teams of keys"] : []),
  ];
  return hidden.length === 0 ? undefined : `The service does not show ${hidden.join(", ")}.`;
}

/** Where it comes from and how long it is good for. */
function planFileLines({ file, digest, is }: PlanFileReport): readonly Line[] {
  const { roster, state } = file.basis;
  const version = state === "none" ? "without a log" : `at position ${state.serial} of the log ${state.lineage}`;
  const words = file.policy.words.length === 0 ? "" : `, with ${file.policy.words.join(" ")}`;
  return [
    prose(0, `Plan file ${file.id}, made at ${file.madeAt} by roster ${file.madeBy}${words}.`, "dim"),
    prose(0, `It is for the roster ${roster.digest} (${formatRosterCounts(roster)}), ${version}.`, "dim"),
    prose(0, `SHA-256: ${digest}`, "dim"),
    is === "shown-expired"
      ? prose(0, `It expired at ${file.expiresAt} and cannot be applied. Plan again.`, "alarm")
      : prose(0, `It can be applied once, until ${file.expiresAt}.`, "dim"),
  ];
}

/** That a plan was saved, and what to do with it. */
function savedPlanLines({ path, file, digest }: PlanFileReport): readonly Line[] {
  const apply = `To apply exactly this plan, run \`roster apply ${shellQuote(path)}\` before ${file.expiresAt}.`;
  return [prose(0, `Saved. ${apply}`), prose(0, `SHA-256: ${digest}`, "dim")];
}

/** A path as one word of a shell's command. */
function shellQuote(path: string): string {
  return /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** `3 users, 1 leaver, 2 teams, 0 keys`, without leavers where there are 0. */
export function formatRosterCounts({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  return [
    formatCount(users, "user"),
    ...formatCounts([leavers, "leaver"]),
    formatCount(teams, "team"),
    formatCount(keys, "key"),
  ].join(", ");
}
