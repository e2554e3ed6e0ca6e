import { createInterface } from "node:readline";
import {
  type ApplyOptions,
  type ApplyRun,
  applySaved,
  checkApproved,
  type RunOptions,
  apply as startApply,
} from "../../library/apply.ts";
import { type ApplyResult, invalidSetting, RosterError, rosterError, stopError } from "../../library/error.ts";
import { basisOf, type PlanResult } from "../../library/plan.ts";
import { definedFields } from "../../model/collections.ts";
import { sha256 } from "../../model/json.ts";
import type { Plan } from "../../model/plan.ts";
import { type Policy, readAllowanceCode } from "../../model/policy.ts";
import { type RoleSet, roleSet } from "../../model/values.ts";
import type { ProgressObserver } from "../../ports/operator.ts";
import { documentOf } from "../../report/document/document.ts";
import type { PlanTextOptions } from "../../report/document/plan.ts";
import { sentence } from "../../report/document/tree.ts";
import type { PlanFileReport } from "../../report/json/document-format.ts";
import { renderDocument, renderPlan, wrap } from "../../report/text/text.ts";
import { discardTypedAhead } from "../../screen/terminal.ts";
import { type Flags, flagValue, isFollowed, type OutputFlags, refuseUnusedView } from "../flags.ts";
import { type Host, painter, textStyleOf } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { connectService, openPlanning, openReading, type Planning } from "../open.ts";
import { checkPlanService, findPlan, guardsDigest, readPlanFile, type SavedText, summaryOf } from "../plan-file.ts";
import { screenTerminal } from "../progress-observer.ts";
import { appliedPart, type Command } from "../run-command.ts";
import { checkPathTrust, planFile as guardedFile } from "../trust.ts";
import { notifyPrivileges, readWebhook, type Webhook } from "../webhook.ts";
import { drawnAccess, shownAs } from "./plan.ts";

/** Applies a roster, or a saved plan, which the content of the one path shows. */
export async function apply(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  command.tell({ tells: "what-remains" });
  if (flags.autoApprove === true) refuseUnusedView(flags);
  const lock = readLockOptions(flags, command.host);
  const numbered = flagValue(
    "--sequence",
    flags.sequence,
    (text) => /^\d+$/u.test(text) && Number.isSafeInteger(Number(text)),
    "is not a whole number",
    "Use a number that only grows, such as the run number of the pipeline.",
  );
  const expected = flagValue(
    "--expect-plan",
    flags.expectPlan,
    (text) => /^[0-9a-f]{16}$/u.test(text),
    "is not the ID of a plan",
    "Write the ID that the plan shows, such as 3f2a90c1d4e5b678.",
  );
  const sequence = numbered === undefined ? undefined : Number(numbered);
  const request = { flags, lock: { ...lock, sequence }, expected, webhook: readWebhook(command.host) };
  const found = await findPlan(paths, command.host);
  if (found.is === "plan") return applyPlanFile(command, found, request);
  const planning = await openPlanning(command, paths, flags, found.stdin);
  await applyAndFollow(command, planning, request);
}

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply =
  "format report view endpoint parallelism debug state lockTimeout breakStaleLock sequence expectHead expectPlan deadline autoApprove";

