import { resolve } from "node:path";
import { checkoutAround, placementOf, trustsCheckout } from "../checkout.ts";
import { type Host, isPipeline } from "../host.ts";

/** Whether a link in the checkout of a pipeline would choose which file outside it is written: a pull request could have made it. */
export async function leadsOutOfCheckout(path: string, host: Host): Promise<boolean> {
  if (!isPipeline(host) || trustsCheckout(host)) return false;
  const { leadsOut } = await placementOf(resolve(host.cwd, path), await checkoutAround(host));
  return leadsOut;
}
