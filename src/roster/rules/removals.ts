import type { DiagnosticsCollector } from "../complaints.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** An open team has no member too many, so that nothing can be said of them. */
export function checkOnRemoval({ draft }: ResolvedRoster, log: DiagnosticsCollector): void {
  for (const { name, open, onRemoval } of draft.teams) {
    if (!open || onRemoval === undefined) continue;
    const message = `The team \`${name.value}\` is open, so that nobody in it is too many and \`onRemoval\` means nothing.`;
    log.error(onRemoval.at, "on-removal-of-open-team", message, "Remove `open: true` or `onRemoval`.");
  }
}
