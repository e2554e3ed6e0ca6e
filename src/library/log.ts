import { isAbsolute, resolve } from "node:path";
import { ownName } from "../files/own-name.ts";
import { fileStore } from "../log/file/store.ts";
import { findEnd } from "../log/hash-chain.ts";
import { formatLockHolder, isStale, minSilence } from "../log/lock-holder.ts";
import { emptyMemory, memoryStore } from "../log/memory.ts";
import type { LockHolder, LogSession, RosterLog } from "../log/port.ts";
import { outcomeOf } from "../log/store-error.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, LogEvent } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { formatAllowanceCode, type Policy } from "../model/policy.ts";
import { problem } from "../model/result.ts";
import { formatHead, type LogHead, type State } from "../model/state.ts";
import { type Clock, isoTime, type Randomness, stopwatch } from "../ports/clock.ts";
import { showDuration } from "../yaml/duration.ts";
import type { NetworkSettings } from "./connect.ts";
import { type Environment, newEnvironment, type SystemOptions } from "./environment.ts";
import { errorFromFailure, invalidSetting, orThrow, rosterError, stopError, withoutSecrets } from "./error.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import { passwordsIn, type Secrets } from "./redaction.ts";

export interface OpenLogOptions extends SystemOptions {
  /** Such as `file:/var/lib/roster/log.jsonl`, `postgres://…`, `s3://…`, or `memory:` for a test. */
  readonly url: string;
  /** An absolute directory, at which the relative path of a `file:` starts. */
  readonly cwd?: string | undefined;
  /**
   * Credentials and the like, by the names of the variables that the command reads: `PGPASSWORD`,
   * `AWS_ACCESS_KEY_ID`, `https_proxy`. The library itself reads no variable of the process.
   */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

const openLogChecks: OptionChecks<OpenLogOptions> = {
  clock: is.clock,
  randomness: is.randomness,
  url: is.required(is.text),
  cwd: is.text,
  variables: is.recordOf(is.text, "an object of texts"),
};

/** A log that can be planned with. */
export interface Log extends AsyncDisposable {
  /** Such as `file:/var/lib/roster/log.jsonl`, without credentials. */
  readonly address: string;
  /** The state as the last run left it. Takes no lock. Throws where it cannot be read. */
  read(): Promise<State>;
  close(): Promise<void>;
  /** @internal */
  readonly store: RosterLog;
  /** @internal */
  readonly clock: Clock;
  /** @internal */
  readonly randomness: Randomness;
  /** @internal */
  readonly secrets: Secrets;
}

/** Opens a log. Reads and writes nothing yet. Throws where its address is wrong. */
export async function openLog(options: OpenLogOptions): Promise<Log> {
  checkOptions("openLog", openLogChecks, options);
  const environment = newEnvironment(options);
  return withoutSecrets(environment.secrets, () => openLogAt(options.url, environment));
}

export interface LogPlace {
  readonly network?: NetworkSettings;
  /** The settings file that names the address, where a change to the checkout can edit it. */
  readonly editableIn?: string | undefined;
  /** Throws where a file of this machine is not trusted. It is asked before the file is opened. */
  readonly check?: (path: string) => Promise<void>;
  /** Whether a log that was moved elsewhere may be read. */
  readonly moved?: "allowed" | undefined;
}

/** The log at an address, as the command opens it: in its own environment. */
export async function openLogAt(address: string, environment: Environment, place: LogPlace = {}): Promise<Log> {
  const { clock, randomness, secrets } = environment;
  for (const password of passwordsIn(address)) secrets.keep(password);
  const opened = await openStore(address, environment, place);
  const store = place.moved === "allowed" ? opened : refusingMoved(opened);
  return {
    address: store.address,
    read: () => withoutSecrets(secrets, async () => secrets.redactAll(orThrow(await store.read()))),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    store,
    clock,
    randomness,
    secrets,
  };
}

async function openStore(
  address: string,
  environment: Environment,
  { network = {}, editableIn, check }: LogPlace,
): Promise<RosterLog> {
  const [, scheme = "", rest = ""] = /^([a-z0-9+]+):(.*)$/su.exec(address) ?? [];
  const { cwd, clock, randomness, localSystem } = environment;
  switch (scheme) {
    case "file": {
      const written = rest.replace(/^\/\/(?=\/)/u, "");
      const hint = "Write file:PATH, such as file:.roster/log.jsonl.";
      if (written === "") throw invalidSetting("bad-value", "The log address file: has no path.", hint);
      // Where the process stands is nothing that the library knows.
      if (!isAbsolute(written) && !isAbsolute(cwd)) {
        const message = `The path of ${address} is relative, and the option \`cwd\` gives no absolute directory.`;
        throw invalidSetting("bad-option", message, "Write an absolute path, or give `cwd`.");
      }
      const path = resolve(cwd, written);
      await check?.(path);
      return fileStore({ path, clock, randomness, ...definedFields({ system: localSystem }) });
    }
    case "memory":
      return memoryStore(emptyMemory(), environment);
    case "postgres":
    case "postgresql": {
      const { openPostgres } = await import("./stores/open-postgres.ts");
      return openPostgres(address, environment, editableIn);
    }
    case "s3": {
      const { openS3 } = await import("./stores/open-s3.ts");
      return openS3(address, environment, editableIn, network);
    }
    default: {
      const message = `The log address ${address.replace(/\/\/.*@/su, "//…@")} has an unknown kind.`;
      const hint = "Write postgres://USER@HOST/DATABASE, s3://BUCKET/PATH or file:PATH (as in file:.roster/log.jsonl).";
      throw invalidSetting("bad-value", message, hint);
    }
  }
}

/** Two histories would do things twice. */
function refusingMoved(store: RosterLog): RosterLog {
  return {
    ...store,
    async read() {
      const state = await store.read();
      return state.ok && state.value.moved !== undefined ? problem(wasMoved(store.address, state.value.moved)) : state;
    },
    async lock(run, options) {
      const session = await store.lock(run, options);
      if (!session.ok || session.value.state.moved === undefined) return session;
      await session.value.close();
      return problem(wasMoved(store.address, session.value.state.moved));
    },
  };
}

export function wasMoved(address: string, { to, at }: NonNullable<State["moved"]>): Failure {
  return {
    code: "state",
    message: `the log at ${address} was moved to ${to} at ${at}`,
    hint: `use the new place: --state ${to}, or the same value in ROSTER_STATE or in \`state:\` of the settings file`,
  };
}

/** Who starts a run, from which commit, pipeline and change request, and who approved it: recorded in the log. */
export type StartedBy = {
  readonly [Name in "actor" | "commit" | "pipeline" | "changeRequest" | "approvers"]?:
    | EventOf<"command-started">[Name]
    | undefined;
};

/** How long a run waits for the lock of the log, and what it records there of itself. */
export interface LockOptions {
  /** How long to wait for the lock of the log. 0 where it is absent: another run's lock is an error at once. */
  readonly lockTimeoutMs?: number | undefined;
  /** After how much silence, at least 120000, another run's lock is broken. Absent: never. */
  readonly breakStaleAfterMs?: number | undefined;
  /** Called now and then: who holds the lock, and how many milliseconds are left to wait. */
  readonly waiting?: ((holder: string, left: number) => void) | undefined;
  /** A log that has no entry with this head of an earlier run is refused: it was restored from an older copy. */
  readonly expectHead?: LogHead | undefined;
  /** Who starts the run. The user of the system where it is absent. */
  readonly startedBy?: StartedBy | undefined;
  /** How somebody who does not wait can wait, to follow a hint. @internal */
  readonly howToWait?: string | undefined;
}

export const lockChecks: OptionChecks<LockOptions> = {
  lockTimeoutMs: is.count,
  breakStaleAfterMs: is.count,
  waiting: is.function,
  expectHead: is.shape({ position: is.required(is.count), hash: is.required(is.text) }),
  startedBy: { wants: "an object with an `actor`", takes: (value) => typeof value === "object" && value !== null },
  howToWait: is.text,
};

export interface LockedLog extends LogSession {
  readonly log: Log;
  readonly run: string;
  /** Milliseconds since it was locked, by the monotonic clock. */
  heldFor(): number;
  /** Closes it. Throws what could not be saved. */
  finish(): Promise<void>;
  /** Where it ends now, where this run has added something. */
  ownHead(): LogHead | undefined;
}

interface LockInput extends LockOptions {
  readonly signal: AbortSignal;
  readonly policy?: Pick<Policy, "allowed" | "reason"> | undefined;
}

/** Tries until the time is over. An aborted signal ends the waiting: then the error still says who holds the lock. */
export async function lockLog(log: Log, operation: string, options: LockInput): Promise<LockedLog> {
  const { store, clock, randomness, secrets } = log;
  const { startedBy = { actor: { name: ownName(), source: "os" } }, policy, breakStaleAfterMs, howToWait } = options;
  const { lockTimeoutMs = 0 } = options;
  const run = randomness.identifier();
  const allowed = policy?.allowed.length ? policy.allowed.map(formatAllowanceCode) : undefined;
  const said = secrets.redactAll({ ...startedBy, reason: policy?.reason });
  const info = { run, operation, ...definedFields({ ...said, allowed }) };
  const breakStaleAfter = breakStaleAfterMs === undefined ? undefined : Math.max(breakStaleAfterMs, minSilence);
  const attempt = () => store.lock({ ...info, at: isoTime(clock) }, { breakStaleAfter });
  const { last, left } = await untilFree(log, options, attempt, (tried) =>
    tried.ok || tried.error.code !== "locked" ? undefined : tried.error.message,
  );
  if (!last.ok) {
    const { error } = last;
    if (error.code !== "locked" || left > 0) throw errorFromFailure(error);
    const wait = howToWait ?? "`lockTimeoutMs` waits for it";
    throw errorFromFailure(
      lockTimeoutMs > 0
        ? { ...error, message: `${error.message}, still locked after ${showDuration(lockTimeoutMs)}` }
        : { ...error, hint: error.hint === undefined ? wait : `${error.hint}; ${wait}` },
    );
  }
  const held = last.value;
  const lockedAt = clock.monotonic();
  await checkHead(options.expectHead, store, "stale").catch(async (error: unknown) => {
    await held.close().catch(() => undefined);
    throw error;
  });
  return {
    ...held,
    log,
    run,
    heldFor: () => clock.monotonic() - lockedAt,
    async finish() {
      orThrow(await held.close());
    },
    ownHead: () => (held.head().position > held.state.serial ? held.head() : undefined),
  };
}

/** Works with a locked log, and finishes it. What ended the work counts before what could not be saved. */
export async function underLock<T>(lock: LockedLog, work: () => Promise<T>): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await lock.finish().catch(() => undefined);
    throw rosterError(error).after({ head: lock.ownHead() });
  }
  await lock.finish();
  return value;
}

