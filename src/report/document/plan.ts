import { formatCount, joinList } from "../../codes/message.ts";
import type { RunSummary, UnsuccessfulOutcome } from "../../log/summary.ts";
import { countOutcomes, isWhole, refusedMembers, unsuccessfulOutcomes } from "../../log/summary.ts";
import { isAccepted } from "../../model/accept.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import { countPlan, type Plan, type PlanCounts, type RosterCounts } from "../../model/plan.ts";
import { allowCommand } from "../../model/policy.ts";
import { defaultPrivilegedRoles } from "../../model/role-set.ts";
import type { UserListStatus } from "../../model/snapshot.ts";
import type { PlanFileReport } from "../json/document-format.ts";
import type { CommandOutcome } from "../outcome.ts";
import { capitalized, formatCounts, formatTallies, present } from "../phrases.ts";
import { actionLabel, formatCallCount, namesOf, type PlanNames } from "./names.ts";
import { type PlanStanding, privilegeSummary } from "./plan-changes.ts";
import { type FindingContext, failureNotes, findingSections, formatFindingCounts } from "./tasks.ts";
import type { Block, Entry, Paragraph, Section } from "./tree.ts";
import * as t from "./tree.ts";

export type PlanTextOptions = Pick<
  CommandOutcome,
  "reading" | "roster" | "selected" | "view" | "privilegedRoles" | "planFile" | "planAgain"
>;

export function planSummary(
  plan: Plan,
  is: PlanStanding,
  { privilegedRoles = defaultPrivilegedRoles, selected }: Pick<CommandOutcome, "privilegedRoles" | "selected">,
): readonly Paragraph[] {
  const { actions, findings } = plan;
  const counts = countPlan(plan);
  const found = findings.length === 0 ? [] : [`${formatFindingCounts(findings)}.`];
  if (actions.length > 0) {
    const lead = { "to-do": "Plan:", planned: "Planned:", repair: "apply would" }[is];
    const mails = counts.mails === 0 ? "No mails" : formatCount(counts.mails, "mail");
    const cost = `${mails}. ${formatCallCount(actions)}. Plan ID ${plan.id}.`;
    const texts = [`${lead} ${formatChangeCounts(counts, "ahead")}.`, cost, ...found];
    return [...privilegeSummary(plan, privilegedRoles, is), ...texts.map((text) => t.sentence(text, "strong"))];
  }
  const tasks = findings.filter(isOpenProblem);
  if (tasks.length > 0) return [t.sentence(formatNothingToApply(tasks), "strong")];
  const all = "No changes. The service matches the roster.";
  const part = "No changes. The service matches the selected part of the roster. The rest was not compared.";
  const text = findings.some(isAccepted) ? "No changes, except for what is accepted." : selected === true ? part : all;
  return [t.sentence(text, "strong")];
}

function formatNothingToApply(tasks: readonly Finding[]): string {
  const offered = tasks.filter(({ allow }) => allow !== undefined).length;
  const left = tasks.length === 1 ? "1 task is left for a person." : `${tasks.length} tasks are left for a person.`;
  const which = tasks.length === 1 ? "It" : offered === tasks.length ? "All" : `${offered} of the ${tasks.length}`;
  return `Nothing to apply. ${left}${offered === 0 ? "" : ` ${which} can be allowed with a flag.`}`;
}

const verbs = { ahead: ["create", "invite", "change"], done: ["created", "invited", "changed"] } as const;

/** `found`: people that a run found, and did not create. */
type ChangeCounts = Pick<PlanCounts, "createUsers" | "createTeams" | "mails" | "replaceRoles"> &
  Partial<Pick<PlanCounts, "addMembers"> & { readonly found: number }>;

/** `create 2 users and 1 team, invite 3 members to 1 team, change the roles of 4 keys`; for a run, also the people it found. */
function formatChangeCounts(counts: ChangeCounts, tense: keyof typeof verbs): string {
  const [create, invite, change] = verbs[tense];
  const { createUsers, createTeams, mails, replaceRoles, addMembers: teams = 0, found = 0 } = counts;
  const created = formatCounts([createUsers, "user"], [createTeams, "team"]);
  const invited = [formatCount(mails, "member"), ...formatCounts([teams, "team"])].join(" to ");
  const parts = present(
    created.length > 0 && `${create} ${joinList(created)}`,
    found > 0 && `found ${formatCount(found, "user")}`,
    mails > 0 && `${invite} ${invited}`,
    replaceRoles > 0 && `${change} the roles of ${formatCount(replaceRoles, "key")}`,
  );
  return parts.length === 0 ? "nothing was changed" : parts.join(", ");
}

