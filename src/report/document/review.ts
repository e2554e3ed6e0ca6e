import type { RunSummary } from "../../log/summary.ts";
import { type Action, teamOf } from "../../model/action.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import { type AccessChange, isPrivilegedChange, privilegeChange } from "../access/person-access.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { countPrivilegedGains, type DriftReport, formatCoverage } from "../drift.ts";
import type { CommandOutcome } from "../outcome.ts";
import { formatCount, formatCounts, formatList, formatOwnership, ownershipAside } from "../phrases.ts";
import { formatHolderCount, privilegeTable } from "./access.ts";
import { actionName, formatCallCount, formatPlaces, noNames, type PlanNames, planNames } from "./actions.ts";
import {
  andMore,
  type ChangeGroup,
  type ChangeRow,
  type Inline,
  phrase,
  type Review,
  type Section,
  strong,
  values,
  words,
} from "./blocks.ts";
import { driftGroups, formatDriftCounts, formatNoDrift, formatPrivilegedGains, historySection } from "./drift.ts";
import { type Entry, type EntryGroup, groupSection } from "./entries.ts";
import { entryAside, partDetails } from "./explanation.ts";
import { findingCounts, findingGroups, remedySections, splitResidualAccess } from "./findings.ts";
import { fleetReview } from "./fleet.ts";
import {
  formatActionCounts,
  formatCompleteness,
  formatHiddenFields,
  formatRosterCounts,
  formatSnapshotNotice,
  formatTasksLeft,
} from "./plan.ts";
import { type PersonNode, sharedOwnership, type TeamNode } from "./plan-tree.ts";
import { problemSections } from "./problems.ts";
import { formatOutcomes, formatPartResult, formatRetries, runSections } from "./run.ts";
import { callNumbers, dependencyNumbers, formatRanges } from "./sent.ts";
import { changedParts, changePieces, formatChangedHolder, type PersonContext, placesOf } from "./teams.ts";

export function reviewOf(outcome: CommandOutcome): Review {
  const { command, title, fleet } = outcome;
  if (fleet?.did === "ran") return fleetReview(fleet.summary, formatExit(outcome));
  const privileged = outcome.privilegedRoles ?? defaultPrivilegedRoles;
  const name = title === undefined ? [] : phrase` (${[title]})`;
  return {
    heading: phrase`roster ${words(command)}${name}: ${words(formatResult(outcome))}`,
    facts: factsOf(outcome, privileged),
    sections: sectionsOf(outcome, privileged),
  };
}

function sectionsOf(outcome: CommandOutcome, privileged: RoleSet): readonly Section[] {
  const { command, plan, run, drift, reading, problem, repeats } = outcome;
  const names = plan === undefined ? noNames : planNames(plan);
  const readings = reading?.readings ?? new Map();
  const whole = phrase`${`roster ${command}`} on a terminal shows all`;
  const asideOf = (entry: Entry) => entryAside(entry, { names, readings, repeats });
  const first = [
    ...problemSections(outcome),
    ...(run === undefined ? [] : runSections(run, plan, { whole, repeats, asideOf })),
  ];
  // A person who declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return first;
  const isCompared = drift !== undefined && run === undefined;
  const is = planStanding(outcome);
  const { residual, others } = splitResidualAccess(plan.findings);
  const groups = findingGroups([...residual, ...others], plan);
  const sections = (those: readonly EntryGroup[]) => those.map((group) => groupSection(group, { whole, asideOf }));
  const sectionsThat = (is: Section["is"]) => sections(groups.filter((group) => group.is === is));
  return [
    ...first,
    ...(isCompared ? sections(driftGroups(drift, plan)) : []),
    ...privilegeTable(plan, { privileged, shown: reading?.privileges, is, whole }),
    ...(isCompared ? [] : sectionsThat("open")),
    changesSection(plan, { privileged, is, whole, readings, run }),
    ...(isCompared ? [] : [...remedySections(plan, whole, repeats), ...sectionsThat("folded")]),
    ...(isCompared ? [historySection(drift, whole)] : []),
    callTable(plan, whole),
  ];
}

