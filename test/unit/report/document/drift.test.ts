import { describe, expect, test } from "vitest";
import { decodeSubject, formatSubject } from "../../../../src/model/fact.ts";
import { type AcceptEntry, findingClass, type OutsideChange } from "../../../../src/model/finding.ts";
import type { DriftItem } from "../../../../src/model/plan.ts";
import type { DriftReport } from "../../../../src/report/document/drift.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { outcome, samplePlan, sampleReading } from "../../../support/report-samples.ts";
import { addressOf, at } from "../../../support/roster-builders.ts";

const since = "2026-11-01T06:00:00.000Z";

const code = "profile-differs:ada@acme.example#7f3a90c1d4e5";
const said: AcceptEntry = { code, until: "2026-12-01", reason: "married", place: at(4, "people.yaml") };

const lost: OutsideChange = { is: "roles-changed", gained: [], lost: ["DEVELOPER"], privileged: [] };

const [notice] = samplePlan.findings.filter(({ kind }) => kind === "notice");
const [blocker] = samplePlan.findings.filter(({ kind }) => kind === "task");

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
    of,
    ...parts,
  };
}

function findingItem(finding: typeof notice, parts: Partial<DriftItem> = {}): DriftItem {
  if (finding === undefined) throw new Error("the plan has no such finding");
  const { fingerprint, code, subject, kind } = finding;
  const counts = kind === "task" ? "blocking" : "nothing";
  return {
    fingerprint,
    class: findingClass(finding),
    code,
    subject,
    counts,
    of: { is: "finding", finding },
    ...parts,
  };
}

function told(
  items: readonly DriftItem[],
  parts: Partial<DriftReport> & { readonly unused?: readonly AcceptEntry[] } = {},
): DriftReport {
  const { unused = [], ...rest } = parts;
  const coverage = { users: { shown: 3, named: 2 }, teams: { shown: 0, named: 0 } };
  return {
    drift: { items, coverage, unusedAccepts: unused },
    tasks: { open: [], closed: [] },
    shows: "everything",
    record: { is: "recorded" },
    ...rest,
  };
}

function text(drift: DriftReport): string {
  const told = outcome({ command: "drift", plan: samplePlan, reading: sampleReading, drift });
  return textFormat(told, { paint: plain }).stdout;
}

const headings = (drift: DriftReport) =>
  text(drift)
    .split("\n")
    .filter(
      (line) =>
        /^\S/u.test(line) && !/^(?:Drift at|roster read|the roster|The service does|The service has)/u.test(line),
    );

