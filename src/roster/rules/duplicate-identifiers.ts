import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceValue } from "../draft.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** One identifier is one team of the service, whatever its account. */
export function checkDuplicateIdentifiers({ draft }: ResolvedRoster, log: DiagnosticsCollector): void {
  const seen = new Map<string, SourceValue<string>>();
  for (const { identifier } of draft.teams) {
    if (identifier === undefined) continue;
    const first = seen.get(identifier.value);
    if (first === undefined) {
      seen.set(identifier.value, identifier);
      continue;
    }
    const message = `The identifier \`${identifier.value}\` is given to two teams; to the first at ${formatPlace(first.at.place)}.`;
    log.error(identifier.at, "duplicate-identifier", message, "Remove the one that is wrong.");
  }
}
