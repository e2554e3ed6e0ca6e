import { resolve } from "node:path";
import { Readable } from "node:stream";
import { claimsToBePlan } from "../../codec/document.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { openRegular, readRegularFile } from "../../state/regular-file.ts";
import { maxFileBytes } from "../../yaml/decode.ts";
import type { Host } from "../host.ts";
import { hasRosterName } from "../output/wanted-output.ts";
import { readStandardInput } from "../standard-input.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { beginningOf } from "./plan-in-roster.ts";

/** What the paths of an apply lead to: a plan that was saved, told by its content, or whatever else, for a roster to be read from. */
export type FoundPlan =
  | { readonly is: "plan"; readonly path: string; readonly text: string }
  /** `host`: with the standard input that is still to be read. */
  | { readonly is: "no-plan"; readonly host: Host };

/** No plan is larger, in bytes; nor is a roster, which says so. */
export const largestPlan = 256 * 1024 * 1024;

export async function findPlan(paths: readonly string[], host: Host): Promise<Result<FoundPlan, CommandError>> {
  let rest = host;
  for (const path of paths) {
    const bytes =
      path === "-" ? await readStandardInput(rest, largestInput) : await bytesOfPlan(resolve(host.cwd, path));
    if (path === "-")
      rest = { ...host, stdin: Object.assign(Readable.from([bytes]), { isTTY: host.stdin.isTTY === true }) };
    if (bytes === undefined || bytes.length > largestPlan || !claimsToBePlan(beginningOf(bytes))) continue;
    // What a pipeline names as a roster must not be able to become an approval: reading the roster tells.
    if (hasRosterName(path)) continue;
    if (paths.length > 1) return problem(notAlone(path));
    return success({ is: "plan", path, text: bytes.toString("utf8") });
  }
  return success({ is: "no-plan", host: rest });
}

/** How much of standard input is read, by its beginning: of a roster no more than of a file of one. */
function largestInput(beginning: Buffer): number {
  return claimsToBePlan(beginningOf(beginning)) ? largestPlan : maxFileBytes;
}

/** The content of a regular file that claims to be a plan. What cannot be read is told when a roster is read from it. */
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
    `${path} is a plan, and a plan is applied alone: it has all that is to be done in it.`,
    `Pass ${path} as the only path.`,
  );
}
