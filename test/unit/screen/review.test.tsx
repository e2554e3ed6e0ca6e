import { expect, test, vi } from "vitest";
import { defaultPrivilegedRoles } from "../../../src/model/values.ts";
import { Review } from "../../../src/screen/review.tsx";
import type { ReviewInput } from "../../../src/screen/review-tree.ts";
import type { Size } from "../../../src/screen/terminal.ts";
import { samplePlan, sampleReading } from "../../support/report-samples.ts";
import { large, onScreen, small } from "../../support/screens.tsx";

const sample: ReviewInput = { plan: samplePlan, reading: sampleReading, privileged: defaultPrivilegedRoles };
const [enter, end, esc] = ["\r", "\u{1B}[F", "\u{1B}"];

async function screen(size: Size, ...texts: readonly string[]): Promise<readonly string[]> {
  return screenOf(sample, size, ...texts);
}

async function screenOf(input: ReviewInput, size: Size, ...texts: readonly string[]): Promise<readonly string[]> {
  const shown = onScreen(<Review input={input} onAnswer={() => undefined} />, size);
  await shown.type(...texts);
  const lines = shown.lines();
  shown.unmount();
  return lines;
}

const head = [
  " Plan for https://accounts.acme.example                  nothing is changed yet",
  " 2 privileged  1 task  2 new users  1 new team  2 mails  3 keys  at most 6 calls",
];

test("at 80 by 24, what is privileged comes first, then teams and people, then tasks, and no role is cut", async () => {
  expect(await screen(small)).toEqual([
    ...head,
    "> ▾ Changes of privileged roles (2)",
    " !    + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on",
    "        the key in Data Science                                   teams.yaml:3:5",
    " !    - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform",
    "  ▾ Team Data Science (new, admin Ada@acme.example): changes for 1 person",
    " !    + Ada@acme.example (Ada Lovelace): new, created with the team (no mail),",
    "        ACCOUNT_ADMIN for a short time, then gets DEVELOPER  people/ada.yaml:3:5",
    "  ▾ Team Platform (t-42): changes for 2 people, 2 mails",
    "      + cy@acme.example (Cy Young): new, invited by mail, roles chosen by the",
    "        service                                               people/cy.yaml:3:5",
    " !    ~ bo@acme.example: invited by mail, -ACCOUNT_ADMIN (privileged)",
    "        +TEAM_ROLE, keeps DEVELOPER                              teams.yaml:13:7",
    "  ▾ Keys outside teams: changes for 1 key",
    "      - key proj99: -DEVELOPER, no roles left (before: recorded at",
    "        2026-11-01T08:00:00.000Z)",
    "  ▾ Tasks (1)",
    " !    ! team acc-1/sales: cannot be created (cannot-create-team)",
    "  ▾ Notices (1)",
    "      ! user ada@acme.example: privileged role for a short time",
    "",
    " f fold  Enter details  / filter  n next !  a approve  q quit  ? keys   1 of 15",
  ]);
});

test("a folded row has the mark of what is in it, and counts it", async () => {
  expect((await screen(small, "f")).slice(2, -2)).toEqual([
    ">!▸ Changes of privileged roles (2) [2 privileged]",
    " !▸ Team Data Science (new, admin Ada@acme.example): changes for 1 person [1 pr…",
    " !▸ Team Platform (t-42): changes for 2 people, 2 mails [1 privileged]",
    "  ▸ Keys outside teams: changes for 1 key",
    " !▸ Tasks (1) [1 task]",
    "  ▸ Notices (1)",
    "    How the service was read",
  ]);
});

test("the details show all roles of the row, what changes and why, and scroll", async () => {
  const low = { columns: 80, rows: 8 };
  const rows = [
    "  - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform",
    "    teams.yaml:5:5",
    "  -ACCOUNT_ADMIN +TEAM_ROLE, keeps DEVELOPER",
    "  in the roster:",
    "    the member entry of the person                                teams.yaml:5:5",
  ];
  const [first, second] = [await screen(low, "n", "n", enter), await screen(low, "n", "n", enter, end)];
  expect(first.slice(2, -2)).toEqual(rows.slice(0, 3));
  expect(second.slice(2, -2)).toEqual(rows.slice(-3));
  expect([first.at(-1), second.at(-1)].map((foot) => foot?.slice(-4))).toEqual([" 60%", "100%"]);
});

test("a word that is wider than the screen goes on below", async () => {
  const service = `https://${"x".repeat(50)}.example`;
  const plan = { ...samplePlan, service };
  const lines = await screenOf({ ...sample, plan }, { columns: 40, rows: 20 }, "G", enter, end);
  expect(lines.join("").replaceAll(" ", "")).toContain(service);
});

const wholePlan = [
  " The whole plan",
  " Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles",
  " of 2 keys, set the roles of 1 new key.",
  " Privileged roles change on 2 keys.",
  " 2 mails, at most 6 calls. Plan ID 9f8e.",
];

test("before it is approved, the review says what the whole plan does and whose privileged roles change", async () => {
  expect(await screen(small, "a", "ye")).toEqual([
    ...head,
    ...wholePlan,
    " 1 task, 1 notice.",
    " You cannot take back a sent invitation. Only `yes` approves.",
    " Apply this plan? ye_",
    "",
    " + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the",
    " key in Data Science",
    " - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform",
    "(8 blank lines)",
    " type yes and press Enter to apply, Esc goes back",
  ]);
});

test("the approval says what a filter hides, and that it is approved as well", async () => {
  const lines = await screen(small, "/", "platform bo", enter, "a");
  expect(lines.slice(2, 9)).toEqual([
    ...wholePlan,
    " 1 task, 1 notice.",
    ' The filter "platform bo" hides 4 of 6 actions; all 6 are approved.',
  ]);
});