describe("drift tells for people", () => {
  test("class by class, the worst first, and since when", () => {
    const [creation, , , roles] = samplePlan.actions.map(({ id }) => id);
    const items = [
      actionItem(creation ?? ""),
      actionItem(roles ?? "", { class: "tampered", since, outside: [lost] }),
      findingItem(blocker),
      findingItem(notice),
    ];
    expect(headings(told(items))).toEqual([
      "Changed by others (1)",
      "Not applied",
      "Tasks (1)",
      "Notices (1)",
      "Drift: 3 differences (1 made by others, 1 not applied).",
      "1 of them is a task for a person.",
      "`roster apply` would create 2 users and 1 team, invite 2 members to 1 team, change the roles of 2",
      "keys, set the roles of 1 new key.",
    ]);
    expect(
      text(told(items))
        .split("\n")
        .filter((line) => line.includes("first reported")),
    ).toEqual([`      first reported at ${since}`]);
  });

  test("of an addition only the people whom it is about", () => {
    const addition = samplePlan.actions.find(({ kind }) => kind === "add-members");
    if (addition?.kind !== "add-members") throw new Error("the plan adds nobody");
    const [first, second] = addition.members;
    const shown = text(told([actionItem(addition.id, {}, first?.address)]));
    expect(shown).toMatch(/^ {2}Team Platform \(t-42\): changes for 1 person, 1 mail$/mu);
    expect([first, second].map((one) => shown.includes(one?.address ?? "-"))).toEqual([true, false]);
  });

  test("the lines that accept it below each difference, and how to use them once", () => {
    const accept = { code, until: "2026-12-20" };
    const items = [
      findingItem(blocker, { accept }),
      actionItem(samplePlan.actions[3]?.id ?? "", { accept, class: "tampered", outside: [lost] }),
    ];
    const lines = `        # To accept this until a date:\n        accept:\n          - { code: "${code}", reason: "...", until: 2026-12-20 }\n`;
    const shown = text(told(items));
    expect([shown.split(lines).length - 1, shown.split("To accept a difference").length - 1]).toEqual([2, 1]);
    const one = text(told(items.slice(0, 1)));
    expect(one).toMatch(/then\s+does\s+not\s+count\s+this\s+difference\.\n/u);
    expect(shown).toMatch(/This does not stop\s+`roster apply`/u);
  });

  test.each([
    [
      "until its last day",
      { ...said, is: "in-force" as const },
      "accepted until 2026-12-01 (people.yaml:4:3), reason: married",
    ],
    [
      "no more",
      { ...said, is: "over" as const },
      "no longer accepted since 2026-12-01 (people.yaml:4:3), reason: married",
    ],
    [
      "never: for too long",
      { ...said, is: "too-long" as const },
      "(people.yaml:4:3): 2026-12-01 is more than 366 days",
    ],
    ["never: by another code", { ...said, is: "other-facts" as const }, `(people.yaml:4:3): ${code} does not fit:`],
  ])("that something is accepted %s", (_, accepted, says) => {
    const shown = text(told([findingItem(blocker && { ...blocker, accepted }, { accepted })]));
    expect([shown.includes(says), shown.includes("\nAccepted (1)\n")]).toEqual([true, accepted.is === "in-force"]);
  });

  test("an accepted privileged role first, and whole", () => {
    const accept = { code, until: "2026-12-20" };
    const accepted = { ...said, is: "in-force" } as const;
    const guarded = true;
    const privileged = findingItem(blocker && { ...blocker, accept, accepted, guarded }, {
      accept,
      accepted,
      guarded,
      since,
    });
    const lines = headings(told([findingItem(blocker), privileged]));
    expect(lines.slice(0, 2)).toEqual(["Accepted, with privileged roles or guards (1)", "Tasks (1)"]);
    expect(text(told([privileged]))).toContain("it competes with team Ops for one new user");
  });

  test("that what is listed and does not count is the exception to no drift, in one sentence", () => {
    const unmanaged = findingItem(notice, { class: "unmanaged" });
    const items = [unmanaged, findingItem(notice, { class: "pending" })];
    expect(headings(told([unmanaged])).at(-1)).toBe("No drift except 1 unmanaged item.");
    expect(headings(told(items)).at(-1)).toBe("No drift except 1 pending item and 1 unmanaged item.");
  });

  test("entries that accept what is not there, with their places", () => {
    const drift = told([], { unused: [said] });
    const remove = "Remove them: this drift is gone or has changed.";
    expect(text(drift).replace(/ +(?=people)/u, "  ")).toContain(
      `Unused entries under \`accept\` (1)\n  ${remove}\n  ${code}  people.yaml:4:3\n`,
    );
  });

  test("the names of privileged roles in their colour, whoever says them", () => {
    const gained = ["ACCOUNT_ADMIN", "DEVELOPER"];
    const gain: OutsideChange = { ...lost, gained, lost: ["AUDITOR"], privileged: ["ACCOUNT_ADMIN"] };
    const message = "bo would gain ACCOUNT_ADMIN (not ACCOUNT_ADMIN@acme.example, see `role ACCOUNT_ADMIN`).";
    const items = [
      actionItem(samplePlan.actions[3]?.id ?? "", { class: "tampered", outside: [gain] }),
      findingItem(blocker && { ...blocker, message }),
    ];
    const paint = (ink: string, text: string) => (ink === "alarm" ? `<${text}>` : text);
    const drift = outcome({ command: "drift", plan: samplePlan, drift: told(items) });
    expect(textFormat(drift, { paint }).stdout.match(/^.* gain.*$/gmu)).toEqual([
      "  <!> The key  gained <ACCOUNT_ADMIN>, DEVELOPER and lost AUDITOR (not by roster).  teams.yaml:5:5",
      "      bo would gain <ACCOUNT_ADMIN> (not ACCOUNT_ADMIN@acme.example, see `role ACCOUNT_ADMIN`).",
    ]);
  });

  test("that a look was not recorded, and that nothing could be repaired", () => {
    const shown = headings(
      told([], { record: { is: "not-recorded", why: "the disk is full" }, repairing: ["tampered"] }),
    );
    expect(shown.slice(-3)).toEqual([
      "There is nothing to repair of the class tampered.",
      "No drift. The service matches the roster.",
      "New drift was not recorded: the disk is full.",
    ]);
  });
});

test("drift is told to programs under the published names", () => {
  const accept = { code, until: "2026-12-20" };
  const item = findingItem(blocker, { since, accept, accepted: { ...said, is: "over" } });
  const drift = told([item], { unused: [said] });
  const { stdout } = jsonFormat({ command: "drift", exitCode: 9, diagnostics: [], drift });
  const none = { tampered: 0, unapplied: 0, pending: 0, unmanaged: 0, information: 0 };
  expect(JSON.parse(stdout).drift).toEqual({
    classes: { ...none, blocked: 1 },
    coverage: { users: { shown: 3, named: 2 }, teams: { shown: 0, named: 0 } },
    only_new: false,
    changes: 0,
    blocking: 1,
    privileged_gains: 0,
    tasks: { open: 0, new: 0, closed: 0, items: [], closed_items: [] },
    items: [
      {
        fingerprint: item.fingerprint,
        class: "blocked",
        code: item.code,
        subject: formatSubject(item.subject),
        counts: "blocking",
        of: { is: "finding" },
        since,
        accept,
        accepted: { ...said, is: "over" },
      },
    ],
    unused_accepts: [said],
    recorded: true,
  });
});
