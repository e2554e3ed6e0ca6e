import { readFile, readlink } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { kill, pid } from "node:process";
import { errorCode, type FileSystem, localFiles } from "../files/file-system.ts";

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

export async function ownIdentity(): Promise<ProcessIdentity> {
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  const started = (await statusOf(pid))?.started;
  return {
    host: hostname(),
    pid,
    ...(boot === "" ? {} : { boot }),
    ...(namespace === "" ? {} : { namespace }),
    ...(started === undefined ? {} : { started }),
  };
}

/** The name under which this process runs. */
export function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return "unknown";
  }
}

/**
 * Whether a process is certainly gone. Only on the same machine, in the same boot and namespace, can its absence be
 * told at all; anything doubtful counts as alive.
 */
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
  const [state, ...fields] = line
    .slice(line.lastIndexOf(")") + 1)
    .trim()
    .split(" ");
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