/** Applies a plan file: faults of the file are found before the log is locked, stale facts after it. */
async function applyPlanFile(command: Command, found: SavedText, request: ApplyRequest): Promise<void> {
  const { host } = command;
  const { flags, lock, expected } = request;
  const strange = Object.keys(definedFields(flags)).filter((name) => !flagsForApply.split(" ").includes(name));
  if (strange.length > 0) {
    const written = strange.map((name) => `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`);
    const message = `${written.join(", ")} cannot be used with a plan file. A plan file fixes what apply does.`;
    throw invalidSetting("usage", message, "Pass it to `roster plan --out FILE`, and apply that file.");
  }
  await checkPathTrust(found.path, guardedFile, host);
  const file = await readPlanFile(found);
  const { plan } = file;
  const planFile: PlanFileReport = { path: found.path, file, digest: sha256(found.text), is: "applied" };
  const { reading, ...summary } = summaryOf(file);
  command.tell({ reading, ...summary, planFile });
  const { settings, policy: usual, observer } = await openReading(command, flags);
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  checkPlanService(plan, service.address);
  checkApproved(plan, expected);
  // Whether other guards would let a plan pass is known only when it is made anew.
  if (file.policy.guards !== guardsDigest(usual)) {
    const message = "the plan was made with other guards than the settings of this run have";
    const hint = "nothing was sent; use the settings of the plan here too, or plan again with `roster plan --out FILE`";
    throw stopError("refused", "stale", message, hint);
  }
  const policy = {
    ...usual,
    // Roles are privileged if the plan or this run says so.
    privilegedRoles: roleSet([...usual.privilegedRoles, ...file.policy.privilegedRoles]),
    // The file says what a person has allowed, not the environment of this run.
    allowed: (plan.allowed ?? []).flatMap(({ code }) => readAllowanceCode(code) ?? []),
    reason: plan.reason,
  };
  const { signal, deadline } = command.cancellation;
  const begins = () => {
    const shown = { reading, ...shownAs(flags, policy), planFile };
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    observer.planned(plan);
  };
  const options = { ...lock, service, log, policy, signal, deadline, file, progress: observer.read };
  await followRun(command, { ...request, observer, policy, begins }, (hook) =>
    applySaved({ ...options, begins: hook }),
  );
}

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
  let shown: PlanTextOptions = { ...shownAs(flags, policy), roster: options.roster.counts };
  const planned = (result: PlanResult) => {
    const { plan, reading } = result;
    const access = drawnAccess(flags, basisOf(result));
    command.tell({ plan, reading, access, ...shownAs(flags, policy) });
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
  const decided = flags.autoApprove === true ? "any" : approve;
  const run = { ...options, ...lock, deadline: cancellation.deadline, repair, planned, approve: decided } as const;
  const start = (hook: NonNullable<RunOptions["begins"]>) => startApply({ ...run, begins: hook });
  await followRun(command, { ...request, observer, policy, begins }, start);
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

/**
 * Asks for approval of a plan: on a screen if one can be shown, else in lines. A named view is always text. A screen leaves in its
 * place what was decided about what. Where results go elsewhere than to the terminal, the whole plan is among them.
 */
export async function askForApproval(
  plan: Plan,
  { host, cancellation }: Command,
  flags: OutputFlags,
  shown: PlanTextOptions,
  privileged: RoleSet,
): Promise<boolean> {
  const { signal } = cancellation;
  const { secrets, stdout, stderr } = host;
  const terminal = flags.view === undefined ? screenTerminal(host, flags) : undefined;
  if (terminal === undefined) {
    if (host.stdin().isTTY !== true || !stderr.isTerminal) {
      const hint = "Read the plan, then run it again with --auto-approve.";
      throw stopError("refused", "not-approved", "Cannot ask for approval: no terminal", hint);
    }
    const output = flags.format === "text" ? stdout : stderr;
    output.write(renderPlan(plan, { ...textStyleOf(output), ...shown }));
    return (await ask(host, signal)) === "yes";
  }
  const { reviewOnScreen } = await import("../../screen/review.tsx");
  const about = secrets.redactAll({ plan, privileged, ...definedFields({ reading: shown.reading }) });
  const answer = await reviewOnScreen(about, { terminal, paint: painter(stderr), signal });
  if (!stdout.isTerminal) stdout.write(`${renderPlan(plan, { paint: painter(stdout), ...shown })}\n`);
  // The result says that it was declined.
  const outcome = { command: "plan", exitCode: 0, diagnostics: [], plan, selected: shown.selected } as const;
  const next = answer === "approved" ? [sentence("Approved.")] : [];
  stderr.write(renderDocument({ ...documentOf(outcome, "terminal"), sections: [], next }, textStyleOf(stderr)));
  return answer === "approved";
}

const question = "Apply this plan? Invitations cannot be unsent. Only `yes` approves: ";

async function ask({ stdin: open, stderr }: Host, signal: AbortSignal): Promise<string> {
  const stdin = open();
  await discardTypedAhead(stdin);
  // Of an input that has ended already, nothing tells so once more.
  if (stdin.readableEnded || stdin.destroyed) return "";
  stderr.write(`\n${wrap(question, stderr.columns ?? question.length).join("\n")}`);
  // The terminal itself edits the line, and sends Ctrl-C to the process as it does at any other time.
  const prompt = createInterface({ input: stdin, terminal: false, signal });
  const lost = () => prompt.close();
  // Not every version of Node passes on what goes wrong with the input.
  stdin.on("error", lost);
  prompt.on("error", lost);
  const answer = await new Promise<string>((end) => {
    prompt.once("line", end);
    prompt.once("close", () => end(""));
  });
  prompt.close();
  stdin.off("error", lost);
  if (answer === "") stderr.write("\n");
  return answer.trim();
}
