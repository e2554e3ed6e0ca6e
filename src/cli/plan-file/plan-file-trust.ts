import { checkFileTrust } from "../file-trust.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

/**
 * Says why a plan file is not taken for an approval: it came with the checkout, or the checkout decides which file it is.
 * Whoever changes a roster must not be able to put a plan in its place.
 */
export function checkPlanFileTrust(path: string, host: Host): Promise<CommandError | undefined> {
  const words = {
    code: "untrusted-plan-file",
    file: `The plan file ${path}`,
    leadsOut: planFileLeadsOut(path),
    tracked: trackedPlanFile(path),
  };
  return checkFileTrust(path, words, host);
}

function planFileLeadsOut(path: string): CommandError {
  return invalidSetting(
    "untrusted-plan-file",
    `The plan file ${path} is a symbolic link in the checkout, or behind one, that leads out of it: a change to the checkout would choose which plan is applied.`,
    "Name the plan file where it is.",
  );
}

function trackedPlanFile(path: string): CommandError {
  return invalidSetting(
    "untrusted-plan-file",
    `The plan file ${path} is kept in git: whoever can change the repository could write what is done, and a plan file is its own approval.`,
    "Make a plan file that is not kept with `roster plan --out FILE`, and keep it outside the repository.",
  );
}
