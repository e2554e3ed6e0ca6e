import { resolve } from "node:path";
import { checkoutAround, repositoryRoot, standingOf, trustsCheckout } from "./checkout.ts";
import { type Host, isPipeline } from "./host.ts";
import { invalidSetting, type Stop } from "./stop.ts";
import { trackingOf } from "./tracked-files.ts";

/** What is said of a file that is not believed, by the reason. */
export interface DistrustWords {
  /** Such as `untrusted-snapshot`. */
  readonly code: string;
  /** Such as `The snapshot s.json`. */
  readonly file: string;
  readonly leadsOut: Stop;
  readonly tracked: Stop;
}

/**
 * Why a file that decides what is done or shown is not believed: git keeps it, so that it came with the checkout, or a link
 * in the checkout leads out to it, so that the checkout decides which file it is. Undefined where it is believed.
 */
export async function distrustOf(path: string, words: DistrustWords, host: Host): Promise<Stop | undefined> {
  if (path === "-" || trustsCheckout(host)) return undefined;
  const standing = await standingOf(resolve(host.cwd, path), await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return words.leadsOut;
  const tracking = await trackingOf(standing.path, "itself", host);
  if (tracking.is === "unknown") return untold(words, tracking);
  return tracking.is === "tracked" ? words.tracked : undefined;
}

/** What is said where git does not tell whether it keeps a file: the file counts as kept. */
export function untold(
  { code, file }: Pick<DistrustWords, "code" | "file">,
  { why, hint }: { readonly why: string; readonly hint: string },
): Stop {
  return invalidSetting(code, `${file} may be kept in git: ${why}.`, hint);
}
