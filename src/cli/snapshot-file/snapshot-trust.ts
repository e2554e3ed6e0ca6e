import { checkFileTrust } from "../file-trust.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

/**
 * Says why a snapshot is not believed: it came with the checkout, or the checkout decides which file it is. Whoever changes a
 * roster could bring a service of their own making with it, and the plan would tell a reviewer what they like.
 */
export function checkSnapshotTrust(path: string, host: Host): Promise<CommandError | undefined> {
  const words = {
    code: "untrusted-snapshot",
    file: `The snapshot ${path}`,
    leadsOut: snapshotLeadsOut(path),
    tracked: trackedSnapshot(path),
  };
  return checkFileTrust(path, words, host);
}

function snapshotLeadsOut(path: string): CommandError {
  return invalidSetting(
    "untrusted-snapshot",
    `The snapshot ${path} is a symbolic link in the checkout, or behind one, that leads out of it: a change to the checkout would choose of what the plan is made.`,
    "Name the snapshot where it is.",
  );
}

function trackedSnapshot(path: string): CommandError {
  return invalidSetting(
    "untrusted-snapshot",
    `The snapshot ${path} is kept in git: whoever can change the repository could write what the service is said to hold, and the plan would show it.`,
    "Carry the snapshot from the job that made it, such as by an artifact, and keep it outside the repository.",
  );
}
