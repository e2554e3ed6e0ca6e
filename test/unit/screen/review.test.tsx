import { expect, test, vi } from "vitest";
import { defaultPrivilegedRoles } from "../../../src/model/role-set.ts";
import { Review } from "../../../src/screen/review.tsx";
import type { ReviewInput } from "../../../src/screen/review-tree.ts";
import type { Size } from "../../../src/screen/terminal.ts";
import { companyPlan } from "../../support/company-plan.ts";
import { samplePlan, sampleReading } from "../../support/report-samples.ts";
import { large, onScreen, small } from "../../support/screens.tsx";

const sample: ReviewInput = { plan: samplePlan, reading: sampleReading, privileged: defaultPrivilegedRoles };
const [enter, end, esc] = ["\r", "\u{1B}[F", "\u{1B}"];

/** The screen after these keys. */
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
  " 2 privileged  1 task  2 new users  1 new team  2 mails  3 keys  up to 6 calls",
];

test("at 80 by 24, the plan is a tree of teams and people, with marks at what is privileged or blocking", async () => {
  expect(await screen(small)).toEqual([
    ...head,
    "> ▾ Team Data Science (new): 1 person, up to 2 calls, created with Ada@acme.exa…",
    " !  ▸ + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a short time, then e…",
    "  ▾ Team Platform: 2 people, 2 mails, 3 calls",
    "    ▸ + cy@acme.example (Cy Young): new, invited by mail, roles chosen by the s…",
    " !  ▸ + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPE…",
    "    ~ key proj99: -DEVELOPER, no roles left (before as recorded at 2026-11-01T0…",
    "  ▾ Needs manual action: 1",
    " !    ! team acc-1/sales  cannot-create-team                teams.yaml:20:5 (+1)",
    "  ▾ Notices: 1",
    "      ! user ada@acme.example  temporary-privilege (notice)       teams.yaml:3:5",
    "    How the service was read",
    "(9 blank lines)",
    " ↑↓ ←→ f fold  Enter details  / filter  n next !  a approve  ? keys     1 of 11",
  ]);
});

test("a folded row has the mark of what is in it, and counts it", async () => {
  expect((await screen(small, "f")).slice(2, -2)).toEqual([
    ">!▸ Team Data Science [1 privileged] (new): 1 person, up to 2 calls, created wi…",
    " !▸ Team Platform [1 privileged]: 2 people, 2 mails, 3 calls",
    "    ~ key proj99: -DEVELOPER, no roles left (before as recorded at 2026-11-01T0…",
    " !▸ Needs manual action: 1 [1 blocking]",
    "  ▸ Notices: 1",
    "    How the service was read",
  ]);
});

test("the details show all roles of the row, the reasons and what changes, and scroll", async () => {
  expect(await screen(small, "n", enter)).toEqual([
    ...head,
    "  + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a short time, then",
    "    exactly DEVELOPER; new, creates the team",
    "",
    "  + create user Ada@acme.example (Ada Lovelace) in acc-1     people/ada.yaml:3:5",
    "      title Principal, source gitops",
    "      creates team Data Science as its admin; team key roles DEVELOPER,",
    "      TEAM_ROLE",
    "      ! Ada@acme.example has ACCOUNT_ADMIN for a short time, until the next call",
    "      replaces the roles",
    "      reason",
    "        an entry of `users`                                  people/ada.yaml:3:5",
    "      based on",
    "        user ada@acme.example: absent (read by search 1)",
    "        search 1 at 2026-11-20T06:00:00.250Z: POST /api/accounting/users/search",
    "        for 3 addresses",
    "      rule a new team is created with a new user",
    "",
    "  ~ roles of Ada@acme.example's key in Data Science               teams.yaml:3:5",
    "      = exactly DEVELOPER, not sent if the key already has them",
    "",
    " ↑↓ scroll  n next !  a approve  Esc back  ? keys                           83%",
  ]);
  const scrolled = await screen(small, "n", enter, end);
  expect(scrolled.slice(-4)).toEqual([
    "      rule the first member's key gets exactly the roles of the roster",
    "      after: create user Ada@acme.example",
    "",
    " ↑↓ scroll  n next !  a approve  Esc back  ? keys                          100%",
  ]);
  expect((await screen(small, "n", enter, end, "k"))[3]).toBe(scrolled[2]);
});

test("the details of a team go on to its last call, however little of it was seen before", async () => {
  const lines = await screenOf({ plan: companyPlan(1), privileged: [] }, large, enter, end);
  expect(lines.some((line) => line.includes("roles of p0n9@acme.example's key in Team 0"))).toBe(true);
});

test("a word that is wider than the screen goes on below", async () => {
  const service = `https://${"x".repeat(50)}.example`;
  const plan = { ...samplePlan, service };
  const lines = await screenOf({ ...sample, plan }, { columns: 40, rows: 20 }, "G", enter, end);
  expect(lines.join("").replaceAll(" ", "")).toContain(service);
});