function formatResult({ command, diagnostics, plan, run, drift, problem }: CommandOutcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (run !== undefined) return formatOutcomes(run);
  if (problem?.code === "guard") return "refused by guards";
  if (problem !== undefined) return "stopped early";
  if (errors > 0) return formatCount(errors, "error");
  if (drift !== undefined) return formatDriftCounts(drift) || formatNoDrift(drift);
  if (plan === undefined) return command === "validate" ? "the roster is valid" : "done";
  return formatPlanResult(plan);
}

function formatPlanResult(plan: Plan): string {
  if (plan.actions.length > 0) return `${formatCallCount(plan.actions)} planned`;
  const { blockingFindings } = countPlan(plan);
  return blockingFindings === 0 ? "no changes" : formatTasksLeft(blockingFindings);
}

function factsOf(outcome: CommandOutcome, privileged: RoleSet): readonly Inline[] {
  const { plan, reading, roster, selected, exitCode, run, drift } = outcome;
  return [
    phrase`${strong(words(`Exit code ${exitCode}`))}: ${words(formatExit(outcome))}`,
    ...(drift === undefined || run !== undefined ? [] : privilegedFacts(drift)),
    ...(plan === undefined ? [] : planFacts(plan, privileged, planStanding(outcome))),
    ...(roster === undefined ? [] : [rosterFact(roster, selected)]),
    ...(plan === undefined ? [] : [phrase`Plan ${plan.id} for ${plan.service}`]),
    ...(reading === undefined || plan === undefined ? [] : readingFacts(reading, plan)),
    ...fileFacts(outcome),
  ];
}

/** Whether a plan is to be done, was planned for a run, or is what apply would do about a drift. */
type PlanStanding = "to-do" | "planned" | "repair";

function planStanding({ run, drift }: CommandOutcome): PlanStanding {
  if (run !== undefined) return "planned";
  return drift === undefined ? "to-do" : "repair";
}

/** A plan that was made has succeeded, however many changes wait. */
function formatExit({ exitCode, plan, run }: CommandOutcome): string {
  const isWaiting = exitCode === 0 && plan !== undefined && run === undefined && plan.actions.length > 0;
  return isWaiting ? "the plan is ready; nothing is applied yet" : formatExitCode(exitCode);
}

function privilegedFacts(drift: DriftReport): readonly Inline[] {
  const count = countPrivilegedGains(drift);
  return count === 0 ? [] : [[strong(words(formatPrivilegedGains(count)))]];
}

/** Of a run, its results are in other facts. */
function planFacts(plan: Plan, privileged: RoleSet, is: PlanStanding): readonly Inline[] {
  const counts = countPlan(plan);
  const found = words(plan.findings.length === 0 ? "none" : findingCounts(plan.findings));
  if (plan.actions.length === 0) {
    const unchanged = counts.blockingFindings === 0 ? [phrase`${strong(words("No changes"))}`] : [];
    return [...unchanged, phrase`${strong(words("Findings"))}: ${found}`];
  }
  const planned = { "to-do": "", planned: " planned", repair: " by apply" }[is];
  const what = { "to-do": "Plan", planned: "Planned", repair: "Changes by apply" }[is];
  const fact = (name: string, about: Inline) => phrase`${strong(words(name))}: ${about}`;
  return [
    fact(what, words(formatActionCounts(counts))),
    phrase`${strong(words(`Privileged roles${planned}`))} (${values(privileged)}): ${words(formatPrivilegeChanges(plan, privileged))}`,
    fact(`Mails${planned}`, words(`${counts.mails}`)),
    fact(`Calls${planned}`, words(formatCallCount(plan.actions).replace(/ calls?/u, ""))),
    fact("Findings", found),
  ];
}