export function readingFacts({ reading, plan, roster, selected }: CommandOutcome): readonly Paragraph[] {
  const requests = plan === undefined ? [] : t.words(` with ${formatCount(plan.calls.reads, "request")}`);
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = reading?.capabilities ?? {};
  const hidden = present(
    keysOnUsers === "hidden" && "the keys of users",
    rolesOnKeys === "hidden" && "the roles of keys",
    teamsOnKeys === "hidden" && "which team a key belongs to",
  );
  const files = roster && roster.files > 0 ? `${formatCount(roster.files, "file")}, ` : "";
  const part = selected === true ? t.phrase`; ${t.strong(t.words("only a part was compared"))}` : [];
  return present(
    reading?.kept && t.paragraph([t.strong(t.words("This is a preview from a snapshot. It cannot be applied."))]),
    reading &&
      t.paragraph([...t.phrase`Read at ${reading.readAt}`, ...requests, ". ", formatCompleteness(reading.everyone)]),
    hidden.length > 0 && t.sentence(`The service does not show ${joinList(hidden)}.`),
    roster && t.paragraph([...t.words(`Roster: ${files}${formatRosterCounts(roster)}`), ...part, ...t.words(".")]),
  );
}

function formatCompleteness(everyone: UserListStatus): string {
  if (everyone.read === "incomplete") return `The list of users is incomplete: ${everyone.why}.`;
  return everyone.read === "complete" ? "All users were read." : "Users outside the roster were not read.";
}

/** `3 users, 1 leaver, 2 teams, 1 key by prefix`, without leavers and keys where there are 0. */
export function formatRosterCounts({ users, leavers, teams, keys }: Omit<RosterCounts, "files">): string {
  const named = formatCounts([keys, "key by prefix", "keys by prefix"]);
  const some = formatCounts([leavers, "leaver"]);
  return [formatCount(users, "user"), ...some, formatCount(teams, "team"), ...named].join(", ");
}

export function planFileFacts({ path, file, digest, is }: PlanFileReport): readonly Paragraph[] {
  const { roster, state } = file.basis;
  const made = state && t.phrase`The log ${state.lineage} ended at position ${state.serial}.`;
  const log = made ?? t.words("There was no log yet.");
  const flags = file.policy.words.length === 0 ? [] : t.phrase`, with ${file.policy.words.join(" ")}`;
  const counts = t.words(formatRosterCounts(roster));
  const expired = `It expired at ${file.expiresAt} and cannot be applied. Plan again.`;
  return [
    t.paragraph(t.phrase`Plan file ${path} (${file.file}), made at ${file.madeAt} by roster ${file.madeBy}${flags}.`),
    t.paragraph(t.phrase`It was made from a roster with ${counts} (digest ${roster.digest}). ${log}`),
    t.paragraph(t.phrase`SHA-256: ${digest}`),
    is === "shown-expired"
      ? t.sentence(expired, "alarm")
      : t.sentence(`It can be applied once, until ${file.expiresAt}.`),
  ];
}

export function savedPlanBlocks({ path, file, digest, is }: PlanFileReport): readonly Block[] {
  if (is !== "written") return [];
  const name = /^[\w@%+=:,./-]+$/u.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  return [
    t.sentence(`Saved. To apply exactly this plan, run \`roster apply ${name}\` before ${file.expiresAt}.`),
    t.sentence(`SHA-256: ${digest}`, "dim"),
  ];
}

export function runSections(run: RunSummary, context: FindingContext): readonly Section[] {
  const { names } = context;
  const keys = run.keys.map(({ address, team, prefix }) => [
    t.phrase`${names.email(address)}`,
    team === undefined ? t.words("own key") : t.phrase`team ${names.teamInFull(team)}`,
    t.phrase`${prefix}`,
  ]);
  const title = t.words(`New keys (${run.keys.length})`);
  const failed = unsuccessfulOutcomes(run).map((outcome) => outcomeEntry(outcome, names, run.ended));
  return [
    t.section("Did not succeed", failed),
    ...findingSections(run.findings, context, ", found by this run"),
    { title, is: "folded", blocks: t.table(["person", "key", "prefix"], keys), whole: "roster state show" },
  ];
}

