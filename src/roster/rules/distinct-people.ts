import type { FoldedAddress } from "../../model/address.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** Whom somebody is distinct from is somebody else, and is named once. */
export function checkDistinctFrom({ draft }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { email, previously, distinctFrom } of draft.users) {
    const own = new Set<FoldedAddress>([email.address, ...previously.map(({ address }) => address)]);
    const seen = new Set<FoldedAddress>();
    for (const { address, value, at } of distinctFrom) {
      if (own.has(address)) {
        const message = `\`${value}\` is an address of this user's own, today's or a former one.`;
        log.error(at, "not-distinct", message, "Name somebody else's address, or remove it here.");
      } else if (seen.has(address)) {
        log.error(at, "not-distinct", `\`${value}\` is listed twice.`, "Remove one of the two.");
      }
      seen.add(address);
    }
  }
}
