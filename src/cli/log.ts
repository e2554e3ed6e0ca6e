import { lstat } from "node:fs/promises";
import { invalidSetting } from "../library/error.ts";
import {
  type LockedLog,
  type LockOptions,
  type Log,
  type LogPlace,
  lockHolder,
  lockLog,
  openLogAt as openAt,
  underLock,
} from "../library/log.ts";
import { formatLockHolder, minSilence } from "../log/lock-holder.ts";
import type { LogHead } from "../model/state.ts";
import { safe } from "../report/safe.ts";
import { showDuration } from "../yaml/duration.ts";
import { durationOf, type SomeFlags } from "./flags.ts";
import type { Host } from "./host.ts";
import type { Command } from "./run-command.ts";
import { runContextOf } from "./run-context.ts";
import { readSettings, type Settings } from "./settings/settings.ts";
import { checkPathTrust, type GuardedFile, trustsCheckout } from "./trust.ts";

/** The configured log. Reads and writes nothing yet. `moved`: one that was moved elsewhere may be looked at. */
export async function openLog(
  { state, network }: Pick<Settings, "state" | "network">,
  host: Host,
  moved?: "allowed",
): Promise<Log> {
  if (state === undefined) {
    const message =
      "This run is in CI (the variable CI is set), but --state, the place of the log, is not set. A log in the checkout would be lost.";
    throw invalidSetting("missing-setting", message, "Pass --state with an s3: or postgres: URL, or set ROSTER_STATE.");
  }
  return openLogAt(state.value, host, { network, editableIn: state.editableIn, ...(moved && { moved }) });
}

export function openLogAt(address: string, host: Host, place: LogPlace): Promise<Log> {
  return openAt(address, host, { ...place, check: (path) => checkLogTrust(path, host) });
}

/** Refuses a log that came with the checkout, or of another user: its writer decides what roster takes for done, and whose keys are whose. */
export async function checkLogTrust(path: string, host: Host, user = process.getuid?.()): Promise<void> {
  const end = await checkPathTrust(path, logFile, host);
  if (trustsCheckout(host)) return;
  for (const file of [end, `${end}.checkpoint`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    // The superuser may write for everybody, and reads what others wrote as theirs.
    if (owner === undefined || user === undefined || user === 0 || owner === 0 || owner === user) continue;
    const message = `The log's file ${file} belongs to another user of this machine (${owner}). That user could write false records.`;
    const hint = "Run roster as that user, give the file to this one, or name another log with --state.";
    throw invalidSetting("untrusted", message, hint);
  }
}

const logFile: GuardedFile = {
  kind: "log",
  chooses: "which log is used",
  git: "and-beside",
  could: "edit what roster has recorded",
  hint: "Remove it from git (`git rm -r --cached`, and `.roster/` in .gitignore). Name a log that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
};

/** The log that the settings in force name, closed with the command. */
export async function configuredLog(command: Command, flags: SomeFlags, moved?: "allowed"): Promise<Log> {
  return command.closing(await openLog(await readSettings(flags, command.host), command.host, moved));
}

/** What a command does while another run holds the log, and what it records of itself. What it waits for is said on standard error. */
export function readLockOptions(flags: SomeFlags, host: Host): LockOptions {
  const { lockTimeout, breakStaleLock } = flags;
  const lockTimeoutMs = durationOf("--lock-timeout", lockTimeout) ?? 0;
  const breakStaleAfterMs = durationOf("--break-stale-lock", breakStaleLock);
  const expectHead = readExpectedHead(flags);
  if (breakStaleAfterMs !== undefined && breakStaleAfterMs < minSilence) {
    const message = `--break-stale-lock ${breakStaleLock} is less than 2m. One call of the other run can take up to a minute.`;
    throw invalidSetting("bad-flag-value", message, "Use 2m or more, such as 15m.");
  }
  const waiting = (holder: string, left: number) =>
    host.stderr.write(`waiting for up to ${showDuration(left)}: ${safe(holder)}\n`);
  const howToWait = "--lock-timeout 5m waits for it";
  return { lockTimeoutMs, breakStaleAfterMs, expectHead, waiting, howToWait, startedBy: runContextOf(host) };
}

export function readExpectedHead({ expectHead }: SomeFlags): LogHead | undefined {
  if (expectHead === undefined) return undefined;
  const [, position, hash] = /^(\d{1,15}):([0-9a-f]{64})$/u.exec(expectHead) ?? [];
  if (position !== undefined && hash !== undefined) return { position: Number(position), hash };
  const hint = "Write it as `roster apply` prints it: a position, a colon and 64 hexadecimal digits.";
  throw invalidSetting("bad-flag-value", `--expect-head ${expectHead} is not the head of a log.`, hint);
}

export async function withLock(
  command: Command,
  log: Log,
  operation: string,
  flags: SomeFlags,
  work: (lock: LockedLog) => Promise<void>,
): Promise<void> {
  const { signal } = command.cancellation;
  const lock = await lockLog(log, operation, { ...readLockOptions(flags, command.host), signal });
  await underLock(lock, () => work(lock));
  command.tell({ head: lock.ownHead() });
}

export async function reportActiveRun({ store }: Log, { stderr }: Host): Promise<void> {
  const holder = await lockHolder(store);
  const held = holder && safe(formatLockHolder(holder));
  if (held) stderr.write(`The log is locked ${held}. Changes that this run has not made yet show as planned.\n`);
}
