import { formatCount, joinList } from "../../codes/message.ts";
import { isAccepted } from "../../model/accept.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import { countPlan, type Plan, type PlanCounts, type RosterCounts } from "../../model/plan.ts";
import type { Capabilities } from "../../model/recorded.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { UserListStatus } from "../../model/snapshot.ts";
import type { CommandOutcome, PlanFileReport } from "../outcome.ts";
import { formatCounts } from "../phrases.ts";
import { formatCallCount } from "./actions.ts";
import { type PlanStanding, privilegeSummary } from "./changes.ts";
import { formatFindingCounts } from "./tasks.ts";
import { type Block, type Inline, inked, type Paragraph, paragraph, phrase, sentence, strong, words } from "./tree.ts";

export type PlanTextOptions = Pick<
  CommandOutcome,
  "reading" | "selected" | "view" | "privilegedRoles" | "planFile" | "repeats"
>;

export function planSummary(
  plan: Plan,
  {
    privileged,
    selected,
    is,
  }: { readonly privileged: RoleSet; readonly selected: true | undefined; readonly is: PlanStanding },
): readonly Paragraph[] {
  const { actions, findings } = plan;
  const counts = countPlan(plan);
  const found = findings.length === 0 ? [] : [`${formatFindingCounts(findings)}.`];
  if (actions.length > 0) {
    const lead = { "to-do": "Plan:", planned: "Planned:", repair: "apply would" }[is];
    const mails = counts.mails === 0 ? "No mails" : formatCount(counts.mails, "mail");
    const cost = `${mails}. ${formatCallCount(actions)}. Plan ID ${plan.id}.`;
    const texts = [`${lead} ${formatActionCounts(counts)}.`, cost, ...found];
    return [...privilegeSummary(plan, privileged, is), ...texts.map((text) => sentence(text, "strong"))];
  }
  const tasks = findings.filter(isOpenProblem);
  if (tasks.length > 0) return [sentence(formatNothingToApply(tasks), "strong")];
  if (findings.some(isAccepted)) return [sentence("No changes, except for what is accepted.", "strong")];
  const agreement =
    selected === true
      ? "The service matches the selected part of the roster. The rest was not compared."
      : "The service matches the roster.";
  return [sentence(`No changes. ${agreement}`, "strong")];
}

function formatNothingToApply(tasks: readonly Finding[]): string {
  const offered = tasks.filter(({ allow }) => allow !== undefined).length;
  const left = tasks.length === 1 ? "1 task is left for a person." : `${tasks.length} tasks are left for a person.`;
  const which = tasks.length === 1 ? "It" : offered === tasks.length ? "All" : `${offered} of the ${tasks.length}`;
  return `Nothing to apply. ${left}${offered === 0 ? "" : ` ${which} can be allowed with a flag.`}`;
}

/** `create 2 users and 1 team, invite 3 members to 1 team, change the roles of 4 keys`. */
function formatActionCounts({ createUsers, createTeams, addMembers, replaceRoles, mails }: PlanCounts): string {
  const created = formatCounts([createUsers, "user"], [createTeams, "team"]);
  return [
    ...(created.length === 0 ? [] : [`create ${joinList(created)}`]),
    ...(addMembers === 0 ? [] : [`invite ${formatCount(mails, "member")} to ${formatCount(addMembers, "team")}`]),
    ...(replaceRoles === 0 ? [] : [`change the roles of ${formatCount(replaceRoles, "key")}`]),
  ].join(", ");
}

export function readingFacts({ reading, plan, roster, selected }: CommandOutcome): readonly Paragraph[] {
  const { kept, readAt, everyone, capabilities } = reading ?? {};
  const requests = plan === undefined ? [] : words(` with ${formatCount(plan.calls.reads, "request")}`);
  return [
    ...(kept === undefined
      ? []
      : [paragraph([strong(words("This is a preview from a snapshot. It cannot be applied."))])]),
    ...(readAt === undefined || everyone === undefined
      ? []
      : [paragraph([...phrase`Read at ${readAt}`, ...requests, ". ", formatCompleteness(everyone)])]),
    ...(capabilities === undefined ? [] : hiddenFields(capabilities)),
    ...(roster === undefined ? [] : [rosterFact(roster, selected)]),
  ];
}

function formatCompleteness(everyone: UserListStatus): string {
  switch (everyone.read) {
    case "complete":
      return "All users were read.";
    case "incomplete":
      return `The list of users is incomplete: ${everyone.why}.`;
    case "not-read":
      return "Users outside the roster were not read.";
  }
}

function hiddenFields({ keysOnUsers, rolesOnKeys, teamsOnKeys }: Capabilities): readonly Paragraph[] {
  const hidden = [
    ...(keysOnUsers === "hidden" ? ["the keys of users"] : []),
    ...(rolesOnKeys === "hidden" ? ["the roles of keys"] : []),
    ...(teamsOnKeys === "hidden" ? ["the teams of keys"] : []),
  ];
  return hidden.length === 0 ? [] : [sentence(`The service does not show ${hidden.join(", ")}.`)];
}

function rosterFact(roster: RosterCounts, selected: CommandOutcome["selected"]): Paragraph {
  const files = roster.files === 0 ? "" : `${formatCount(roster.files, "file")}, `;
  const part: Inline = selected === true ? [...words("; "), strong(words("only a part was compared"))] : [];
  return paragraph([...words(`Roster: ${files}${formatRosterCounts(roster)}`), ...part, ...words(".")]);
}

/** `3 users, 1 leaver, 2 teams, 0 keys`, without leavers where there are 0. */
export function formatRosterCounts({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  const some = formatCounts([leavers, "leaver"]);
  return [formatCount(users, "user"), ...some, formatCount(teams, "team"), formatCount(keys, "key")].join(", ");
}

export function planFileFacts({ path, file, digest, is }: PlanFileReport): readonly Paragraph[] {
  const { roster, state } = file.basis;
  const log =
    state === "none" ? words("No log existed.") : phrase`The log ${state.lineage} ended at position ${state.serial}.`;
  const flags = file.policy.words.length === 0 ? [] : phrase`, with ${file.policy.words.join(" ")}`;
  const use =
    is === "shown-expired"
      ? paragraph([inked("alarm", `It expired at ${file.expiresAt} and cannot be applied. Plan again.`)])
      : sentence(`It can be applied once, until ${file.expiresAt}.`);
  return [
    paragraph(phrase`Plan file ${path} (${file.id}), made at ${file.madeAt} by roster ${file.madeBy}${flags}.`),
    paragraph(
      phrase`It was made from a roster with ${words(formatRosterCounts(roster))} (digest ${roster.digest}). ${log}`,
    ),
    paragraph(phrase`SHA-256: ${digest}`),
    use,
  ];
}

export function savedPlanBlocks({ path, file, digest, is }: PlanFileReport): readonly Block[] {
  if (is !== "written") return [];
  const name = /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  return [
    sentence(`Saved. To apply exactly this plan, run \`roster apply ${name}\` before ${file.expiresAt}.`),
    sentence(`SHA-256: ${digest}`, "dim"),
  ];
}