/** Waits until no run works with the log, up to the timeout. Takes no lock. */
export async function waitForRun(log: Log, options: LockInput): Promise<void> {
  const { lockTimeoutMs = 0, signal } = options;
  if (lockTimeoutMs === 0) return;
  const { last, holder } = await untilFree(
    log,
    options,
    () => activeRun(log.store),
    (found) => found && `the log is locked ${formatLockHolder(found)}`,
  );
  if (last === undefined || signal.aborted) return;
  const message = `${holder}, still locked after ${showDuration(lockTimeoutMs)}`;
  const hint = "use a longer --lock-timeout, or none: then calls of that run show as pending";
  throw stopError("locked", "locked", message, hint);
}

const noticeInterval = 15_000;

/** Repeats an attempt until nobody holds the log, the time is over or the signal is aborted. `left`: milliseconds of the timeout. */
async function untilFree<Attempt>(
  { clock, randomness }: Log,
  { signal, waiting, lockTimeoutMs = 0 }: LockInput,
  attempt: () => Promise<Attempt>,
  heldBy: (last: Attempt) => string | undefined,
): Promise<{ readonly last: Attempt; readonly holder: string | undefined; readonly left: number }> {
  const elapsed = stopwatch(clock);
  let notified = Number.NEGATIVE_INFINITY;
  for (;;) {
    const last = await attempt();
    const left = lockTimeoutMs - elapsed();
    const holder = heldBy(last);
    if (holder === undefined || left <= 0 || signal.aborted) return { last, holder, left };
    if (elapsed() - notified >= noticeInterval) {
      notified = elapsed();
      waiting?.(holder, left);
    }
    // Two runs that wait do not try in step.
    await clock.wait(Math.min(left, 900 + randomness.fraction() * 200), signal);
  }
}

