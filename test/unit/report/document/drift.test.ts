import { describe, expect, test } from "vitest";
import type { Acknowledgement, AcknowledgementStatus, Drift, DriftItem } from "../../../../src/model/drift.ts";
import { decodeSubject, formatSubject } from "../../../../src/model/subject.ts";
import { driftLines, remainingDriftLines } from "../../../../src/report/document/drift.ts";
import type { DriftReport } from "../../../../src/report/drift.ts";
import { driftPart } from "../../../../src/report/json/json.ts";
import { renderMarkdown } from "../../../../src/report/markdown/markdown.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { renderLines } from "../../../../src/report/text/lines.ts";
import { samplePlan, sampleReading } from "../../../support/report-samples.ts";
import { addressOf, at } from "../../../support/roster-builders.ts";

const since = "2026-11-01T06:00:00.000Z";

const said: Acknowledgement = {
  fingerprint: "f9",
  code: "profile-differs",
  subject: "user ada@acme.example",
  until: "2026-12-01",
  reason: "married",
  by: "bo",
  at: "2026-11-02",
  place: at(4, "acks.yaml"),
};

const [notice] = samplePlan.findings.filter(({ blocking }) => !blocking);
const [blocker] = samplePlan.findings.filter(({ blocking }) => blocking);

function actionItem(id: string, parts: Partial<DriftItem> = {}, person?: string): DriftItem {
  const action = samplePlan.actions.find((one) => one.id === id);
  if (action === undefined) throw new Error(`the plan has no action ${id}`);
  const of = { is: "action", action: id, ...(person === undefined ? {} : { person: addressOf(person) }) } as const;
  return {
    fingerprint: `f-${id}`,
    class: "unapplied",
    code: action.kind,
    subject: decodeSubject(id),
    counts: "change",
    guarded: false,
    of,
    ...parts,
  };
}

function findingItem(finding: typeof notice, parts: Partial<DriftItem> = {}): DriftItem {
  if (finding === undefined) throw new Error("the plan has no such finding");
  const { fingerprint, code, subject, blocking, class: ofClass } = finding;
  const counts = blocking ? "blocking" : "nothing";
  return {
    fingerprint,
    class: ofClass,
    code,
    subject,
    counts,
    guarded: false,
    of: { is: "finding", finding },
    ...parts,
  };
}

function told(
  items: readonly DriftItem[],
  parts: Partial<DriftReport> & { readonly idle?: Drift["idle"] } = {},
): DriftReport {
  const { idle = [], ...rest } = parts;
  const coverage = { users: { shown: 3, named: 2 }, teams: { shown: 0, named: 0 } };
  return {
    drift: { items, coverage, idle },
    todo: { open: [], closed: [] },
    shows: "everything",
    record: { is: "recorded" },
    ...rest,
  };
}

function text(drift: DriftReport): string {
  return renderLines(driftLines(drift, samplePlan, sampleReading), plain);
}

const headings = (drift: DriftReport) =>
  text(drift)
    .split("\n")
    .filter((line) => /^\S/u.test(line))
    .slice(3);

