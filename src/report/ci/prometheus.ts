import type { FleetSummary, TargetOutcome } from "../../fleet/fleet-summary.ts";
import { countOutcomes } from "../../log/summary.ts";
import { type FindingClass, findingClass, findingClasses, isAccepted } from "../../model/finding.ts";
import { byDriftClass, countPlan, type DriftItem, type Plan } from "../../model/plan.ts";
import { countDrift, countTasks, type DriftReport } from "../document/drift.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { safe } from "../safe.ts";

/** Gauges for the textfile collector of a node exporter. What a failed command did not learn is left out, so that it is not taken for nothing found. */
export function prometheusFormat(outcome: CommandOutcome, { at }: RenderOptions): Rendered {
  const { command, title, plan, drift, run, fleet, head, exitCode } = outcome;
  const didWork = exitCode === 0 || exitCode === 2 || exitCode === 9;
  const position = head && [{ value: head.position, labels: { hash: head.hash } }];
  const metrics: readonly Metric[] = [
    ["roster_last_run_timestamp_seconds", "When the last run ended.", at === undefined ? [] : at / 1000],
    ["roster_last_run_success", "Whether the last run did its work, whatever it found.", didWork ? 1 : 0],
    ["roster_last_run_exit_code", "The exit code of the last run.", exitCode],
    ...(plan === undefined ? [] : planMetrics(plan)),
    ...(drift === undefined ? [] : driftMetrics(drift)),
    ["roster_run_actions", "Actions of the run by outcome.", run ? by("outcome", countOutcomes(run)) : []],
    ["roster_log_position", "The position and the hash of the last event of the log.", position ?? []],
    ...(fleet === undefined || fleet.did === "validated" ? [] : fleetMetrics(fleet)),
  ];
  return { stdout: exposition(metrics, { command, roster: title }) };
}

function planMetrics(plan: Plan): readonly Metric[] {
  const { mails, blockingFindings, createUsers, addMembers, replaceRoles } = countPlan(plan);
  const kinds = { "create-user": createUsers, "add-members": addMembers, "replace-roles": replaceRoles };
  const ofClass = (name: FindingClass) => plan.findings.filter((finding) => findingClass(finding) === name).length;
  const byClass = by("class", Object.fromEntries(findingClasses.map((name) => [name, ofClass(name)])));
  return [
    ["roster_plan_actions", "Actions of the plan.", by("kind", kinds)],
    ["roster_plan_mails", "Mails that the plan sends: people times teams that they are added to.", mails],
    ["roster_plan_findings", "Findings of the plan.", byClass],
    ["roster_plan_blocking_findings", "Findings of the plan that block.", blockingFindings],
  ];
}

/** Everything that differs, also where only what is new is shown. */
function driftMetrics(report: DriftReport): readonly Metric[] {
  const { items, coverage } = report.drift;
  const left = countDrift({ ...report, shows: "everything" });
  const { open, new: opened } = countTasks(report.tasks);
  const others = items.filter((item) => !isAccepted(item));
  const byClass = (those: readonly DriftItem[]) => {
    const counts = byDriftClass((name) => those.filter((item) => item.class === name).length);
    return by("class", counts);
  };
  const { users, teams, keys } = coverage;
  const covered = (what: "shown" | "named") =>
    by("kind", { users: users[what], teams: teams?.[what], keys: keys?.[what] });
  const found = byClass(others);
  const fresh = byClass(others.filter(({ since }) => since === undefined));
  const gains = "Keys with a privileged role that the roster does not give, without accepted ones.";
  const tasks = by("seen", { before: open - opened, now: opened });
  return [
    ["roster_drift_findings", "Differences between the service and the roster, without accepted ones.", found],
    ["roster_drift_accepted_findings", "Accepted differences.", byClass(items.filter(isAccepted))],
    ["roster_drift_new_findings", "Differences that no recorded run saw before, without accepted ones.", fresh],
    ["roster_drift_changes", "Changes that apply can make, without accepted ones.", left.changes],
    ["roster_drift_blocking_findings", "Tasks that block, without accepted ones.", left.blocking],
    ["roster_drift_privileged_gains", gains, left.privilegedGains],
    ["roster_drift_tasks", "Tasks for people, without accepted ones.", tasks],
    ["roster_service_shown", "What the service shows.", covered("shown")],
    ["roster_service_named", "What of that the roster names.", covered("named")],
  ];
}

function fleetMetrics({ targets, counts, queue }: FleetSummary): readonly Metric[] {
  const each = (of: (target: TargetOutcome) => number | undefined) =>
    by("target", Object.fromEntries(targets.map((target) => [target.name, of(target)])));
  const [codes, gains] = [each(({ exit_code }) => exit_code), each(({ privileged_gains }) => privileged_gains)];
  const successes = each(({ last_success: at }) => (at === undefined ? undefined : Date.parse(at) / 1000));
  const gained = "Keys of each target with a privileged role that the roster does not give.";
  return [
    ["roster_fleet_targets", "Targets of the fleet by result.", by("status", counts)],
    ["roster_fleet_target_exit_code", "The exit code of the last run of each target.", codes],
    ["roster_fleet_target_privileged_gains", gained, gains],
    ["roster_last_success_timestamp_seconds", "When each target was last checked or applied.", successes],
    ["roster_fleet_queue_waiting", "Targets that wait for a worker.", queue?.waiting ?? []],
    ["roster_fleet_queue_running", "Targets that a worker works on.", queue?.running.length ?? []],
    ["roster_fleet_queue_given_up", "Targets that failed again and again.", queue?.given_up.length ?? []],
    ["roster_fleet_queue_paused", "Whether the writes are stopped.", queue === undefined ? [] : queue.paused ? 1 : 0],
  ];
}

function by(label: string, counts: Readonly<Record<string, number | undefined>>): readonly Sample[] {
  return Object.entries(counts).flatMap(([of, value]) =>
    value === undefined ? [] : [{ value, labels: { [label]: of } }],
  );
}

type Labels = Readonly<Record<string, string | undefined>>;
type Sample = { readonly labels: Labels; readonly value: number };

/** A gauge: one number, or one for each of its labels. Without samples it is left out. */
export type Metric = readonly [name: string, help: string, samples: number | readonly Sample[]];

/** Metrics in the text exposition format 0.0.4, with labels that all of them have. */
export function exposition(metrics: readonly Metric[], common: Labels): string {
  const textOf = ([name, help, samples]: Metric) => {
    const all = typeof samples === "number" ? [{ value: samples, labels: {} }] : samples;
    if (all.length === 0) return "";
    const head = `# HELP ${name} ${escaped(help, /[\\\n]/gu)}\n# TYPE ${name} gauge\n`;
    return head + all.map(({ labels, value }) => `${name}${labelText({ ...common, ...labels })} ${value}\n`).join("");
  };
  return metrics.map(textOf).join("");
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escaped(safe(text), /[\\\n"]/gu)}"`],
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
