import { daysBetween } from "../../model/calendar.ts";
import {
  type Acknowledgement,
  type AcknowledgementStatus,
  type Drift,
  type DriftItem,
  type InactiveAcknowledgementReason,
  maxAcknowledgementDays,
  maxGuardedAcknowledgementDays,
} from "../../model/drift.ts";

export interface AcknowledgementInput {
  readonly acknowledgements: readonly Acknowledgement[];
  /** The day in UTC. */
  readonly today: string;
  /** `ordinary`: what is guarded cannot be acknowledged from where they stand. */
  readonly for: "everything" | "ordinary";
  /** Whether everything was looked at, so that what is not there is no more. */
  readonly lookedAt: "everything" | "a-part";
}

/** Joins what differs with what somebody has said of it. Of two words about one matter the last counts. */
export function acknowledge(drift: Drift, said: AcknowledgementInput): Drift {
  const words = new Map(said.acknowledgements.map((one) => [one.fingerprint, one]));
  const there = new Set(drift.items.map(({ fingerprint }) => fingerprint));
  const items = drift.items.map((item): DriftItem => {
    const by = words.get(item.fingerprint);
    return by === undefined ? item : { ...item, acknowledged: evaluateAcknowledgement(by, item, said) };
  });
  const idle = said.lookedAt === "everything" ? [...words.values()].filter((one) => !there.has(one.fingerprint)) : [];
  return { ...drift, items, idle };
}

function evaluateAcknowledgement(
  by: Acknowledgement,
  item: DriftItem,
  said: AcknowledgementInput,
): AcknowledgementStatus {
  const why = rejectionReason(by, item, said);
  return why === undefined ? { by, counts: true } : { by, counts: false, why };
}

function rejectionReason(
  by: Acknowledgement,
  item: DriftItem,
  said: AcknowledgementInput,
): InactiveAcknowledgementReason | undefined {
  if (by.code !== item.code || by.subject !== item.subject) return "of-something-else";
  if (by.until < said.today) return "expired";
  if (by.at > said.today) return "not-yet";
  if (daysBetween(by.at, by.until) > (item.guarded ? maxGuardedAcknowledgementDays : maxAcknowledgementDays))
    return "too-long";
  return item.guarded && said.for === "ordinary" ? "not-trusted" : undefined;
}
