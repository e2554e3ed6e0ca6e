import { resolve } from "node:path";
import { actionFields } from "../../codec/plan.ts";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import {
  type Applied,
  type ApplyContext,
  type ApplySteps,
  applyUnderLock,
  otherPlan,
} from "../../library/apply/apply.ts";
import type { RunContext, RunObserver } from "../../library/apply/run-plan.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import type { Planned } from "../../library/planning/planning.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { formatCount, formatList } from "../../report/phrases.ts";
import { wrap } from "../../report/text/lines.ts";
import { renderPlan } from "../../report/text/text.ts";
import type { Webhook } from "../drift/webhook.ts";
import { type Host, textStyleOf } from "../host.ts";
import { type CommandResult, selectedPart } from "../output/finish.ts";
import { isFollowed, type OutputFlags, shownAs } from "../output/output-flags.ts";
import { largestPlan } from "../plan-file/plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";
import { type PlanningSession, readPorts, type Session } from "../session.ts";
import type { SettingFlags } from "../settings/settings.ts";
import type { Locked } from "../stores/lock.ts";
import type { Cancellation } from "../time-limits.ts";
import { notifyPrivileges } from "./privilege-notice.ts";

/** A session that plans and applies under the lock of its state. */
export type LockedPlanning = Locked<PlanningSession>;

/** How a person wants a plan applied. */
export interface ApplyOptions {
  readonly flags: OutputFlags & SettingFlags & { readonly autoApprove?: boolean; readonly unmanaged?: boolean };
  /** The number of this run among all applies. */
  readonly sequence?: number;
  /** The plan that was approved; absent where any plan may be applied. */
  readonly expected?: ExpectedPlan | undefined;
  /** Who is told of privileged roles that a person allowed. */
  readonly webhook?: Webhook | undefined;
}

/** Plans, asks and runs the plan. */
export async function applyRoster(
  result: CommandResult,
  session: LockedPlanning,
  options: ApplyOptions,
): Promise<CommandResult> {
  const { steps, show } = applySteps(result, session, options);
  return show(await applyUnderLock(applyContext(session, options), steps));
}

/** What an apply of the session works with. */
export function applyContext(session: LockedPlanning, { flags }: Pick<ApplyOptions, "flags">): ApplyContext {
  const { loaded, host, cancellation } = session;
  return {
    ...runContext(session),
    roster: loaded.roster,
    everyone: flags.unmanaged === true ? "always" : "when-needed",
    progress: readPorts(session).progress,
    secrets: host.secrets,
    whyAborted: () => cancellation.outOfTime(),
  };
}

/** What a run of the session works with. */
export function runContext({
  policy,
  service,
  lock,
  host,
  settings,
  cancellation,
}: Locked<Session<PlanPart>>): RunContext {
  const { signal, deadline } = cancellation;
  const { parallelism } = settings;
  return { policy, service, lock, storeTimes: lock.times, clock: host.clock, parallelism, signal, deadline };
}

/** What a session needs to run a plan. */
export type PlanPart = "policy" | "observer" | "store" | "service";

/** What the command does between the steps of an apply, and how it shows what came of it. */
export function applySteps(
  result: CommandResult,
  session: LockedPlanning,
  { flags, sequence, expected, webhook }: ApplyOptions,
): { readonly steps: ApplySteps; readonly show: (applied: Applied) => CommandResult } {
  const { host, policy, observer, lock } = session;
  const shown = (planned: Planned): CommandResult => ({
    ...result,
    plan: planned.plan,
    reading: planned.reading,
    ...shownAs(flags, policy),
    ...selectedPart(policy),
  });
  const steps: ApplySteps = {
    ...runObserver(session),
    sequence,
    unexpected: (plan) => unexpectedPlan(plan, expected),
    planned: ({ plan }) => observer.planned(plan),
    approve: (planned) => confirmPlan(session, planned, { flags, repeats: result.repeats }),
    begins: (plan) => notifyPrivileges(plan, { webhook, lock, privileged: policy.privilegedRoles, flags, host }),
  };
  const show = ({ planned, plan, run, error }: Applied): CommandResult => ({
    ...(planned === undefined ? result : shown(planned)),
    ...definedFields({ plan, run, stop: error }),
  });
  return { steps, show };
}

/** Shows a run while it works. */
export function runObserver({ host, observer, cancellation }: Session<"observer">): RunObserver {
  return {
    event: (event) => observer.event(event),
    stopping: (sent) => {
      const notice = cancellationNotice(cancellation, sent);
      host.stderr.write(`${wrap(notice, host.stderr.columns ?? maxWidth).join("\n")}\n`);
    },
  };
}

