import { checkDrift, repairDrift } from "../../library/drift/check-drift.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { type Planned, serviceDoubt } from "../../library/planning/planning.ts";
import { closestMatch } from "../../model/address.ts";
import type { DriftClass } from "../../model/drift.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { formatLockHolder, type LockHolder } from "../../model/state.ts";
import { stopwatch } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { applyContext, applySteps, type LockedPlanning } from "../apply/apply-under-lock.ts";
import { notifyWebhook, readWebhook, type Webhook } from "../drift/webhook.ts";
import type { Host } from "../host.ts";
import { type CommandResult, type FinishedCommand, finish, repeatedArguments } from "../output/finish.ts";
import { rosterSummary } from "../planning/roster-files.ts";
import {
  type CommandCall,
  type PlanningFlags,
  type PlanningSession,
  planningParts,
  readPorts,
  runCommand,
} from "../session.ts";
import { type LockFlags, type LockWaitOptions, lockState, readLockOptions, waitingWith } from "../stores/lock.ts";
import { readDeadline } from "../time-limits.ts";

export interface DriftFlags extends PlanningFlags, LockFlags {
  readonly onlyNew?: boolean;
  /** False where nothing is to be written. */
  readonly record?: boolean;
  readonly repair?: readonly string[];
  readonly autoApprove?: boolean;
}

/**
 * Reads everyone and says in what the service and the roster differ, why and since when. Locks the log only to remember
 * what it saw, and only where it can; with classes to repair it is an apply of just these.
 */
export async function drift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<number> {
  return (await runDrift(paths, flags, host)).exitCode;
}

/** The same, for a command that runs others. */
export async function runDrift(paths: readonly string[], flags: DriftFlags, host: Host): Promise<FinishedCommand> {
  const webhook = readWebhook(host);
  if (!webhook.ok) {
    const result = { ...nothingFound, stop: webhook.error };
    return { result, exitCode: await finish(result, flags, host) };
  }
  const elapsed = stopwatch(host.clock);
  const result = await runCommand((open) => findDifferences(paths, { flags, host, open }, webhook.value));
  const exitCode = await finish(result, flags, host);
  const limit = readDeadline(flags);
  const isOver = limit.ok && limit.value !== undefined && elapsed() >= limit.value;
  const attempts = isOver ? "one" : "several";
  if (webhook.value !== undefined)
    await notifyWebhook(webhook.value, { conclusion: result, exitCode }, { flags, host, attempts });
  return { result, exitCode };
}

const nothingFound: CommandResult = { command: "drift", tells: "what-remains", diagnostics: [] };

/** Says in what the service and the roster differ, records it where it can, and repairs what was asked for. */
async function findDifferences(
  paths: readonly string[],
  { flags: given, host, open }: CommandCall<DriftFlags>,
  webhook: Webhook | undefined,
): Promise<CommandResult> {
  const wait = readLockOptions(given);
  if (!wait.ok) return { ...nothingFound, stop: wait.error };
  const classes = readRepairClasses(given);
  if (!classes.ok) return { ...nothingFound, stop: classes.error };
  const flags = { ...given, unmanaged: true };
  const session = await open({ command: "drift", paths, flags, host, needs: planningParts });
  if (!session.ok) return { ...nothingFound, ...session.error };
  const result = { ...nothingFound, ...rosterSummary(session.value.loaded), ...repeatedArguments(paths, flags) };
  if (classes.value === undefined) return checkSession(result, session.value, { flags, wait: wait.value });
  const locked = await lockState(session.value, "drift --repair", wait.value);
  if (!locked.ok) return { ...result, stop: locked.error };
  return repairUnderLock(result, locked.value, { flags, classes: classes.value, webhook });
}

