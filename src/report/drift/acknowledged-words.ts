import {
  type Acknowledgement,
  type AcknowledgementStatus,
  type DriftItem,
  type InactiveAcknowledgementReason,
  maxAcknowledgementDays,
  maxGuardedAcknowledgementDays,
} from "../../model/drift.ts";
import { formatPlace } from "../../model/fact.ts";

/** What somebody said of an item, in a sentence. */
export function formatAcknowledgement(item: DriftItem, acknowledged: AcknowledgementStatus): string {
  const { by } = acknowledged;
  if (acknowledged.counts) return `acknowledged until ${by.until} by ${by.by}: ${by.reason}`;
  return `acknowledged at ${formatPlace(by.place)} by ${by.by} (${by.reason}), which does not count: ${formatIdleReason(acknowledged.why, by, item)}`;
}

function formatIdleReason(why: InactiveAcknowledgementReason, by: Acknowledgement, { guarded }: DriftItem): string {
  switch (why) {
    case "expired":
      return `it ended with ${by.until}`;
    case "not-yet":
      return `it is said to be from ${by.at}, which has not come`;
    case "too-long":
      return guarded
        ? `what is at stake here may be acknowledged for ${maxGuardedAcknowledgementDays} days at the most, and ${by.at} to ${by.until} is longer`
        : `${by.at} to ${by.until} is more than ${maxAcknowledgementDays} days`;
    case "of-something-else":
      return `it is written as one of ${by.code} of ${by.subject}, and the fingerprint is not that`;
    case "not-trusted":
      return "with CI set, a file that a change to the checkout can edit silences no privilege and no guard";
  }
}