describe("drift tells for people", () => {
  test("class by class, the worst first, each thing with its fingerprint and since when", () => {
    const [creation, , , roles] = samplePlan.actions.map(({ id }) => id);
    const items = [
      actionItem(creation ?? ""),
      actionItem(roles ?? "", { class: "tampered", since }),
      findingItem(blocker),
      findingItem(notice),
    ];
    expect(headings(told(items))).toEqual([
      "Changed outside roster: 1",
      "Changed in the service since roster last wrote or saw it, not by roster.",
      "Not applied: 1",
      "In the roster, but not applied yet.",
      ...["Needs manual action: 1", "roster cannot correct or verify this."],
      ...["Notices: 1", "Nothing to do."],
      "The roster accounts for 2 of 3 users (66%) and 0 of 0 teams that the service shows.",
      "Drift: 2 changes and 1 problem (1 made outside roster).",
      "apply needs up to 6 calls. 2 mails.",
    ]);
    expect(text(told(items))).toContain(`      f-${roles}, since ${since}\n`);
    expect(text(told(items))).toContain(`      f-${creation}, new\n`);
  });

  test("of an addition only the people whom it is about", () => {
    const addition = samplePlan.actions.find(({ kind }) => kind === "add-members");
    if (addition?.kind !== "add-members") throw new Error("the plan adds nobody");
    const [first] = addition.members;
    const shown = text(told([actionItem(addition.id, {}, first?.email)]));
    expect(shown).toContain("1 person, 1 mail");
  });

  test("what is new alone, where that is asked for", () => {
    expect(headings(told([findingItem(blocker, { since })], { shows: "what-is-new" })).at(-1)).toBe("No new drift.");
    expect(headings(told([findingItem(blocker)], { shows: "what-is-new" })).at(-2)).toBe("New drift: 1 problem.");
  });

  const acknowledgements: readonly (readonly [string, AcknowledgementStatus, Partial<DriftItem>, string])[] = [
    ["that counts", { by: said, counts: true }, {}, "acknowledged until 2026-12-01 by bo: married"],
    ["that has ended", { by: said, counts: false, why: "expired" }, {}, "it ended on 2026-12-01"],
    ["of a day to come", { by: said, counts: false, why: "not-yet" }, {}, "it begins on 2026-11-02"],
    [
      "that is too long",
      { by: said, counts: false, why: "too-long" },
      {},
      "2026-11-02 to 2026-12-01 is more than 366 days",
    ],
    [
      "that is too long for a privilege",
      { by: said, counts: false, why: "too-long" },
      { guarded: true },
      "the limit is 30 days",
    ],
    [
      "of something else",
      { by: said, counts: false, why: "of-something-else" },
      {},
      "(profile-differs, user ada@acme.example) do not match the fingerprint",
    ],
    [
      "from where it may not be",
      { by: said, counts: false, why: "not-trusted" },
      {},
      "cannot acknowledge a privileged role or a guard",
    ],
  ];

  test.each(acknowledgements)("an acknowledgement %s", (_, acknowledged, parts, says) => {
    const shown = text(told([findingItem(blocker, { ...parts, acknowledged })])).replace(/\s+/gu, " ");
    expect([shown.includes(says), shown.includes("Acknowledged: 1")]).toEqual([true, acknowledged.counts]);
  });

  test("that nothing differs but what is acknowledged, or nothing at all", () => {
    const folded = findingItem(blocker, { acknowledged: { by: said, counts: true } });
    expect(headings(told([folded])).at(-1)).toBe("No drift except acknowledged drift.");
    expect(headings(told([findingItem(notice)])).at(-1)).toBe("No drift. The service matches the roster.");
  });

  test("that what is listed and does not count is the exception to no drift, in one sentence", () => {
    const unmanaged = findingItem(notice, { class: "unmanaged" });
    const items = [unmanaged, findingItem(notice, { class: "pending" })];
    expect(headings(told([unmanaged])).at(-1)).toBe("No drift except 1 unmanaged item.");
    expect(headings(told(items)).at(-1)).toBe("No drift except 1 pending item and 1 unmanaged item.");
  });

  test("acknowledgements of what is not there, with their places, in a review too", () => {
    const drift = told([], { idle: [said] });
    const remove = "Remove them from the file: this drift is gone or has changed.";
    expect(text(drift)).toContain(`Unused acknowledgements: 1\n${remove}\n  user ada@acme.example: profile-differs`);
    const markdown = renderMarkdown({ command: "drift", exitCode: 0, diagnostics: [], plan: samplePlan, drift });
    expect(markdown).toContain(
      `<details><summary>Unused acknowledgements (1)</summary>\n\n${remove}\n\n` +
        "| about | why, and what to do | where |\n|---|---|---|\n" +
        "| `user ada@acme.example` | `profile-differs` | `acks.yaml:4:3` |\n",
    );
  });

  test("in a review what each run saw first, the latest first, and what is gone; nothing where no run saw anything", () => {
    const later = "2026-11-09T06:00:00.000Z";
    const items = [
      findingItem(notice, { since }),
      findingItem(blocker),
      actionItem(samplePlan.actions[0]?.id ?? "", { since: later }),
      findingItem(notice, { since: later }),
    ];
    const closed = [{ fingerprint: "f8", code: "extra-member", subject: "member bo@acme.example of team red", since }];
    const history = (drift: DriftReport) =>
      renderMarkdown({ command: "drift", exitCode: 2, diagnostics: [], plan: samplePlan, drift })
        .split("<details><summary>History</summary>")[1]
        ?.split("\n")
        .filter((line) => line.startsWith("| `") || line.startsWith("| **"));
    expect(history(told(items, { todo: { open: [], closed } }))).toEqual([
      "| **new** | Needs manual action: `team acc-1/sales` |",
      `| \`${later}\` | Not applied: \`create-user:ada@acme.example\`; Notices: \`user ada@acme.example\` |`,
      `| \`${since}\` | Notices: \`user ada@acme.example\` |`,
      `| \`${since}\` | gone now: \`member bo@acme.example of team red\`, \`extra-member\` |`,
    ]);
    expect(history(told([findingItem(blocker)]))).toBeUndefined();
  });

  test("that a look was not recorded, and that nothing could be repaired", () => {
    const shown = headings(
      told([], { record: { is: "not-recorded", why: "the disk is full" }, repairing: ["tampered"] }),
    );
    expect(shown.slice(-3)).toEqual([
      "There is nothing to repair of the class tampered.",
      "No drift. The service matches the roster.",
      "New drift was not recorded and stays new: the disk is full.",
    ]);
  });

  test("what a repairing run has left", () => {
    const left = (...items: readonly DriftItem[]) => renderLines(remainingDriftLines(told(items)), plain);
    expect([left(), left(findingItem(blocker), findingItem(blocker))]).toEqual([
      "No other drift.\n",
      "Not repaired: 2 problems. `roster drift` shows them.\n",
    ]);
  });
});

test("drift is told to programs under the published names", () => {
  const item = findingItem(blocker, { since, acknowledged: { by: said, counts: false, why: "expired" } });
  const part = driftPart(told([item], { idle: [said] }));
  const entry = {
    fingerprint: "f9",
    code: "profile-differs",
    subject: "user ada@acme.example",
    until: "2026-12-01",
    reason: "married",
    by: "bo",
    at: "2026-11-02",
    place: at(4, "acks.yaml"),
  };
  const none = { tampered: 0, unapplied: 0, pending: 0, unmanaged: 0, information: 0 };
  expect(JSON.parse(JSON.stringify(part))).toEqual({
    classes: { ...none, blocked: 1 },
    coverage: { users: { shown: 3, named: 2, percent: 66 }, teams: { shown: 0, named: 0, percent: null } },
    only_new: false,
    changes: 0,
    blocking: 1,
    privileged_gains: 0,
    todo: { open: 0, opened: 0, changed: 0, overdue: 0, closed: 0, items: [], closed_items: [] },
    items: [
      {
        fingerprint: item.fingerprint,
        class: "blocked",
        code: item.code,
        subject: formatSubject(item.subject),
        counts: "blocking",
        guarded: false,
        since,
        new: false,
        acknowledged: { counts: false, why: "expired", ...entry },
      },
    ],
    idle_acknowledgements: [entry],
    recorded: true,
  });
});
