import type { AuditPlace } from "../../library/apply/audited-session.ts";
import { type LockWaiting, lockForRun, lockHolder, type RunAudit, type StateLock } from "../../library/apply/lock.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { sha256 } from "../../library/system.ts";
import { formatAllowance } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { formatLockHolder } from "../../model/state.ts";
import type { LockOptions, StateStore } from "../../ports/state-store.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import type { Session } from "../session.ts";
import { durationOf } from "../time-limits.ts";
import { openAuditTrail } from "./open-store.ts";

/** The flags of every command that locks the state. */
export interface LockFlags {
  readonly lockTimeout?: string | undefined;
  readonly breakStaleLock?: string | undefined;
}

/** What a command does while another run holds the state. */
export interface LockWaitOptions extends LockOptions {
  /** `none`: what the command records changes nothing. */
  readonly audit?: "none";
  /** Milliseconds to wait for the lock. 0: do not wait. */
  readonly timeout: number;
}

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
const minSilence = 120_000;

export function readLockOptions({ lockTimeout, breakStaleLock }: LockFlags): Result<LockWaitOptions, RosterError> {
  const timeout = durationOf("--lock-timeout", lockTimeout);
  if (!timeout.ok) return timeout;
  const breakStaleAfter = durationOf("--break-stale-lock", breakStaleLock);
  if (!breakStaleAfter.ok) return breakStaleAfter;
  const wait = { timeout: timeout.value ?? 0 };
  if (breakStaleAfter.value === undefined) return success(wait);
  if (breakStaleAfter.value < minSilence) return problem(staleTooSoon(breakStaleLock ?? ""));
  return success({ ...wait, breakStaleAfter: breakStaleAfter.value });
}

function staleTooSoon(said: string): RosterError {
  return invalidSetting(
    "bad-flag-value",
    `--break-stale-lock ${said} is less than 2m. One call of the other run can take up to a minute.`,
    "Use 2m or more, such as 15m.",
  );
}

/** A session whose state is locked for its run. */
export type Locked<Opened extends Session> = Opened & { readonly lock: StateLock };

/** Locks the state for one run of the session, and keeps what the run changes in the audit trail. */
export async function lockState<Opened extends Session<"store">>(
  session: Opened,
  operation: string,
  options: LockWaitOptions,
): Promise<Result<Locked<Opened>, RosterError>> {
  const { store, host, cancellation, onClose } = session;
  const run = host.randomness.identifier();
  const audit = options.audit === "none" ? success(() => openAuditPlace(session)) : await runAudit(session);
  if (!audit.ok) return audit;
  const wait = { ...waitingWith(options, host), randomness: host.randomness, signal: cancellation.signal };
  const taken = await lockForRun(store, { run, operation }, wait, audit.value);
  if (!taken.ok) return taken;
  const lock = taken.value;
  onClose(() => lock.finish());
  return success({ ...session, lock });
}

/** Where the records of this state are written; closed with the session. */
async function openAuditPlace({ settings, host, onClose }: Session): Promise<Result<AuditPlace | "none", RosterError>> {
  const trail = await openAuditTrail(settings, host);
  if (!trail.ok || trail.value === "none") return trail.ok ? success("none") : trail;
  const opened = trail.value;
  onClose(async () => {
    await opened.close();
    return undefined;
  });
  return success({ trail: opened, digest: sha256 });
}

/** What the audit trail says of the run of a session; `none` where a person wants no trail. */
async function runAudit(
  session: Session & Partial<Pick<Session<"policy">, "policy">>,
): Promise<Result<RunAudit | "none", RosterError>> {
  const place = await openAuditPlace(session);
  if (!place.ok) return place;
  if (place.value === "none") return success("none");
  const { host, policy } = session;
  return success({
    ...host.secrets.redactAll(runContextOf(host)),
    allowed: (policy?.allowed ?? []).map(formatAllowance),
    ...(policy?.reason === undefined ? {} : { reason: host.secrets.redactAll(policy.reason) }),
    place: place.value,
  });
}

/** How a command waits: what it waits for is said on standard error. */
export function waitingWith(
  { timeout, breakStaleAfter }: LockWaitOptions,
  { clock, stderr }: Host,
): Omit<LockWaiting, "randomness" | "signal"> {
  return {
    timeout,
    ...(breakStaleAfter === undefined ? {} : { breakStaleAfter }),
    clock,
    howToWait: "--lock-timeout 5m waits for it",
    waiting: (holder, left) => stderr.write(`waiting for up to ${showDuration(left)}: ${safe(holder)}\n`),
  };
}

/** Says on standard error that a run holds the state: its unfinished work is no drift. */
export async function reportActiveRun(store: StateStore, host: Host): Promise<void> {
  const holder = await lockHolder(store);
  if (holder === undefined) return;
  const held = safe(formatLockHolder(holder));
  host.stderr.write(`The state is locked ${held}. Changes that this run has not made yet show as planned.\n`);
}
