import { resolve } from "node:path";
import { Readable } from "node:stream";
import { planFileHeader } from "../codec/document.ts";
import { invalidSetting } from "../library/error.ts";
import { beginsAsPlan } from "../library/load-roster.ts";
import { hasRosterName } from "../library/roster-files.ts";
import type { SavedPlan, SavedText } from "../library/saved-plan.ts";
import { sha256 } from "../model/json.ts";
import type { PlanFileReport } from "../report/json/document-format.ts";
import { maxFileBytes } from "../yaml/source-text.ts";
import { beginningOfFile, type OutKind, readInput } from "./files.ts";
import { type Host, readStandardInput } from "./host.ts";

export const planFileKind: OutKind = { name: "plan file", mark: planFileHeader };

/** No plan is larger, in bytes; nor is a roster, which says so. */
const largestPlan = 256 * 1024 * 1024;

/** The saved plan that paths lead to, known by its content: anything else is read as a roster. `stdin`: what is left of standard input. */
export async function findPlan(paths: readonly string[], host: Host, beside: "nothing" | "roster" = "nothing") {
  let { stdin } = host;
  for (const path of paths) {
    let bytes: Buffer;
    if (path === "-") {
      bytes = await readStandardInput(stdin(), (begun) => (beginsAsPlan(begun) ? largestPlan : maxFileBytes));
      const left = Object.assign(Readable.from([bytes]), { isTTY: stdin().isTTY === true });
      stdin = () => left;
    } else {
      // What cannot be read is reported when a roster is read from it.
      bytes = await beginningOfFile(resolve(host.cwd, path), 4096).catch(() => Buffer.alloc(0));
    }
    if (bytes.length > largestPlan || !beginsAsPlan(bytes)) continue;
    // What a pipeline names as a roster must not be able to become an approval: reading the roster tells.
    if (hasRosterName(path)) continue;
    const others = paths.filter((one) => one !== path);
    if (others.length > 0 && beside === "nothing") {
      const message = `${path} is a plan file, which cannot be combined with other files.`;
      throw invalidSetting("usage", message, `Pass ${path} as the only path.`);
    }
    return { saved: await readSavedText(path, { ...host, stdin }), others, stdin };
  }
  return { saved: undefined, others: paths, stdin };
}

export async function readSavedText(path: string, host: Host): Promise<SavedText> {
  const { howToSave: hint } = await import("../library/saved-plan.ts");
  const bytes = await readInput(path, { what: "plan", largest: largestPlan, hint }, host);
  return { file: path, text: bytes.toString("utf8") };
}

/** What reports say of a plan file. `path`: as a person would name it from here; `-` is standard input. */
export function reportOfPlanFile(path: string, { file, text }: SavedPlan, is: PlanFileReport["is"]) {
  const { service } = file.plan;
  const { readAt, everyone, capabilities, roster } = file.basis;
  const { digest: _, ...counts } = roster;
  return {
    reading: { service, readAt, everyone, capabilities, readings: new Map() },
    roster: counts,
    privilegedRoles: file.policy.privilegedRoles,
    planFile: { path, file, digest: sha256(text), is },
  };
}