/** On how many keys a privileged role is added, present for a short time, or removed. */
function formatPrivilegeChanges(plan: Plan, privileged: RoleSet): string {
  const changes = accessInPlanOrder(plan).flatMap((access) => access.changes);
  const kinds = changes.flatMap((change) =>
    change.is === "roles" ? [{ ...privilegeChange(change, privileged), before: change.before.known }] : [],
  );
  const asked = kinds.filter(({ gains }) => gains.length > 0);
  const unsure = asked.filter(({ before }) => before === "not-known").length;
  const given = asked.length - unsure;
  const momentary = kinds.filter(({ forAMoment }) => forAMoment.length > 0).length;
  const taken = kinds.filter(({ loses }) => loses.length > 0).length;
  const unsureKeys = formatCount(unsure, "key that may have them already", "keys that may have them already");
  if (asked.length + momentary + taken === 0) return "no change";
  return formatList([
    ...(given === 0 ? [] : [`added to ${formatCount(given, "key")}`]),
    ...(unsure === 0 ? [] : [`set on ${unsureKeys}`]),
    ...(momentary === 0 ? [] : [`for a short time on ${formatCount(momentary, "key")}`]),
    ...(taken === 0 ? [] : [`removed from ${formatCount(taken, "key")}`]),
  ]);
}

function rosterFact(roster: NonNullable<CommandOutcome["roster"]>, selected: CommandOutcome["selected"]): Inline {
  const files = roster.files === 0 ? "" : `${formatCount(roster.files, "file")}, `;
  const part = selected === true ? phrase`; ${strong(words("only a part was compared"))}` : [];
  return phrase`Roster: ${words(`${files}${formatRosterCounts(roster)}`)}${part}`;
}

function readingFacts(reading: ReadSummary, plan: Plan): readonly Inline[] {
  const hidden = formatHiddenFields(reading.capabilities);
  const requests = words(formatCount(plan.calls.reads, "request"));
  const kept = formatSnapshotNotice(reading);
  return [
    ...(kept === undefined ? [] : [phrase`${strong(words("Preview"))}: ${[kept]}`]),
    phrase`Read at ${reading.readAt} with ${requests}. ${[formatCompleteness(reading.everyone)]}`,
    ...(hidden === undefined ? [] : [[hidden]]),
  ];
}

function fileFacts({ planFile, drift }: CommandOutcome): readonly Inline[] {
  const coverage = drift === undefined ? [] : [words(formatCoverage(drift.drift.coverage))];
  if (planFile === undefined) return coverage;
  const { digest, file } = planFile;
  const { id, madeAt, expiresAt, policy } = file;
  const flags = policy.words.length === 0 ? [] : phrase`, with ${policy.words.join(" ")}`;
  const expiry = planFile.is === "shown-expired" ? [strong(words("expired"))] : words("valid until");
  const about = phrase`Plan file ${planFile.path} (${id}), made at ${madeAt}${flags}, ${expiry} ${expiresAt}, SHA-256 ${digest}`;
  return [...coverage, about];
}

interface ChangesOptions {
  readonly privileged: RoleSet;
  /** Of a run this is what was planned, whatever came of it; of a drift it is what apply would do. */
  readonly is: PlanStanding;
  /** Where all of it is shown. */
  readonly whole: Inline;
  readonly readings: ReadSummary["readings"];
  readonly run: RunSummary | undefined;
}

/** For a review: the people of each team, then people and keys outside of teams. */
function changesSection(plan: Plan, options: ChangesOptions): Section {
  const { teams, people, peopleTitle, teamName } = changedParts(plan);
  const group = (title: string, nodes: readonly PersonNode[], inside: PersonContext["inside"]): ChangeGroup => {
    const { common, restOf } = sharedOwnership(nodes, planNames(plan));
    return {
      title: `${title}: ${formatHolderCount(nodes.map(({ who }) => who))}`,
      ...(common === undefined ? {} : { note: formatOwnership(common) }),
      rows: nodes.map((node) => changeRow(node, { ...options, plan, inside, whose: ownershipAside(restOf(node)) })),
    };
  };
  return {
    title: { "to-do": "Changes", planned: "Changes, as planned", repair: "Changes by apply" }[options.is],
    is: "open",
    body: {
      kind: "changes",
      groups: [
        ...teams.map((team) => group(teamTitle(team, teamName(team)), team.people, "team")),
        ...(people.length === 0 ? [] : [group(peopleTitle, people, "nothing")]),
      ],
    },
    rank: 40,
    leftOut: andMore(options.whole, "more team"),
  };
}

