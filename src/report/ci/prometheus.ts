import { countStatuses, type FleetSummary, type TargetOutcome } from "../../fleet/outcomes.ts";
import { countOutcomes } from "../../log/summary.ts";
import { isAccepted } from "../../model/accept.ts";
import type { Action } from "../../model/action.ts";
import { type DriftItem, driftClasses } from "../../model/drift.ts";
import { findingClass, findingClasses } from "../../model/finding.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { countPrivilegedGains, countTasks, type DriftReport, remainingDrift } from "../document/drift.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { safe } from "../safe.ts";

const kinds: readonly Action["kind"][] = ["create-user", "add-members", "replace-roles"];

/**
 * Gauges for the textfile collector of a node exporter: how and when the command ended, and what it found. What a failed
 * command did not learn is left out, so that it is not taken for nothing found.
 */
export function prometheusFormat(outcome: CommandOutcome, { at }: RenderOptions): Rendered {
  const { command, title, plan, drift, run, fleet, head, exitCode } = outcome;
  const didWork = exitCode === 0 || exitCode === 2 || exitCode === 9;
  const last = "The position and the hash of the last event of the log.";
  const metrics = [
    gauge("roster_last_run_timestamp_seconds", "When the last run ended.", at === undefined ? [] : at / 1000),
    gauge("roster_last_run_success", "Whether the last run did its work, whatever it found.", didWork ? 1 : 0),
    gauge("roster_last_run_exit_code", "The exit code of the last run.", exitCode),
    ...(plan === undefined ? [] : planMetrics(plan)),
    ...(drift === undefined ? [] : driftMetrics(drift)),
    ...(run === undefined
      ? []
      : [gauge("roster_run_actions", "Actions of the run by outcome.", by("outcome", countOutcomes(run)))]),
    ...(head === undefined
      ? []
      : [gauge("roster_log_position", last, [{ value: head.position, labels: { hash: head.hash } }])]),
    ...(fleet?.did === "ran" ? fleetMetrics(fleet.summary) : []),
  ];
  const common = { command, roster: title };
  const samplesOf = ({ samples }: Metric) =>
    samples.map(({ labels, value }) => ({ value, labels: { ...common, ...labels } }));
  return { stdout: exposition(metrics.map((metric) => ({ ...metric, samples: samplesOf(metric) }))) };
}

function planMetrics(plan: Plan): readonly Metric[] {
  const { actions, findings } = plan;
  const { mails, blockingFindings } = countPlan(plan);
  const mailed = "Mails that the plan sends: people times teams that they are added to.";
  return [
    gauge(
      "roster_plan_actions",
      "Actions of the plan.",
      count("kind", kinds, actions, ({ kind }) => kind),
    ),
    gauge("roster_plan_mails", mailed, mails),
    gauge("roster_plan_findings", "Findings of the plan.", count("class", findingClasses, findings, findingClass)),
    gauge("roster_plan_blocking_findings", "Findings of the plan that block.", blockingFindings),
  ];
}

/** Everything that differs, also where only what is new is shown. */
function driftMetrics(report: DriftReport): readonly Metric[] {
  const { items, coverage } = report.drift;
  const everything: DriftReport = { ...report, shows: "everything" };
  const left = remainingDrift(everything);
  const { open, new: opened } = countTasks(report.tasks);
  const others = items.filter((item) => !isAccepted(item));
  const byClass = (those: readonly DriftItem[]) => count("class", driftClasses, those, (item) => item.class);
  const { users, teams, keys } = coverage;
  const covered = (what: "shown" | "named") =>
    by("kind", { users: users[what], teams: teams?.[what], keys: keys?.[what] });
  const differences = "Differences between the service and the roster, without accepted ones.";
  const newDifferences = "Differences that no recorded run saw before, without accepted ones.";
  const newOnes = others.filter(({ since }) => since === undefined);
  const gains = "Keys with a privileged role that the roster does not give, without accepted ones.";
  const tasks = by("seen", { before: open - opened, now: opened });
  return [
    gauge("roster_drift_findings", differences, byClass(others)),
    gauge("roster_drift_accepted_findings", "Accepted differences.", byClass(items.filter(isAccepted))),
    gauge("roster_drift_new_findings", newDifferences, byClass(newOnes)),
    gauge("roster_drift_changes", "Changes that apply can make, without accepted ones.", left.changes),
    gauge("roster_drift_blocking_findings", "Tasks that block, without accepted ones.", left.blocking),
    gauge("roster_drift_privileged_gains", gains, countPrivilegedGains(everything)),
    gauge("roster_drift_tasks", "Tasks for people, without accepted ones.", tasks),
    gauge("roster_service_shown", "What the service shows.", covered("shown")),
    gauge("roster_service_named", "What of that the roster names.", covered("named")),
  ];
}

function fleetMetrics({ targets }: FleetSummary): readonly Metric[] {
  const each = (of: (target: TargetOutcome) => number | undefined) =>
    by("target", Object.fromEntries(targets.map((target) => [target.name, of(target)])));
  const codes = "The exit code of the last run of each target.";
  const gains = "Keys of each target with a privileged role that the roster does not give.";
  return [
    gauge("roster_fleet_targets", "Targets of the fleet by result.", by("status", countStatuses(targets))),
    gauge(
      "roster_fleet_target_exit_code",
      codes,
      each(({ ran }) => ran?.exitCode),
    ),
    gauge(
      "roster_fleet_target_privileged_gains",
      gains,
      each(({ privilegedGains }) => privilegedGains),
    ),
  ];
}

function gauge(name: string, help: string, samples: number | readonly Sample[]): Metric {
  return { name, help, samples: typeof samples === "number" ? [{ value: samples }] : samples };
}

/** A sample for each value of a label; none where it is not counted. */
function by(label: string, counts: Readonly<Record<string, number | undefined>>): readonly Sample[] {
  return Object.entries(counts).flatMap(([of, value]) =>
    value === undefined ? [] : [{ value, labels: { [label]: of } }],
  );
}

function count<Thing, Name extends string>(
  label: string,
  names: readonly Name[],
  things: readonly Thing[],
  nameOf: (thing: Thing) => Name,
): readonly Sample[] {
  return names.map((name) => {
    return { value: things.filter((thing) => nameOf(thing) === name).length, labels: { [label]: name } };
  });
}

/** One number of a metric; labels that are undefined are left out. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

/** A gauge with all its samples: no two of them have the same labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Metrics in the text exposition format 0.0.4; those without samples are left out. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const head = `# HELP ${name} ${escaped(help, /[\\\n]/gu)}\n# TYPE ${name} gauge\n`;
      return `${head}${samples.map((sample) => sampleLine(name, sample)).join("")}`;
    })
    .join("");
}

function sampleLine(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escaped(safe(text), /[\\\n"]/gu)}"`],
  );
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
