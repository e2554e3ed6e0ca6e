import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { Written } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** One identifier is one team of the service, whatever its account. */
export function duplicateIdentifiers({ draft }: Resolution, log: Complaints): void {
  const seen = new Map<string, Written<string>>();
  for (const { identifier } of draft.teams) {
    if (identifier === undefined) continue;
    const first = seen.get(identifier.value);
    if (first === undefined) {
      seen.set(identifier.value, identifier);
      continue;
    }
    const message = `The identifier \`${identifier.value}\` is given to two teams; to the first at ${showPlace(first.at.place)}.`;
    log.error(identifier.at, "duplicate-identifier", message, "Remove the one that is wrong.");
  }
}
