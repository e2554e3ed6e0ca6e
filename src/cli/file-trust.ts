import { resolve } from "node:path";
import { checkoutAround, repositoryRoot, standingOf } from "./checkout.ts";
import { type Host, isPipeline } from "./host.ts";
import { trustsCheckout } from "./settings/settings-trust.ts";
import { isTracked } from "./tracked-files.ts";

/**
 * Why a file that decides what is done or shown is not believed: git keeps it, so that it came with the checkout, or a link
 * in the checkout leads out to it, so that the checkout decides which file it is. Undefined where it is believed.
 */
export async function distrustOf(path: string, host: Host): Promise<"leads-out" | "tracked" | undefined> {
  if (path === "-" || trustsCheckout(host)) return undefined;
  const standing = await standingOf(resolve(host.cwd, path), await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return "leads-out";
  return (await isTracked(standing.path, "itself")) ? "tracked" : undefined;
}
