import { lstat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { planFileHeader } from "../../codec/document.ts";
import { errorCode, systemErrorCode } from "../../files/file-system.ts";
import { openRegular } from "../../files/regular-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { durationOf } from "../duration.ts";
import type { Host } from "../host.ts";
import { hasRosterName } from "../output/output-flags.ts";
import { leadsOutOfCheckout } from "../trust/checkout.ts";

export interface OutFlags {
  readonly out?: string | undefined;
  readonly expires?: string | undefined;
}

/** Where a plan is to be saved, and how long it is good for, in milliseconds from the reading on. */
export interface Out {
  readonly path: string;
  readonly lasts: number;
}

const defaultLifetime = 86_400_000;

/** Undefined where no plan is to be saved. Found wrong before anything is read of the service. */
export async function readOut({ out, expires }: OutFlags, host: Host): Promise<Result<Out | undefined, CommandError>> {
  const lasts = durationOf({ flag: "--expires", said: expires }, host);
  if (!lasts.ok) return lasts;
  if (lasts.value === 0) return problem(expiresAtOnce);
  if (out === undefined) return lasts.value === undefined ? success(undefined) : problem(nothingToExpire);
  const taken = await refuseOccupied(out, host);
  return taken === undefined ? success({ path: out, lasts: lasts.value ?? defaultLifetime }) : problem(taken);
}

const expiresAtOnce = invalidSetting("bad-duration", "--expires 0 would make a plan file that expires at once.");

const nothingToExpire = invalidSetting(
  "unused-expires",
  "--expires needs --out: no plan file is written.",
  "Add --out FILE.",
);

/** What is written into a file that a newer one of its kind may replace. */
export interface OutKind {
  readonly name: "plan file" | "snapshot";
  /** What each file of the kind begins with. */
  readonly mark: string;
}

const planFileKind: OutKind = { name: "plan file", mark: planFileHeader };

/** Why nothing may be written there; undefined where nothing is there yet, or a file of the kind, which a newer one replaces. */
export async function refuseOccupied(path: string, host: Host, kind = planFileKind): Promise<CommandError | undefined> {
  if (path === "-") return noStream;
  if (hasRosterName(path)) return rosterName(path, kind);
  if (await leadsOutOfCheckout(path, host)) return ledOut(path);
  const at = resolve(host.cwd, path);
  try {
    if (!(await lstat(at)).isFile()) return notReplaceable(path, "is no regular file", kind);
    return (await beginningOf(at, kind)) === kind.mark ? undefined : notReplaceable(path, `is no ${kind.name}`, kind);
  } catch (error) {
    return errorCode(error) === "ENOENT" ? undefined : unwritable(path, error);
  }
}

async function beginningOf(at: string, { mark }: OutKind): Promise<string> {
  const file = await openRegular(at);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mark.length), 0, mark.length, 0);
    return buffer.subarray(0, bytesRead).toString("latin1");
  } finally {
    await file.close();
  }
}

/** Puts a file into its place, for its owner alone: whole, or not at all. */
export async function writeOut(
  path: string,
  text: string,
  host: Host,
  kind = planFileKind,
): Promise<Result<undefined, CommandError>> {
  const taken = await refuseOccupied(path, host, kind);
  if (taken !== undefined) return problem(taken);
  try {
    await replaceFile(resolve(host.cwd, path), [text], { permissions: "owner" });
    return success(undefined);
  } catch (error) {
    return problem(unwritable(path, error));
  }
}

const noStream = invalidSetting(
  "plan-file-on-stdout",
  "A plan file is private: roster does not write it to standard output.",
  "Use --out FILE, or print the plan with `roster plan --format json`.",
);

function rosterName(path: string, { name }: OutKind): CommandError {
  if (name === "snapshot") {
    const message = `${path} is the name of a roster file, and a snapshot under such a name would be read as one.`;
    return invalidSetting("snapshot-named-as-roster", message, "Name another file with --out, such as snapshot.json.");
  }
  return invalidSetting(
    "plan-file-named-as-roster",
    `${path} is the name of a roster file, and a plan under such a name is never applied.`,
    "Name another file with --out, such as plan.json.",
  );
}

function ledOut(path: string): CommandError {
  return invalidSetting(
    "untrusted-output",
    `${path} is a symbolic link in the checkout, or behind one, that leads out of it: a change to the checkout would choose which file is written.`,
    "Name the file where it is.",
  );
}

function notReplaceable(path: string, what: string, { name }: OutKind): CommandError {
  return invalidSetting(
    "file-exists",
    `${path} ${what}, and nothing but a ${name} is ever overwritten by one.`,
    "Name another file with --out.",
  );
}

function unwritable(path: string, error: unknown): CommandError {
  const code = systemErrorCode(error);
  const hint =
    code === "ENOENT"
      ? `Create the directory ${dirname(path)}, or name another file with --out.`
      : "Remove what is in the way, or name another file with --out.";
  return { reason: "failed", problem: { code: "unwritable", message: `${path} cannot be written: ${code}`, hint } };
}
