import {
  type Acknowledgement,
  type Coverage,
  type CoverageCount,
  type DriftItem,
  driftClasses,
} from "../../model/drift.ts";
import { type JsonPart, placePart } from "../plan-json.ts";
import { coveragePercent } from "./coverage-words.ts";
import { type DriftReport, remainingDrift, reportedItems } from "./drift-told.ts";

/** In what the service and the roster differ, under the published names. */
export function driftPart(told: DriftReport): JsonPart {
  const { drift, tells, record } = told;
  const items = reportedItems(told);
  const classes = driftClasses.map((name) => [name, items.filter((item) => item.class === name).length] as const);
  return {
    classes: Object.fromEntries(classes),
    coverage: coveragePart(drift.coverage),
    only_new: tells === "what-is-new",
    ...remainingDrift(told),
    items: items.map(driftItemPart),
    idle_acknowledgements: drift.idle.map(acknowledgementPart),
    recorded: record.is === "recorded" || record.is === "known",
    not_recorded_because: record.is === "not-recorded" ? record.why : undefined,
  };
}

/** The same in lines: all but the items, then each of them. */
export function driftLineParts(told: DriftReport): readonly JsonPart[] {
  const { items: _, ...rest } = driftPart(told);
  return [
    { type: "drift", ...rest },
    ...reportedItems(told).map((item) => ({ type: "drift_item", ...driftItemPart(item) })),
  ];
}

function driftItemPart(item: DriftItem): JsonPart {
  const { fingerprint, class: ofClass, code, subject, counts, guarded, of, since, acknowledged } = item;
  return {
    fingerprint,
    class: ofClass,
    code,
    subject,
    counts,
    guarded,
    since: since ?? null,
    new: since === undefined,
    action: of.is === "action" ? of.action : undefined,
    person: of.is === "action" ? of.person : undefined,
    acknowledged:
      acknowledged === undefined
        ? null
        : {
            counts: acknowledged.counts,
            why: acknowledged.counts ? undefined : acknowledged.why,
            ...acknowledgementPart(acknowledged.by),
          },
  };
}

function acknowledgementPart({ fingerprint, code, subject, until, reason, by, at, place }: Acknowledgement): JsonPart {
  return { fingerprint, code, subject, until, reason, by, at, place: placePart(place) };
}

function coveragePart({ users, teams, keys }: Coverage): JsonPart {
  return { users: coveredPart(users), teams: teams && coveredPart(teams), keys: keys && coveredPart(keys) };
}

function coveredPart(covered: CoverageCount): JsonPart {
  return { shown: covered.shown, named: covered.named, percent: coveragePercent(covered) ?? null };
}