test("a small screen keeps the whole question, and cuts off whole rows", async () => {
  const narrow = { columns: 40, rows: 12 };
  const top = [" Plan for https://accounts.acme.example", " 2 privileged  1 task  2 new users"];
  expect(await screen(narrow, "a", "yes")).toEqual([
    ...top,
    " Privileged roles change on 2 keys.",
    " 2 mails, at most 6 calls. Plan ID 9f8e.",
    " 1 task, 1 notice.",
    " You cannot take back a sent invitation.",
    " Only `yes` approves.",
    " Apply this plan? yes_",
    "(2 blank lines)",
    " type yes, then Enter; Esc goes back",
  ]);
  expect((await screen(narrow)).at(-1)).toBe(" Enter details  a approve  ? keys");
});

test("what an approval must be is said where it was something else", async () => {
  const notice = async (...typed: readonly string[]) => (await screen(small, "a", ...typed)).at(-2);
  expect(await notice("no", enter)).toBe(" Not approved: type yes, then press Enter. Esc goes back.");
  expect(await notice("\u{1B}[200~yes\r\u{1B}[201~")).toBe(" Type the approval: pasted text is ignored.");
});

test("? shows every key, on a low screen page by page", async () => {
  const keys = [
    "  ↑ ↓, k j              one row up, one row down",
    "  PgUp PgDn, Home End   one page; first row, last row",
    "  ← →, h l              fold and unfold; ← goes to the parent",
    "  Space                 fold or unfold",
    "  f                     fold all, or unfold all",
    "  /                     filter by words: people, teams, roles, kinds, codes",
    "  n, N                  next and previous privileged row or task (!)",
    "  Enter                 details: all roles, YAML lines, facts",
    "  Esc                   go back; clear the filter; leave without applying",
    "  a                     approve: then type yes and press Enter",
    "  q                     leave without applying",
    "  Ctrl-C, Ctrl-Z        interrupt roster, suspend it",
  ];
  expect(await screen(small, "?")).toEqual([...head, ...keys, "(8 blank lines)", " any key goes back"]);
  const low = { columns: 80, rows: 12 };
  const first = await screen(low, "?");
  expect([first.slice(-4, -2), first.at(-1)]).toEqual([keys.slice(5, 7), " any key shows more"]);
  expect((await screen(low, "?", "q")).slice(2, 7)).toEqual(keys.slice(7));
  expect(await screen(low, "?", "qx")).toEqual(await screen(low));
});

test("a filter leaves what it finds, with what that belongs to, and says how much that is", async () => {
  expect(await screen(small, "/", "platform bo")).toEqual([
    ...head,
    "  ▾ Changes of privileged roles (2)",
    ">!    - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform",
    "  ▾ Team Platform (t-42): changes for 2 people, 2 mails",
    " !    ~ bo@acme.example: invited by mail, -ACCOUNT_ADMIN (privileged)",
    "        +TEAM_ROLE, keeps DEVELOPER                              teams.yaml:13:7",
    "(14 blank lines)",
    " filter: platform bo_                                      shows 2 of 6 actions",
    " type to filter  ↑↓ move  Enter done  Esc clears it                      2 of 4",
  ]);
  expect(await screen(small, "/", "zz")).toEqual([
    ...head,
    " No match for: zz",
    "(18 blank lines)",
    " filter: zz_                                               shows 0 of 6 actions",
    " type to filter  ↑↓ move  Enter done  Esc clears it                      0 of 0",
  ]);
});

test("at 200 by 60, the details of the selected row are at the side of the tree", async () => {
  const lines = await screen(large, "n");
  expect(lines).toHaveLength(59);
  expect(lines.slice(2, 5)).toEqual([
    `${"  ▾ Changes of privileged roles (2)".padEnd(104)}│   + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the key in Data`,
    `${">!    + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on the key in Data Science".padEnd(104)}│     Science${" ".repeat(69)}teams.yaml:3:5`,
    `${" !    - bo@acme.example: loses ACCOUNT_ADMIN on the key 12pref1x121 in Platform           teams.yaml:5:5".padEnd(104)}│   ACCOUNT_ADMIN for a short time, then gets DEVELOPER`,
  ]);
});

test("names from outside cannot move the cursor, turn the text or break a row", async () => {
  const hostile = "\u{1B}]0;x\u{7}\u{9B}2J\u{202E}日本\nsecond";
  const plan = { ...samplePlan, service: hostile };
  const [bar = "", ...rest] = await screenOf({ ...sample, plan }, small);
  expect(bar).toBe(" Plan for \\u{1b}]0;x\\u{7}\\u{9b}2J\\u{202e}日本\\u{a}second");
  expect(rest).toEqual((await screen(small)).slice(1));
});

test.each([
  { columns: 130, rows: 10 },
  { columns: 10, rows: 3 },
  { columns: 1, rows: 1 },
])("on $columns by $rows no screen is as high as the terminal, so that it never scrolls", async (size) => {
  const shown = onScreen(<Review input={sample} onAnswer={() => undefined} />, size);
  for (const text of ["?", "x", enter, end, esc, "/", "zz", enter, "a", "no", enter, esc, "f", "f", "n"])
    await shown.type(text);
  expect(new Set(shown.frames.map((frame) => frame.split("\n").length))).toEqual(new Set([Math.max(1, size.rows - 1)]));
  shown.unmount();
});

test("an answer is given once", async () => {
  const onAnswer = vi.fn();
  const shown = onScreen(<Review input={sample} onAnswer={onAnswer} />, small);
  await shown.type("a", `yes${enter}q${esc}${esc}`, "q");
  expect(onAnswer.mock.calls).toEqual([["approved"]]);
  shown.unmount();
});
