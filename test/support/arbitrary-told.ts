import fc from "fast-check";
import { acceptStatuses } from "../../src/model/accept.ts";
import { foldAddress } from "../../src/model/address.ts";
import { type DriftItem, driftClasses, type OutsideChange, type Tasks } from "../../src/model/drift.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { SettingReport } from "../../src/report/doctor/observations.ts";
import type { DriftReport } from "../../src/report/document/drift.ts";
import type { DoctorReport, StateReport } from "../../src/report/json/document-format.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { anyOutcome } from "./arbitrary-outcome.ts";
import { anyPlace, anyPlan, anySubject, anyText } from "./arbitrary-plan.ts";

const acceptEntry = { code: anyText, until: fc.constant("2026-12-31"), reason: anyText, place: anyPlace };

const accepted = fc.record({ ...acceptEntry, is: fc.constantFrom(...acceptStatuses) });

const outsideChange: fc.Arbitrary<OutsideChange> = fc.record(
  {
    is: fc.constantFrom(
      "roles-changed" as const,
      "key-removed" as const,
      "member-added" as const,
      "member-removed" as const,
      "user-removed" as const,
      "user-replaced" as const,
      "email-changed" as const,
      "account-changed" as const,
      "profile-changed" as const,
      "team-renamed" as const,
    ),
    person: anyText.map((text) => ({ address: foldAddress(text), email: text })),
    team: anyText,
    key: anyText.map((prefix) => ({ prefix, isOwn: prefix.length % 2 === 0 })),
    gained: fc.array(anyText, { maxLength: 3 }),
    lost: fc.array(anyText, { maxLength: 3 }),
    privileged: fc.array(anyText, { maxLength: 1 }),
    to: anyText,
    fields: fc.array(anyText, { maxLength: 2 }),
  },
  { requiredKeys: ["is", "gained", "lost", "privileged"] },
);

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
            outside: fc.array(outsideChange, { minLength: 1, maxLength: 2 }),
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
        subject: anyText,
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

const anyState: fc.Arbitrary<StateReport> = fc.oneof(
  fc.record({
    did: fc.constantFrom("look-at-lock" as const, "unlock" as const),
    address: anyText,
    holder: fc.record({ id: anyText, who: anyText, operation: anyText, since: anyText }),
  }),
  fc.record({ did: fc.constant("copy" as const), from: anyText, to: anyText, lineage: anyText, open: fc.nat() }),
  fc.record({ did: fc.constant("set-endpoint" as const), address: anyText, from: anyText, to: anyText }),
  fc.record({
    did: fc.constant("rebuild" as const),
    address: anyText,
    people: fc.nat(),
    teams: fc.nat(),
    memberships: fc.nat(),
    prefixes: fc.nat(),
    missing: fc.array(anyText, { maxLength: 2 }),
    unlearned: fc.array(anyText, { maxLength: 2 }),
  }),
);

const anySetting: fc.Arbitrary<SettingReport> = fc.record({
  name: anyText,
  value: anyText,
  from: fc.oneof(
    fc.record({ kind: fc.constantFrom("flag" as const, "variable" as const), name: anyText }),
    fc.record({ kind: fc.constant("settings" as const), place: anyPlace }),
  ),
});

const anyExamination: fc.Arbitrary<DoctorReport> = fc.record({
  service: anyText,
  settings: fc.array(anySetting, { maxLength: 2 }),
  checks: fc.array(
    fc.record({
      check: anyText,
      mark: fc.constantFrom("ok", "notice", "problem"),
      asked: anyText,
      came: anyText,
      means: anyText,
    }),
    { maxLength: 2 },
  ),
});

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
