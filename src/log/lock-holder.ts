import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { kill, pid } from "node:process";
import { errorCode, type FileSystem, localFiles } from "../files/file-system.ts";
import { definedFields } from "../model/collections.ts";
import { isObject } from "../model/json.ts";
import { stateFlag } from "../model/state.ts";
import type { LockHolder } from "./port.ts";
import { StoreError, stateError } from "./store-error.ts";

/** Calls `beat` again and again until what it returns is called. */
export type StartBeats = (milliseconds: number, beat: () => Promise<void>) => () => void;

/** Beats by the time of this machine, and keeps no process alive that has nothing else to do. */
const timerBeats: StartBeats = (milliseconds, beat) => {
  const timer = setInterval(() => void beat(), milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

/**
 * The signs of life of a lock's holder, one at a time: one that is due while another is under way is left out. Once the lock is lost, none
 * follows. What is returned ends them, and resolves when the one under way, if any, has ended.
 */
export function startHeartbeat(
  milliseconds: number,
  beat: () => Promise<"held" | "lost">,
  start = timerBeats,
): () => Promise<void> {
  let underWay: Promise<void> | undefined;

  const end = start(milliseconds, () => {
    underWay ??= beat()
      .then((found) => {
        if (found === "lost") end();
      })
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  });
  return async () => {
    end();
    await underWay;
  };
}

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
export const minSilence = 120_000;

/** Whether another run may take the lock over: its holder has ended, or has given no sign of life for `silence` milliseconds. */
export function isStale({ silentFor, hasEnded }: LockHolder, silence: number | undefined): boolean {
  return hasEnded === true || (silence !== undefined && silentFor !== undefined && silentFor >= silence);
}

/** Milliseconds, less than any silence after which a lock may be taken over: who needed as many to ask whether a lock is its own asks again. */
export const overslept = 30_000;

/** `address`: of the log, where the lock has a name of its own. */
export function lockedBy(lock: string, holder: LockHolder, address = lock): StoreError {
  const unlock = `\`roster state unlock ${holder.id} ${stateFlag(address)}\` breaks its lock`;
  const hint = holder.hasEnded ? `${unlock} now` : `wait until that run has ended; if it is dead, ${unlock}`;
  const stale = ". --break-stale-lock 15m breaks it after 15 minutes of silence";
  return new StoreError({
    code: "locked",
    request: lock,
    message: `the log is locked ${formatLockHolder(holder)}`,
    hint: holder.silentFor === undefined || holder.hasEnded ? hint : `${hint}${stale}`,
  });
}

export function lockedByMany(lock: string): StoreError {
  const message = "the log is locked by one run after another";
  return new StoreError({ code: "locked", message, request: lock, hint: "run again" });
}

/** Why a lock that is not, or no longer, held under this id is not broken. */
export function notHeldBy(lock: string, id: string, holder: LockHolder | "nobody", address = lock): StoreError {
  if (holder === "nobody") return stateError(lock, "the log is not locked", "there is nothing to unlock");
  const hint = `check who holds it; \`roster state unlock ${holder.id} ${stateFlag(address)}\` breaks that lock`;
  return stateError(lock, `the log is locked with the ID ${holder.id}, not ${id}`, hint);
}

export function leaseLost(lock: string, holder: LockHolder | "nobody"): StoreError {
  const how = holder === "nobody" ? "broken or taken over" : `taken over ${formatLockHolder(holder)}`;
  return stateError(
    lock,
    `the lock of this run was ${how}: it cannot record results, so it starts no more calls`,
    "run again when no other run is active: the records are kept, and open calls are resolved by reading",
  );
}

/** A field that roster could have written: a short text. */
export function lockField(lock: unknown, name: string): string | undefined {
  const text = isObject(lock) ? lock[name] : undefined;
  return typeof text === "string" && text !== "" && text.length <= 256 ? text : undefined;
}

/** Fields that roster could have written; undefined where one of them is anything else. */
export function lockFields<Name extends string>(
  lock: unknown,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const fields = names.map((name) => [name, lockField(lock, name)] as const);
  if (fields.some(([, text]) => text === undefined)) return undefined;
  return Object.fromEntries(fields) as Record<Name, string>;
}

/** A process as another one on the same machine can tell it apart, even from a later one with the same number. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** What the system counts as one boot; absent where it does not say. */
  readonly boot?: string;
  /** Processes are numbered per namespace: a container does not see those of its host. */
  readonly namespace?: string;
  /** When the process started, in the system's own count; absent where it does not say. */
  readonly started?: string;
}

async function ownIdentity(): Promise<ProcessIdentity> {
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim() || undefined;
  const namespace = await readlink("/proc/self/ns/pid").catch(() => undefined);
  const started = (await statusOf(pid))?.started;
  return { host: hostname(), pid, ...definedFields({ boot, namespace, started }) };
}

/** Only on the same machine, in the same boot and namespace, can the absence of a process be told at all. */
async function isProvablyDead(owner: ProcessIdentity): Promise<boolean> {
  const own = await ownIdentity();
  if (owner.host !== own.host || owner.boot !== own.boot || owner.namespace !== own.namespace) return false;
  if (!isThere(owner.pid)) return true;
  const status = await statusOf(owner.pid);
  if (status === undefined) return false;
  return status.ended || (owner.started !== undefined && owner.started !== status.started);
}

function isThere(number: number): boolean {
  try {
    kill(number, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/** From the line that Linux keeps of a process; its name, in parentheses, may hold anything. */
async function statusOf(number: number): Promise<{ started: string; ended: boolean } | undefined> {
  const line = await readFile(`/proc/${number}/stat`, "utf8").catch(() => "");
  const [state, ...fields] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const started = fields[18];
  return started === undefined ? undefined : { started, ended: state === "Z" || state === "X" };
}

/** What the file store asks of the machine that it runs on. */
export interface LocalSystem {
  readonly disk: FileSystem;
  /** The process that asks. */
  identity(): Promise<ProcessIdentity>;
  /** Whether a process is certainly gone; anything doubtful counts as alive. */
  isProvablyDead(process: ProcessIdentity): Promise<boolean>;
}

export const thisMachine: LocalSystem = { disk: localFiles, identity: ownIdentity, isProvablyDead };

/** Who holds a lock, since when and for what: `by ada@build-7 for apply since 2026-11-20T09:00:00.000Z, silent for 14 min`. */
export function formatLockHolder({ who, operation, since, silentFor, hasEnded }: LockHolder): string {
  const doing = operation === undefined ? "" : ` for ${operation}`;
  const from = since === undefined ? "" : ` since ${since}`;
  const silent = silentFor === undefined || silentFor < usualSilence ? "" : `, silent for ${formatSilence(silentFor)}`;
  const ended = hasEnded ? ", which has ended without unlocking it, so the next run takes over" : "";
  return `by ${who ?? "an unknown run"}${doing}${from}${silent}${ended}`;
}

/** A living holder gives several signs of life within this many milliseconds. */
const usualSilence = 60_000;

function formatSilence(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