test("before it is approved, the review says what the whole plan does and whose privileged roles change", async () => {
  expect(await screen(small, "a", "ye")).toEqual([
    ...head,
    " The whole plan",
    " Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles",
    " of 3 keys.",
    " 2 mails. Up to 6 calls. Plan ID 9f8e.",
    " 1 problem needs manual action, 1 notice.",
    " Privileged roles change for 2 people or keys.",
    " Invitations cannot be unsent. Only `yes` approves.",
    " Apply this plan? ye_",
    "",
    " ! + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a short time, then",
    "   exactly DEVELOPER; new, creates the team",
    " ! + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER;",
    "   invited by mail",
    "(7 blank lines)",
    " type yes and press Enter to apply, Esc goes back",
  ]);
});

test("the approval says what a filter hides, and that it is approved as well", async () => {
  const lines = await screen(small, "/", "platform bo", enter, "a");
  expect(lines.slice(2, 9)).toEqual([
    " The whole plan",
    " Plan: create 2 users and 1 team, invite 2 members to 1 team, change the roles",
    " of 3 keys.",
    " 2 mails. Up to 6 calls. Plan ID 9f8e.",
    " 1 problem needs manual action, 1 notice.",
    ' The filter "platform bo" hides 4 of 6 actions; all 6 are approved.',
    " Privileged roles change for 2 people or keys.",
  ]);
});

test("a small screen keeps the whole question, and cuts off whole rows", async () => {
  const narrow = { columns: 40, rows: 12 };
  const top = [" Plan for https://accounts.acme.example", " 2 privileged  1 task  2 new users"];
  expect(await screen(narrow, "a", "yes")).toEqual([
    ...top,
    " notice.",
    " Privileged roles change for 2 people or",
    " keys.",
    " Invitations cannot be unsent. Only",
    " `yes` approves.",
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

test("? shows every key, and on a low screen how many more there are", async () => {
  expect(await screen(small, "?")).toEqual([
    ...head,
    "  ↑ ↓, k j              one row up, one row down",
    "  PgUp PgDn, Home End   one page; first row, last row",
    "  ← →, h l              fold and unfold; ← goes to the parent",
    "  Space                 fold or unfold",
    "  f                     fold all, or unfold all",
    "  /                     filter by words: people, teams, roles, kinds, codes",
    "  n, N                  next and previous privileged or blocking row (!)",
    "  Enter                 details: all roles, YAML lines, facts, rule",
    "  Esc                   go back; clear the filter; leave without applying",
    "  a                     approve: then type yes and press Enter",
    "  q                     leave without applying",
    "  Ctrl-C, Ctrl-Z        interrupt roster, suspend it",
    "(8 blank lines)",
    " any key goes back",
  ]);
  const low = { columns: 80, rows: 9 };
  expect((await screen(low, "?", "jj")).slice(2)).toEqual([
    "  ← →, h l              fold and unfold; ← goes to the parent",
    "  Space                 fold or unfold",
    "  f                     fold all, or unfold all",
    "  … 7 more: ↓",
    "",
    " ↑↓ scroll  any other key goes back",
  ]);
  expect((await screen(low, "?", "G")).slice(2, -2)).toEqual([
    "  Esc                   go back; clear the filter; leave without applying",
    "  a                     approve: then type yes and press Enter",
    "  q                     leave without applying",
    "  Ctrl-C, Ctrl-Z        interrupt roster, suspend it",
  ]);
  expect(await screen(low, "?", "jjx")).toEqual(await screen(low));
});

test("a filter leaves what it finds, with what that belongs to, and says how much that is", async () => {
  expect(await screen(small, "/", "platform bo")).toEqual([
    ...head,
    "  ▾ Team Platform: 2 people, 2 mails, 3 calls",
    ">!  ▸ + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPE…",
    "(17 blank lines)",
    " filter: platform bo_                                      shows 2 of 6 actions",
    " type to filter  ↑↓ move  Enter done  Esc clears it                      2 of 2",
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
  expect(lines.slice(0, 6)).toEqual([
    ` Plan for https://accounts.acme.example${" ".repeat(138)}nothing is changed yet`,
    `${head[1]}  1 notice`,
    `${"  ▾ Team Data Science (new): 1 person, up to 2 calls, created with Ada@acme.example".padEnd(104)}│   + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a short time, then exactly DEVELOPER;`,
    `${">!  ▸ + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a short time, then exactly DEVELOPER; new, c…".padEnd(104)}│     new, creates the team`,
    `${"  ▾ Team Platform: 2 people, 2 mails, 3 calls".padEnd(104)}│`,
    `${"    ▸ + cy@acme.example (Cy Young): new, invited by mail, roles chosen by the service".padEnd(104)}│   + create user Ada@acme.example (Ada Lovelace) in acc-1                   people/ada.yaml:3:5`,
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
