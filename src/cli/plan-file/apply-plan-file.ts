import { applySavedPlan } from "../../library/apply/saved-plan.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { readAllowanceCode } from "../../model/allowance.ts";
import type { Plan, PlanFile } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { roleSet } from "../../model/role-set.ts";
import { sha256 } from "../../model/sha256.ts";
import { renderPlan } from "../../report/text/text.ts";
import {
  type ExpectedPlan,
  type PlanPart,
  runContext,
  runObserver,
  unexpectedPlan,
} from "../apply/apply-under-lock.ts";
import { notifyPrivileges } from "../apply/privilege-notice.ts";
import type { Webhook } from "../drift/webhook.ts";
import { textStyleOf } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { isFollowed, shownAs } from "../output/output-flags.ts";
import { type CommandCall, type PlanningFlags, readPorts, type Session } from "../session.ts";
import { type Locked, type LockWaitOptions, lockState } from "../stores/lock.ts";
import { checkPlanFileTrust } from "../trust/file-trust.ts";
import { guardsDigest, summaryOf } from "./plan-file.ts";
import { readPlanFile } from "./read-plan-file.ts";

/** How a person wants a plan file applied. */
interface ApplyFileOptions extends CommandCall<PlanningFlags> {
  readonly wait: LockWaitOptions;
  /** The number of this run among all applies. */
  readonly sequence?: number;
  readonly expected: ExpectedPlan | undefined;
  /** Who is told of privileged roles that the file allows. */
  readonly webhook: Webhook | undefined;
}

/** Applies a plan file: faults of the file are found before the log is locked, stale facts after it. */
export async function applyPlanFile(
  base: CommandResult,
  found: { readonly path: string; readonly text: string },
  { flags, host, open, wait, expected, webhook, ...sequence }: ApplyFileOptions,
): Promise<CommandResult> {
  const refused = refusedFlags(flags) ?? (await checkPlanFileTrust(found.path, host));
  if (refused !== undefined) return { ...base, stop: refused };
  const read = await readPlanFile(found);
  if (!read.ok) return { ...base, stop: read.error };
  const file = read.value;
  const result: CommandResult = {
    ...base,
    ...summaryOf(file),
    planFile: { path: found.path, file, digest: sha256(found.text), is: "applied" },
  };
  const needs = ["policy", "observer", "store", "service"] as const;
  const session = await open({ command: "apply", flags, host, needs });
  if (!session.ok) return { ...result, ...session.error };
  const stop =
    ofAnotherService(file.plan, session.value.service.address) ??
    unexpectedPlan(file.plan, expected) ??
    guardsChanged(file, session.value.policy);
  if (stop !== undefined) return { ...result, stop };
  // The file says what a person has allowed, not the environment of this run.
  const policy = {
    ...session.value.policy,
    // Roles are privileged if the plan or this run says so.
    privilegedRoles: roleSet([...session.value.policy.privilegedRoles, ...file.policy.privilegedRoles]),
    allowed: (file.plan.allowed ?? []).flatMap(({ code }) => readAllowanceCode(code) ?? []),
    reason: file.plan.reason,
  };
  const locked = await lockState({ ...session.value, policy }, "apply", wait);
  if (!locked.ok) return { ...result, stop: locked.error };
  return applyFile(result, locked.value, { flags, ...sequence, file, webhook });
}

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply: ReadonlySet<string> = new Set([
  "format",
  "report",
  "view",
  "endpoint",
  "parallelism",
  "debug",
  "state",
  "lockTimeout",
  "breakStaleLock",
  "sequence",
  "expectHead",
  "expectPlan",
  "deadline",
  "autoApprove",
]);

/** Refuses flags that would shape a plan: nothing that is said is passed over. */
function refusedFlags(flags: object): RosterError | undefined {
  const strange = Object.entries(flags).flatMap(([name, said]) =>
    said === undefined || flagsForApply.has(name)
      ? []
      : [`--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`],
  );
  if (strange.length === 0) return undefined;
  return invalidSetting(
    "usage",
    `${strange.join(", ")} cannot be used with a plan file. A plan file fixes what apply does.`,
    "Pass it to `roster plan --out FILE`, and apply that file.",
  );
}

interface FileRun {
  readonly flags: PlanningFlags;
  readonly file: PlanFile;
  readonly sequence?: number;
  readonly webhook: Webhook | undefined;
}

/** Runs a saved plan under the log's lock, and shows it where it begins. */
async function applyFile(
  result: CommandResult,
  session: Locked<Session<PlanPart>>,
  { flags, file, sequence, webhook }: FileRun,
): Promise<CommandResult> {
  const { host, cancellation, observer, policy, lock } = session;
  const context = {
    ...runContext(session),
    progress: readPorts(session).progress,
    whyAborted: () => cancellation.outOfTime(),
  };
  const begins = () => {
    if (isFollowed(flags)) host.stdout.write(`${shownPlan(result, file, { session, flags })}\n`);
    observer.planned(file.plan);
    return notifyPrivileges(file.plan, { webhook, lock, privileged: policy.privilegedRoles, flags, host });
  };
  const { error, warnings, ...applied } = await applySavedPlan(context, file, {
    ...runObserver(session),
    sequence,
    begins,
  });
  const shown = { ...result, ...applied, diagnostics: [...result.diagnostics, ...warnings] };
  return error === undefined ? shown : { ...shown, stop: error };
}

function shownPlan(
  { planFile }: CommandResult,
  file: PlanFile,
  { session, flags }: { readonly session: Session<"policy">; readonly flags: PlanningFlags },
): string {
  const { reading } = summaryOf(file);
  const shown = { reading, ...shownAs(flags, session.policy) };
  const source = planFile === undefined ? {} : { planFile };
  return renderPlan(file.plan, { ...textStyleOf(session.host.stdout), ...shown, ...source });
}

/**
 * Guards check a plan when it is made. Where this run has others, nobody knows whether they would let it pass: it is refused, and
 * a new plan says so.
 */
function guardsChanged(file: PlanFile, policy: Policy): RosterError | undefined {
  if (file.policy.guards === guardsDigest(policy)) return undefined;
  const message = "the plan was made with other guards than the settings of this run have";
  const hint = "nothing was sent; use the settings of the plan here too, or plan again with `roster plan --out FILE`";
  return stopError("refused", "stale", message, hint);
}

export function ofAnotherService({ service }: Plan, address: string): RosterError | undefined {
  if (service === address) return undefined;
  return invalidSetting(
    "other-service",
    `The plan is for the service ${service}, but this run uses ${address}.`,
    "Set ROSTER_ENDPOINT to the service of the plan, or plan again.",
  );
}
