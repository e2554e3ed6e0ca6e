import { type ApplyOptions, type ApplyRun, apply, checkApproved, type RunOptions } from "../library/apply.ts";
import { type ApplyResult, RosterError, rosterError } from "../library/error.ts";
import { basisOf, type PlanResult } from "../library/plan.ts";
import { definedFields } from "../model/collections.ts";
import type { Plan } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { CommandOutcome } from "../report/outcome.ts";
import { wrap } from "../report/text/lines.ts";
import { renderPlan } from "../report/text/text.ts";
import { askForApproval } from "./approval.ts";
import { type Flags, isFollowed } from "./flags.ts";
import { textStyleOf } from "./host.ts";
import type { Planning } from "./open.ts";
import { accessDrawer, shownAs } from "./planning.ts";
import type { ProgressObserver } from "./progress-observer.ts";
import { appliedPart, type Command } from "./run-command.ts";
import { notifyPrivileges, type Webhook } from "./webhook.ts";

export interface ApplyRequest extends Pick<ApplyOptions, "repair"> {
  readonly flags: Flags;
  readonly lock: RunOptions;
  readonly expected?: string | undefined;
  readonly webhook: Webhook | undefined;
}

/** Applies a roster, or a repair: shows the plan, asks, and follows the run. */
export async function applyAndFollow(
  command: Command,
  { options, observer }: Planning,
  request: ApplyRequest,
): Promise<void> {
  const { host, cancellation } = command;
  const { policy } = options;
  const { flags, lock, expected, repair } = request;
  const about = shownAs(flags, policy);
  const drawn = await accessDrawer(flags);
  let shown: Partial<CommandOutcome> = { ...about, roster: options.roster.counts };
  const planned = (result: PlanResult) => {
    const { plan, reading } = result;
    command.tell({ plan, reading, access: drawn?.(basisOf(result)), ...about });
    checkApproved(plan, expected);
    observer.planned(plan);
    shown = { ...shown, reading };
  };
  const approve = async ({ plan }: { readonly plan: Plan }) => {
    observer.asking();
    const answer = await askForApproval(plan, command, flags, shown, policy.privilegedRoles);
    const late = answer ? undefined : cancellation.outOfTime();
    if (late !== undefined) throw late;
    return answer;
  };
  const begins = (plan: Plan) => {
    if (flags.autoApprove === true && isFollowed(flags) && plan.actions.length > 0)
      host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
  };
  const run = {
    ...options,
    ...lock,
    deadline: cancellation.deadline,
    repair,
    planned,
    approve: flags.autoApprove === true ? ("any" as const) : approve,
  };
  await followRun(command, { ...request, observer, policy, begins }, (hook) => apply({ ...run, begins: hook }));
}

interface Follow extends Pick<ApplyRequest, "flags" | "webhook" | "repair"> {
  readonly observer: ProgressObserver;
  readonly policy: Policy;
  readonly begins: (plan: Plan) => void;
}

/** Tells the command what the run came to, also where it failed. */
export async function followRun(
  { host, cancellation, tell }: Command,
  { observer, policy, flags, webhook, repair, begins }: Follow,
  start: (begins: NonNullable<RunOptions["begins"]>) => ApplyRun,
): Promise<void> {
  const { signal, deadline } = cancellation;
  let isSending = false;
  const stopping = () => {
    const why = deadline.aborted ? "time is over" : "interrupted";
    const rest = isSending
      ? "no new call starts; calls in progress finish"
      : "reading was stopped, and nothing was sent";
    const again = isSending && why === "interrupted" ? ". Press Ctrl-C again to exit at once" : "";
    const notice = wrap(`${why}: ${rest}${again}`, host.stderr.columns ?? Number.POSITIVE_INFINITY);
    host.stderr.write(`${notice.join("\n")}\n`);
  };
  const run = start(async (plan, lock) => {
    begins(plan);
    await notifyPrivileges(webhook, plan, policy.privilegedRoles, lock, { flags, host });
    signal.addEventListener("abort", stopping, { once: true });
  });
  for await (const event of run.events) {
    if (event.type === "intended") isSending = true;
    observer.event(event);
  }
  signal.removeEventListener("abort", stopping);
  const ended = await run.result.catch(rosterError);
  const { found, warnings, ...applied }: Partial<ApplyResult> =
    ended instanceof RosterError ? (ended.applied ?? {}) : ended;
  const drift = found && ({ ...found, shows: "everything", repairing: repair } as const);
  tell({ ...appliedPart(applied), ...definedFields({ diagnostics: warnings }), drift });
  if (ended instanceof RosterError) throw ended;
}