/** Makes events durable, or throws that the place of the log is lost. `meanwhile`: what has become of the rest, in a few words. */
export function record(session: LogSession, events: readonly LogEvent[], meanwhile: string): Promise<void> {
  return durably(session.append(events), meanwhile);
}

export async function durably(work: Promise<void>, meanwhile: string): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; repair the store of the log, and run again`;
    throw errorFromFailure({ code: "state", message: error.message, hint });
  }
}

/** The run that works with the log, if the store can tell. */
export async function activeRun(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await lockHolder(store);
  return holder === undefined || isStale(holder, minSilence) ? undefined : holder;
}

/** The run that holds the lock, if the store can tell. */
export async function lockHolder(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}

/** Throws where a log does not have the entry of a head: it was restored from an older copy. */
export async function checkHead(
  known: LogHead | undefined,
  store: RosterLog,
  reason: "failed" | "stale",
): Promise<void> {
  if (known === undefined) return;
  const { head, hash, base } = orThrow(await outcomeOf(() => findEnd(store.readEvents(), known.position)));
  if (known.position === 0 || hash === known.hash) return;
  if (base !== undefined && known.position < base.head.position) {
    const message = `the log has no event at position ${known.position} any more: it was pruned up to position ${base.head.position}, before ${base.before}`;
    const hint = `check the export: \`roster audit verify --state file:EXPORT --expect-head ${formatHead(known)}\`, then this log with --expect-head ${formatHead(base.head)}`;
    throw stopError("failed", "state", message, hint);
  }
  const [lacks, copy] =
    known.position > head.position ? ["ends before", "an older"] : ["does not contain", "a changed"];
  const message = `the log ${lacks} the expected head ${formatHead(known)}. The head of the log is ${formatHead(head)}`;
  const hint = `this log may be ${copy} copy, or another log. Find the right log before you apply`;
  throw stopError(reason, reason === "stale" ? "stale" : "state", message, hint);
}

/** Where a log ends; undefined of one without events. */
export async function headOf({ store }: Log): Promise<LogHead | undefined> {
  const head = orThrow(await store.head());
  return head.position === 0 ? undefined : head;
}

/** A time that somebody asks for, in milliseconds since the epoch, and what a person calls it: a flag or an option. */
export interface AskedTime {
  readonly name: string;
  readonly time: number;
}

/** Throws where not all that was recorded up to a time is in the log. `before`: when it was pruned. */
export function checkPruned({ name, time }: AskedTime, before: string | undefined): void {
  if (before === undefined || time >= Date.parse(before)) return;
  const message = `${name} is before ${before}. Older events were pruned: they are in the export of that prune.`;
  const hint = "Pass `--state file:EXPORT`, with the path of the export in place of EXPORT.";
  throw invalidSetting("bad-flag-value", message, hint);
}
