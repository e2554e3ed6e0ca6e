import { resolve } from "node:path";
import { Readable } from "node:stream";
import { claimsToBePlan, isPlanFile } from "../../codec/document.ts";
import { openRegular, readRegularFile } from "../../files/regular-file.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { PlanFile } from "../../model/saved-files.ts";
import type { ReadSummary, RosterCounts } from "../../report/outcome.ts";
import { maxFileBytes } from "../../yaml/source-text.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { type Host, readStandardInput } from "../host.ts";
import { hasRosterName } from "../output/output-flags.ts";
import { beginningOf } from "../planning/roster-files.ts";
import { sha256 } from "../system.ts";

/** What the paths of an apply lead to: a saved plan, known by its content, or anything else, which is read as a roster. */
type FoundPlan =
  | { readonly is: "plan"; readonly path: string; readonly text: string }
  /** `stdin`: what is left of standard input. */
  | { readonly is: "no-plan"; readonly stdin: Host["stdin"] };

/** No plan is larger, in bytes; nor is a roster, which says so. */
export const largestPlan = 256 * 1024 * 1024;

export async function findPlan(paths: readonly string[], host: Host): Promise<Result<FoundPlan, CommandError>> {
  let { stdin } = host;
  for (const path of paths) {
    const bytes =
      path === "-" ? await readStandardInput({ stdin }, largestInput) : await bytesOfPlan(resolve(host.cwd, path));
    if (path === "-") stdin = Object.assign(Readable.from([bytes]), { isTTY: host.stdin.isTTY === true });
    if (bytes === undefined || bytes.length > largestPlan || !claimsToBePlan(beginningOf(bytes))) continue;
    // What a pipeline names as a roster must not be able to become an approval: reading the roster tells.
    if (hasRosterName(path)) continue;
    if (paths.length > 1) return problem(notAlone(path));
    return success({ is: "plan", path, text: bytes.toString("utf8") });
  }
  return success({ is: "no-plan", stdin });
}

/** How much of standard input is read, by its beginning: of a roster no more than of a file of one. */
function largestInput(beginning: Buffer): number {
  return claimsToBePlan(beginningOf(beginning)) ? largestPlan : maxFileBytes;
}

/** The content of a regular file that claims to be a plan. What cannot be read is reported when a roster is read from it. */
async function bytesOfPlan(at: string): Promise<Buffer | undefined> {
  try {
    const file = await openRegular(at);
    const beginning = await file.read(Buffer.alloc(4096), 0, 4096, 0).finally(() => file.close());
    const bytes = beginning.buffer.subarray(0, beginning.bytesRead);
    return claimsToBePlan(beginningOf(bytes)) ? await readRegularFile(at, largestPlan) : undefined;
  } catch {
    return undefined;
  }
}

function notAlone(path: string): CommandError {
  return invalidSetting(
    "plan-file-not-alone",
    `${path} is a plan file, which cannot be combined with other files.`,
    `Pass ${path} as the only path.`,
  );
}

/** Reads a plan file that was found at a path, or says why it is none that may be used. */
export async function readPlanFile({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): Promise<Result<PlanFile, CommandError>> {
  const { decodePlanFile } = await import("../../codec/plan-file.ts");
  const decoded = decodePlanFile(text, sha256);
  return decoded.ok ? success(decoded.value) : problem(badPlanFile(path, decoded.error));
}

function badPlanFile(path: string, why: string): CommandError {
  return invalidSetting(
    "bad-plan-file",
    `${path} is not a usable plan file: ${why}.`,
    "Plan again with `roster plan --out FILE`, and do not edit the file.",
  );
}

/** What a text holds: a plan, and the plan file that it is in; a document that `--format json` printed has the plan alone. */
export interface LoadedPlan {
  readonly plan: Plan;
  readonly file?: PlanFile;
}

export async function readSavedPlan(saved: {
  readonly path: string;
  readonly text: string;
}): Promise<Result<LoadedPlan, CommandError>> {
  if (isPlanFile(saved.text)) {
    const read = await readPlanFile(saved);
    return read.ok ? success({ plan: read.value.plan, file: read.value }) : read;
  }
  const { decodePlanDocument } = await import("../../codec/plan-document.ts");
  const decoded = decodePlanDocument(saved.text);
  if (decoded.ok) return success({ plan: decoded.value.plan });
  return problem(invalidSetting("bad-plan-file", `${saved.path} is not a plan: ${decoded.error}`, howToSave));
}

/** What to do where something is not a saved plan. */
export const howToSave = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";

interface PlanFileSummary {
  readonly reading: ReadSummary;
  readonly roster: RosterCounts;
  readonly privilegedRoles: RoleSet;
}

/** How the service was read for the plan, and what the roster was, as a command tells it. */
export function summaryOf({ plan, basis, policy }: PlanFile): PlanFileSummary {
  const { readAt, everyone, capabilities, roster } = basis;
  const { digest: _, ...counts } = roster;
  return {
    reading: { service: plan.service, readAt, everyone, capabilities, readings: new Map() },
    roster: counts,
    privilegedRoles: policy.privilegedRoles,
  };
}
