import { resolve } from "node:path";
import { checkoutAround, repositoryRoot, standingOf } from "../checkout.ts";
import { type Host, isPipeline } from "../host.ts";
import { trustsCheckout } from "../settings/settings-trust.ts";
import { invalidSetting, type Stop } from "../stop.ts";
import { isTracked } from "../tracked-files.ts";

/**
 * Says why a snapshot is not believed: it came with the checkout, or the checkout decides which file it is. Whoever changes a
 * roster could bring a service of their own making with it, and the plan would tell a reviewer what they like.
 */
export async function snapshotTrouble(path: string, host: Host): Promise<Stop | undefined> {
  if (path === "-" || trustsCheckout(host)) return undefined;
  const standing = await standingOf(resolve(host.cwd, path), await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return leadsOut(path);
  return (await isTracked(standing.path, "itself")) ? tracked(path) : undefined;
}

function leadsOut(path: string): Stop {
  return invalidSetting(
    "untrusted-snapshot",
    `The snapshot ${path} is a symbolic link in the checkout, or behind one, that leads out of it: a change to the checkout would choose of what the plan is made.`,
    "Name the snapshot where it is.",
  );
}

function tracked(path: string): Stop {
  return invalidSetting(
    "untrusted-snapshot",
    `The snapshot ${path} is kept in git: whoever can change the repository could write what the service is said to hold, and the plan would show it.`,
    "Carry the snapshot from the job that made it, such as by an artifact, and keep it outside the repository.",
  );
}
