import type { FoldedAddress } from "../model/address.ts";
import type { OpenIntent } from "../model/state.ts";

/** What stays open of a call that was settled but for some of its people; undefined where nothing does. */
export function remainingIntent(
  open: OpenIntent,
  except: readonly FoldedAddress[] | undefined,
): OpenIntent | undefined {
  if (except === undefined || open.intent.kind !== "add-members") return undefined;
  const addresses = open.intent.addresses.filter((address) => except.includes(address));
  return addresses.length === 0 ? undefined : { ...open, intent: { ...open.intent, addresses } };
}