/** Why the plan is not run: out of time, or not approved. */
async function confirmPlan(
  { host, policy, observer, cancellation }: LockedPlanning,
  { plan, reading }: Planned,
  { flags, repeats }: Pick<ApplyOptions, "flags"> & { readonly repeats: CommandResult["repeats"] },
): Promise<RosterError | undefined> {
  const { signal } = cancellation;
  if (signal.aborted) return cancellation.outOfTime();
  const shown = { reading, ...shownAs(flags, policy), ...selectedPart(policy), ...definedFields({ repeats }) };
  if (flags.autoApprove === true) {
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    return undefined;
  }
  observer.asking();
  const { askForApproval } = await import("./approval.ts");
  const refused = await askForApproval(plan, host, { flags, shown, signal, privileged: policy.privilegedRoles });
  return refused === undefined ? undefined : (cancellation.outOfTime() ?? refused);
}

/** Where no terminal shows it, a notice is one line. */
const maxWidth = Number.POSITIVE_INFINITY;

/** `sent`: which actions had started before the run was stopped. */
function cancellationNotice({ deadline }: Cancellation, sent: "some" | "nothing"): string {
  const why = deadline.aborted ? "time is over" : "interrupted";
  if (sent === "nothing") return `${why}: reading was stopped, and nothing was sent`;
  const rest = "no new call starts; calls in progress finish";
  return deadline.aborted ? `${why}: ${rest}` : `${why}: ${rest}. Press Ctrl-C again to exit at once`;
}

export interface SequenceFlags {
  readonly sequence?: string | undefined;
}

/** The place that a run names for itself among all applies; undefined where it names none. */
export function readSequence({ sequence }: SequenceFlags): Result<number | undefined, RosterError> {
  if (sequence === undefined) return success(undefined);
  const number = Number(sequence);
  if (/^\d+$/u.test(sequence) && Number.isSafeInteger(number)) return success(number);
  return problem(
    invalidSetting(
      "bad-flag-value",
      `--sequence ${sequence} is not a whole number.`,
      "Use a number that only grows, such as the run number of the pipeline.",
    ),
  );
}

export interface ExpectedPlanFlags {
  readonly expectPlan?: string | undefined;
}

/** The plan that was approved: its id, and the whole of it where a file was named. */
export interface ExpectedPlan {
  readonly id: string;
  readonly plan?: Plan;
}

/** Reads an id, or the file of a plan that was saved. Undefined where any plan may be applied. */
export async function readExpectedPlan(
  { expectPlan: said }: ExpectedPlanFlags,
  host: Host,
): Promise<Result<ExpectedPlan | undefined, RosterError>> {
  if (said === undefined) return success(undefined);
  if (/^[0-9a-f]{16}$/u.test(said)) return success({ id: said });
  const text = await readText(resolve(host.cwd, said));
  if (!text.ok) return problem(notExpected(said, text.error));
  const read = await readSavedPlan({ path: said, text: text.value });
  return read.ok ? success({ id: read.value.plan.id, plan: read.value.plan }) : read;
}

async function readText(path: string): Promise<Result<string, string>> {
  try {
    return success((await readRegularFile(path, largestPlan)).toString("utf8"));
  } catch (error) {
    return problem(whyUnread(error));
  }
}

function notExpected(said: string, why: string): RosterError {
  return invalidSetting(
    "bad-flag-value",
    `--expect-plan ${said} is neither the ID of a plan nor a saved plan: ${why}.`,
    "Write the ID that the plan shows, such as 3f2a90c1d4e5b678, or the file of `roster plan --format json`.",
  );
}

/** Why a plan is not the one that was approved, and in what it differs; undefined where it is. */
export function unexpectedPlan(plan: Plan, expected: ExpectedPlan | undefined): RosterError | undefined {
  return expected === undefined ? undefined : otherPlan(plan, expected, differenceText(plan, expected.plan));
}

/** Of each kind of difference so many are named. */
const maxNamed = 5;

function differenceText(plan: Plan, approved: Plan | undefined): string {
  if (approved === undefined) return "";
  const [now, then] = [bodies(plan), bodies(approved)];
  const added = [...now.keys()].filter((id) => !then.has(id));
  const gone = [...then.keys()].filter((id) => !now.has(id));
  const changed = [...now].filter(([id, body]) => then.has(id) && then.get(id) !== body).map(([id]) => id);
  const parts = [
    ...named(added, "is new", "are new"),
    ...named(gone, "is gone", "are gone"),
    ...named(changed, "differs", "differ"),
  ];
  return parts.length === 0 ? "" : `: ${parts.join("; ")}`;
}

function named(ids: readonly string[], one: string, many: string): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : "";
  const list = more === "" ? formatList(ids) : `${ids.slice(0, maxNamed).join(", ")}${more}`;
  return [`${formatCount(ids.length, "action")} ${ids.length === 1 ? one : many} (${list})`];
}

/** What each action does, as it is published; whatever it rests on, waits for, and where the YAML asks for it. */
function bodies({ actions }: Plan): ReadonlyMap<string, string> {
  return new Map(actions.map((action) => [action.id, JSON.stringify(actionFields.encode(action), withoutReasons)]));
}

const reasons: readonly string[] = ["because", "rests_on", "depends_on", "request", "by", "at", "place"];

function withoutReasons(name: string, value: unknown): unknown {
  return reasons.includes(name) ? undefined : value;
}