function teamTitle({ identifier, teamCreation, mails }: TeamNode, name: string): string {
  const state = teamCreation === undefined ? [] : [`new, admin ${teamCreation.admin}`];
  const parts = [...(identifier === undefined ? [] : [identifier]), ...state, ...formatCounts([mails, "mail"])];
  return `Team ${name}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}

interface ChangeRowOptions extends ChangesOptions, Pick<PersonContext, "inside"> {
  readonly plan: Plan;
  readonly whose: string;
}

function changeRow(node: PersonNode, options: ChangeRowOptions): ChangeRow {
  const { plan, inside, whose, privileged, readings, run } = options;
  const { who, actions } = node;
  const changes = changePieces(node, { names: planNames(plan), privileged, inside });
  const person = who.is === "person" ? who.address : undefined;
  const place = formatPlaces(placesOf(node));
  return {
    mark: diffMark(node.changes),
    pieces: [formatChangedHolder(node), ...(changes.length === 0 ? [] : [": "]), ...changes, whose],
    ...(place === undefined ? {} : { place }),
    labels: [
      ...(node.changes.some((change) => isPrivilegedChange(change, privileged)) ? ["privileged"] : []),
      ...(run === undefined ? [] : [formatPartResult(run, actions, person)]),
      ...formatRetries(run, actions).labels,
    ],
    details: () => [...formatRetries(run, actions).details, ...partDetails(actions, person, { plan, readings })],
  };
}

/** `+` adds only, `-` removes only, `!` does both, or the roles before are unknown. */
function diffMark(changes: readonly AccessChange[]): "+" | "-" | "!" {
  const roles = changes.flatMap((change) => (change.is === "roles" ? [change] : []));
  if (roles.some(({ before }) => before.known === "not-known")) return "!";
  const loses = roles.some((change) => change.loses.length > 0);
  const gains = changes.some((change) => change.is !== "roles" || change.gains.length > 0);
  if (loses && gains) return "!";
  return loses ? "-" : "+";
}

/** For a review: the calls in their order, folded. Calls of one kind for one team share a row. */
function callTable(plan: Plan, whole: Inline): Section {
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  return {
    title: `Calls in their order (${plan.actions.length})`,
    is: "folded",
    body: {
      kind: "table",
      columns: ["call", "what", "after"],
      rows: groupCalls(plan.actions).map((group) => {
        const own = group.map(({ id }) => numbers.get(id) ?? 0);
        const before = group.flatMap((action) => dependencyNumbers(action, numbers));
        const others = [...new Set(before)].filter((number) => !own.includes(number)).sort((a, b) => a - b);
        return [words(formatRanges(own)), groupName(group, names), words(formatRanges(others))];
      }),
    },
    rank: 70,
    leftOut: andMore(whole, "more row"),
  };
}

function groupCalls(actions: readonly Action[]): readonly (readonly Action[])[] {
  const groups: Action[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && groupKey(last[0]) === groupKey(action)) last.push(action);
    else groups.push([action]);
  }
  return groups;
}

function groupKey(action: Action): string {
  const createsTeam = action.kind === "create-user" && action.createsTeam !== undefined;
  return createsTeam ? `found ${action.id}` : `${action.kind} ${teamOf(action) ?? ""}`;
}

function groupName(group: readonly Action[], names: PlanNames): Inline {
  const [first] = group;
  if (first === undefined) return [];
  if (first.kind === "create-user" && first.createsTeam !== undefined) {
    return phrase`create user ${first.user.email} and team ${first.createsTeam.name}`;
  }
  if (group.length === 1) return [actionName(first, names)];
  const team = teamOf(first);
  const where = team === undefined ? [] : phrase` in team ${names.team(team)}`;
  if (first.kind === "create-user") return phrase`create ${words(formatCount(group.length, "user"))}`;
  return phrase`replace the roles of ${words(formatCount(group.length, "key"))}${where}`;
}
