import { describe, expect, test } from "vitest";
import { type Acknowledgement, countsInExitCode, type Drift, type DriftItem } from "../../../../src/model/drift.ts";
import { acknowledge } from "../../../../src/plan/drift/acknowledge.ts";
import { at } from "../../../support/roster-builders.ts";

const finding: DriftItem = {
  fingerprint: "f1",
  class: "uncorrectable",
  code: "profile-differs",
  subject: "user ada@acme.example",
  counts: "blocking",
  guarded: false,
  of: { is: "action", action: "a" },
};

const said: Acknowledgement = {
  fingerprint: "f1",
  code: "profile-differs",
  subject: "user ada@acme.example",
  until: "2026-12-20",
  reason: "married in June",
  by: "bo",
  at: "2026-11-20",
  place: at(3, "acks.yaml"),
};

const today = "2026-12-01";

function driftWith(...items: readonly DriftItem[]): Drift {
  return { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] };
}

function judged(
  by: Partial<Acknowledgement>,
  item: Partial<DriftItem> = {},
  more: Partial<Parameters<typeof acknowledge>[1]> = {},
): string {
  const about = { acknowledgements: [{ ...said, ...by }], today, for: "everything", lookedAt: "everything" } as const;
  const [told] = acknowledge(driftWith({ ...finding, ...item }), { ...about, ...more }).items;
  if (told?.acknowledged === undefined) return "nothing said";
  const why = told.acknowledged.counts ? "counts" : told.acknowledged.why;
  return `${why}: ${countsInExitCode(told) ? "the item counts" : "the item does not"}`;
}

const noLonger = "the item does not";
const still = "the item counts";

describe("an acknowledgement", () => {
  test.each([
    ["of what is there, in its time", judged({}), `counts: ${noLonger}`],
    ["on its last day", judged({ until: today }), `counts: ${noLonger}`],
    ["after its last day speaks no more", judged({ until: "2026-11-30" }), `expired: ${still}`],
    ["from a day to come", judged({ at: "2026-12-02" }), `not-yet: ${still}`],
    ["of another code under the same fingerprint", judged({ code: "vanished" }), `of-something-else: ${still}`],
    ["of another subject under it", judged({ subject: "user bo@acme.example" }), `of-something-else: ${still}`],
    ["for a year", judged({ at: "2026-11-20", until: "2027-11-21" }), `counts: ${noLonger}`],
    ["for more than that", judged({ at: "2026-11-20", until: "2027-11-22" }), `too-long: ${still}`],
    ["of a privilege for 30 days", judged({ until: "2026-12-20" }, { guarded: true }), `counts: ${noLonger}`],
    ["of a privilege for 31", judged({ until: "2026-12-21" }, { guarded: true }), `too-long: ${still}`],
    [
      "of a privilege from where it must not be silenced",
      judged({ until: "2026-12-20" }, { guarded: true }, { for: "ordinary" }),
      `not-trusted: ${still}`,
    ],
    ["of anything else from there", judged({}, {}, { for: "ordinary" }), `counts: ${noLonger}`],
    ["of another fingerprint", judged({ fingerprint: "f2" }), "nothing said"],
  ])("%s", (_, told, expected) => {
    expect(told).toBe(expected);
  });

  test("given twice counts as it was given last", () => {
    const acknowledgements = [said, { ...said, until: "2026-11-21" }];
    const { items } = acknowledge(driftWith(finding), {
      acknowledgements,
      today,
      for: "everything",
      lookedAt: "everything",
    });
    expect(items[0]?.acknowledged).toMatchObject({ counts: false, why: "expired" });
  });

  test.each([
    ["of what is not there is told, where everything was looked at", "everything", ["f9"]],
    ["of what may not have been looked at is not", "a-part", []],
  ] as const)("%s", (_, lookedAt, idle) => {
    const acknowledgements = [said, { ...said, fingerprint: "f9" }];
    const told = acknowledge(driftWith(finding), { acknowledgements, today, for: "everything", lookedAt });
    expect(told.idle.map(({ fingerprint }) => fingerprint)).toEqual(idle);
  });
});
