import { resolve } from "node:path";
import { checkoutAround, placementOf, repositoryRoot, trustsCheckout } from "./checkout.ts";
import { type Host, isPipeline } from "./host.ts";
import { type CommandError, invalidSetting } from "./stop.ts";
import { gitTrackingOf } from "./tracked-files.ts";

/** What is said of a file that is not believed, by the reason. */
export interface DistrustMessages {
  /** Such as `untrusted-snapshot`. */
  readonly code: string;
  /** Such as `The snapshot s.json`. */
  readonly file: string;
  readonly leadsOut: CommandError;
  readonly tracked: CommandError;
}

/**
 * Why a file that decides what is done or shown is not believed: git keeps it, so that it came with the checkout, or a link
 * in the checkout leads out to it, so that the checkout decides which file it is. Undefined where it is believed.
 */
export async function checkFileTrust(
  path: string,
  words: DistrustMessages,
  host: Host,
): Promise<CommandError | undefined> {
  if (path === "-" || trustsCheckout(host)) return undefined;
  const standing = await placementOf(resolve(host.cwd, path), await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return words.leadsOut;
  const tracking = await gitTrackingOf(standing.path, "itself", host);
  if (tracking.is === "unknown") return trackingUnknown(words, tracking);
  return tracking.is === "tracked" ? words.tracked : undefined;
}

/** What is said where git does not tell whether it keeps a file: the file counts as kept. */
export function trackingUnknown(
  { code, file }: Pick<DistrustMessages, "code" | "file">,
  { why, hint }: { readonly why: string; readonly hint: string },
): CommandError {
  return invalidSetting(code, `${file} may be kept in git: ${why}.`, hint);
}