/** Applies the part of the plan that is of some classes. */
async function repairUnderLock(
  result: CommandResult,
  session: LockedPlanning,
  {
    flags,
    classes,
    webhook,
  }: {
    readonly flags: DriftFlags;
    readonly classes: ReadonlySet<DriftClass>;
    readonly webhook: Webhook | undefined;
  },
): Promise<CommandResult> {
  const { steps, show } = applySteps(result, session, { flags, webhook });
  const repaired = await repairDrift(applyContext(session, { flags }), classes, steps);
  const shown = show(repaired);
  if (repaired.found === undefined) return shown;
  const { planned: _, ...found } = repaired.found;
  return { ...shown, drift: { ...found, shows: "everything", repairing: [...classes] } };
}

/** Reads all users, says how the service and the roster differ, and records what is new where it may write. */
async function checkSession(
  result: CommandResult,
  session: PlanningSession,
  { flags, wait }: { readonly flags: DriftFlags; readonly wait: LockWaitOptions },
): Promise<CommandResult> {
  const { store, cancellation, host, loaded, policy, observer } = session;
  const lock = async () => {
    const locked = await lockState(session, "drift", wait);
    return locked.ok ? success(locked.value.lock) : locked;
  };
  const context = {
    ...readPorts(session),
    roster: loaded.roster,
    policy,
    store,
    secrets: host.secrets,
  };
  let made: Planned | undefined;
  const checked = await checkDrift(context, {
    wait: { ...waitingWith(wait, host), signal: cancellation.signal },
    ...(flags.record === false ? {} : { lock }),
    holder: (holder) => reportHolder(holder, host),
    planned(planned) {
      made = planned;
      observer.planned(planned.plan);
    },
  });
  if (!checked.ok) return { ...result, ...refusedPlan(made), stop: checked.error };
  const { planned, ...found } = checked.value;
  const { plan, reading, refusal } = planned;
  const { privilegedRoles } = policy;
  const shows = flags.onlyNew === true ? "what-is-new" : "everything";
  const diagnostics = [...result.diagnostics, ...guardWarnings(refusal)];
  return { ...result, plan, reading, diagnostics, privilegedRoles, drift: { ...found, shows } };
}

/** Where the service itself is in doubt, the plan says so in place of a drift. */
function refusedPlan(made: Planned | undefined): Pick<CommandResult, "plan" | "reading"> {
  if (made === undefined || serviceDoubt(made) === undefined) return {};
  const { plan, reading } = made;
  return { plan, reading };
}

/** A plan that guards refuse is reported all the same. */
function guardWarnings(refusal: Planned["refusal"]): readonly Diagnostic[] {
  return (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }));
}

function reportHolder(holder: LockHolder, host: Host): void {
  const held = safe(formatLockHolder(holder));
  host.stderr.write(`The log is locked ${held}. Calls in progress show as pending, and later ones as not applied.\n`);
}

const repairable = ["tampered", "unapplied"] as const;

/** The classes to repair; undefined where none is. What calls cannot correct cannot be repaired. */
function readRepairClasses(flags: DriftFlags): Result<ReadonlySet<DriftClass> | undefined, RosterError> {
  const { repair, record, autoApprove, onlyNew } = flags;
  if (repair === undefined) return autoApprove === true ? problem(nothingToApprove) : success(undefined);
  if (record === false) return problem(contradiction);
  if (onlyNew === true) return problem(partOfPart);
  const classes = new Set<DriftClass>();
  for (const word of repair.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    const known = repairable.find((name) => name === word);
    if (known === undefined) return problem(notRepairable(word));
    classes.add(known);
  }
  return success(classes);
}

const contradiction = invalidSetting(
  "usage",
  "--repair records its calls, and --no-record records nothing.",
  "Remove one of the two flags.",
);

const partOfPart = invalidSetting(
  "usage",
  "--only-new limits the report, but --repair applies all drift of a class.",
  "Remove one of the two flags.",
);

const nothingToApprove = invalidSetting(
  "usage",
  "--auto-approve needs --repair.",
  "Add the class to repair, such as --repair tampered.",
);

function notRepairable(word: string): RosterError {
  const close = closestMatch(word, repairable);
  return invalidSetting(
    "bad-flag-value",
    `--repair ${word} is not a class that roster can repair.`,
    close === undefined ? `Write --repair ${repairable.join(" or --repair ")}.` : `Did you mean ${close}?`,
  );
}
