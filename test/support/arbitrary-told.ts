import fc from "fast-check";
import { readPublished } from "../../src/codec/publish.ts";
import type { Schema } from "../../src/model/declare.ts";
import { acceptStatuses, outsideChange } from "../../src/model/finding.ts";
import { type DriftItem, driftClasses, type Plan, type Tasks } from "../../src/model/plan.ts";
import type { DriftReport } from "../../src/report/document/drift.ts";
import { otherParts } from "../../src/report/json/document-format.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { anyOutcome } from "./arbitrary-outcome.ts";
import { anyPlace, anyPlan, anySubject, anyText } from "./arbitrary-plan.ts";
import { valuesOf } from "./schema-values.ts";

const acceptEntry = { code: anyText, until: fc.constant("2026-12-31"), reason: anyText, place: anyPlace };

const accepted = fc.record({ ...acceptEntry, is: fc.constantFrom(...acceptStatuses) });

/** Every field that the schema of a document describes at that path, now there and now not. */
function anyPart<T>(path: string, schema: Schema<T>): fc.Arbitrary<T> {
  return valuesOf(`plan.schema.json#/${path}`, anyText).map((part) => readPublished(schema, part));
}

const anyOutsideChange = anyPart("definitions/outsideChange", outsideChange);

/** What somebody may find of a plan: of each finding and each action an item, of any class. */
function itemsOf({ actions, findings }: Plan): fc.Arbitrary<readonly DriftItem[]> {
  const about = [
    ...findings.map((finding) => ({ code: finding.code, of: { is: "finding" as const, finding } })),
    ...actions.map(({ id, kind }) => ({ code: kind, of: { is: "action" as const, action: id } })),
  ];
  return fc.tuple(
    ...about.map(({ code, of }) =>
      fc
        .record(
          {
            fingerprint: anyText,
            class: fc.constantFrom(...driftClasses),
            subject: anySubject,
            counts: fc.constantFrom("change", "blocking", "nothing"),
            since: fc.constant("2026-11-20T06:00:00.000Z"),
            accept: fc.record({ code: anyText, until: fc.constant("2026-12-20") }),
            accepted,
            outside: fc.array(anyOutsideChange, { minLength: 1, maxLength: 2 }),
          },
          { requiredKeys: ["fingerprint", "class", "subject", "counts"] },
        )
        .map((item): DriftItem => ({ ...item, code, of })),
    ),
  );
}

function tasksIn(plan: Plan): fc.Arbitrary<Tasks> {
  return fc.record({
    open: itemsOf(plan).map((items) => items.filter(({ of }) => of.is === "finding")),
    closed: fc.array(
      fc.record({
        fingerprint: anyText,
        code: anyText,
        subject: anySubject,
        since: fc.constant("2026-11-01T12:00:00.000Z"),
      }),
      { maxLength: 2 },
    ),
  });
}

const covered = fc.nat({ max: 9 }).map((named) => ({ shown: named + 1, named }));

function driftOf(plan: Plan): fc.Arbitrary<DriftReport> {
  return fc.record({
    drift: fc.record({
      items: itemsOf(plan),
      coverage: fc.record({ users: covered, teams: covered, keys: covered }, { requiredKeys: ["users"] }),
      unusedAccepts: fc.array(fc.record(acceptEntry), { maxLength: 2 }),
    }),
    tasks: tasksIn(plan),
    shows: fc.constantFrom("everything", "what-is-new"),
    record: fc.oneof(
      fc.constant({ is: "recorded" as const }),
      anyText.map((why) => ({ is: "not-recorded" as const, why })),
    ),
  });
}

const anyState = anyPart("properties/state", otherParts.state);
const anyExamination = anyPart("properties/examination", otherParts.examination);

/** The same as `anyOutcome`, and what only drifts, looks at a state, at a service and at files have to tell. */
export const anyToldOutcome: fc.Arbitrary<CommandOutcome> = fc.oneof(
  anyOutcome,
  fc
    .tuple(anyOutcome, anyPlan)
    .chain(([outcome, plan]) => driftOf(plan).map((drift) => ({ ...outcome, command: "drift" as const, plan, drift }))),
  fc.tuple(anyOutcome, anyState).map(([outcome, state]) => ({ ...outcome, command: "state" as const, state })),
  fc
    .tuple(anyOutcome, anyExamination)
    .map(([outcome, seen]) => ({ ...outcome, command: "doctor" as const, examination: seen })),
);