function outcomeEntry(outcome: UnsuccessfulOutcome, names: PlanNames, ended: RunSummary["ended"]): Entry {
  const label = outcome.is === "unknown" ? "unknown outcome" : outcome.is;
  const what =
    outcome.is === "refused"
      ? t.phrase`add ${names.email(outcome.address)} to team ${names.teamInFull(outcome.team)}`
      : [names.action(outcome.action) === undefined ? t.value(outcome.action) : actionLabel(outcome.action, names)];
  // Why the run ended stands once, at its end, and not at each action that it no longer started.
  const isEnd = outcome.is === "skipped" && ended !== undefined && outcome.why === ended.why;
  const why = "why" in outcome ? [t.sentence(isEnd ? `the run was ${ended.ended}` : outcome.why)] : [];
  const notes = "failure" in outcome ? failureNotes(outcome.failure) : why;
  const about = [t.inked("alarm", label)];
  return t.entry(what, { mark: "!", ink: "alarm", about, notes, labels: [label], actions: [outcome.action] });
}

/** A refused call is not sent again by itself. */
export function runNext(run: RunSummary, planAgain = "roster apply"): readonly Block[] {
  const { failed, skipped, unknown, stale } = countOutcomes(run);
  const refused = [...run.outcomes.values()].flatMap(refusedMembers).length;
  const { retry = [] } = run;
  const repeat = "correct the cause and run `roster apply` again. It repeats nothing.";
  const resolve = "run `roster apply` again. It resolves unknown outcomes by reading, or use `roster state resolve`.";
  const steps = present(
    failed + skipped + refused > 0 && repeat,
    unknown > 0 && resolve,
    stale > 0 && "plan again. The facts of the plan have changed.",
  ).map((step) => t.sentence(`Next: ${step}`, "dim"));
  if (retry.length === 0) return steps;
  const again = t.sentence("To send the refused calls again without a change of the roster:", "dim");
  return [...steps, again, t.code("shell", allowCommand(retry, { planAgain }))];
}

const verificationMessages = {
  converged: "Verified: all changes are in place.",
  pending: "Not verified yet: the service does not show all changes. Run `roster plan` later.",
  diverged: "Verification failed: the service shows other values than roster sent. Run `roster plan`.",
  unverified: "Not verified: roster could not read the changes again. Run `roster plan`.",
} as const;

export function runSummary(run: RunSummary, plan: Plan | undefined): readonly Paragraph[] {
  const { verified, ended } = run;
  const isPartly = verified?.result === "converged" && unsuccessfulOutcomes(run).length > 0;
  const partly = "Verified: the changes that were made are in place.";
  const counts = countOutcomes(run);
  const others = formatTallies(
    [counts.unneeded, "unchanged"],
    [counts.failed, "failed"],
    [counts.unknown, "with an unknown outcome"],
    [counts.skipped, "skipped"],
    [counts.stale, "stale"],
  );
  const done = [formatDone(run, namesOf(plan)), others.length > 0 && `other actions: ${others.join(", ")}`];
  const end = `the run was ${ended?.ended}`;
  const why = ended?.why === undefined || ended.why === end ? "" : `: ${ended.why}`;
  return present(
    verified && t.sentence(isPartly ? partly : verificationMessages[verified.result]),
    ...(verified?.remarks ?? []).map((remark) => t.sentence(`- ${remark}`)),
    ended === undefined && t.sentence("The run did not finish.", "alarm"),
    ended !== undefined && ended.ended !== "completed" && t.sentence(`${capitalized(end)}${why}.`, "alarm"),
    t.sentence(`${isWhole(run) ? "Done" : "Partly done"}: ${present(...done).join("; ")}.`, "strong"),
  );
}

function formatDone({ outcomes }: RunSummary, names: PlanNames): string {
  const made = { createUsers: 0, createTeams: 0, mails: 0, replaceRoles: 0, found: 0 };
  for (const [id, outcome] of outcomes) {
    if (outcome.is !== "succeeded") continue;
    const { learned } = outcome;
    const action = names.action(id);
    if (learned.kind === "replace-roles") made.replaceRoles += 1;
    else if (learned.kind === "add-members") made.mails += learned.members.filter((one) => one.outcome.added).length;
    else if (learned.was !== undefined) made.found += 1;
    else {
      made.createUsers += 1;
      if (action?.kind === "create-user" && action.createsTeam !== undefined) made.createTeams += 1;
    }
  }
  return formatChangeCounts(made, "done");
}
