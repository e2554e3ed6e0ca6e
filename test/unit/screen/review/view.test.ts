import { expect, test } from "vitest";
import { defaultPrivilegedRoles } from "../../../../src/model/role-set.ts";
import { handleKey } from "../../../../src/screen/review/handle-key.ts";
import { beginReview } from "../../../../src/screen/review/review.ts";
import { viewReview } from "../../../../src/screen/review/view.ts";
import type { Size } from "../../../../src/screen/rows.ts";
import { samplePlan, sampleReading } from "../../../support/report-samples.ts";
import { keysOf, large, linesOf, small } from "../../../support/screens.ts";

/** The screen after these keys. */
function screen(size: Size, ...texts: readonly string[]): readonly string[] {
  const about = { plan: samplePlan, reading: sampleReading, privileged: defaultPrivilegedRoles };
  const review = texts.flatMap(keysOf).reduce(handleKey, beginReview(about, size));
  return linesOf(viewReview(review), size);
}

const head = [
  " Plan for https://accounts.acme.example                     nothing is done yet",
  " 2 privileged, 1 blocking, 2 new users, 1 new team, 2 mails, 3 keys, 6 calls, …",
];

test("at 80 by 24, the plan is a tree of teams and people, with what matters marked", () => {
  expect(screen(small)).toEqual([
    ...head,
    "> ▾ Team Data Science (new): 1 person, 2 calls, founded with Ada@acme.example",
    " !  ▸ + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a moment, then exact…",
    "  ▾ Team Platform: 2 people, 2 mails, 3 calls",
    "    ▸ + cy@acme.example (Cy Young): new, added with a mail, roles as the servic…",
    " !  ▸ + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPE…",
    "    ~ key proj99: -DEVELOPER, no roles are left (before as recorded at 2026-11-…",
    "  ▾ What no call of this plan does                  1 blocking finding, 1 notice",
    " !    ! team acc-1/sales  team-without-founder              teams.yaml:20:5 (+1)",
    "      ! user ada@acme.example  privilege-for-a-moment (notice)    teams.yaml:3:5",
    "    How the service was read",
    "(11 blank lines)",
    " ↑↓ ←→ f fold  Enter why  / filter  n next  a approve  q quit  ? keys   1 of 10",
  ]);
});

test("Enter tells the reasons of what is selected, and what changes", () => {
  expect(screen(small, "n", "\r")).toEqual([
    ...head,
    "  + create user Ada@acme.example (Ada Lovelace) in acc-1     people/ada.yaml:3:5",
    "      title Principal, source gitops",
    "      founds team Data Science and administers it; team key roles DEVELOPER,",
    "      TEAM_ROLE",
    "      ! Ada@acme.example holds ACCOUNT_ADMIN for a moment, until the roles of",
    "      the key are made exact",
    "      asked for by",
    "        an entry of `users`                                  people/ada.yaml:3:5",
    "      rests on",
    "        user ada@acme.example: absent (as read by search 1)",
    "        search 1 at 2026-11-20T06:00:00.250Z: POST /api/accounting/users/search",
    "        for 3 addresses",
    "      planned by the rule founds-team",
    "        a team that is absent comes into being with a new user",
    "",
    "  ~ roles of Ada@acme.example's key in Data Science               teams.yaml:3:5",
    "      = exactly DEVELOPER, not sent if the key has just these",
    "      asked for by",
    "        the person is listed as a member                          teams.yaml:3:5",
    "      planned by the rule roles-of-founder",
    "",
    " ↑↓ scroll  n next to look at  a approve  Esc back  ? keys                  91%",
  ]);
});

test("before it is approved, it tells what is about to be done", () => {
  expect(screen(small, "a", "ye")).toEqual([
    ...head,
    " About to be applied",
    "",
    " Plan: 2 users to create (1 founds a team), 1 team gains members, 3 keys get",
    " other roles.",
    " 2 people-in-team additions send a mail. 6 calls, at most 7.",
    " 1 blocking finding, 1 notice.",
    " Privileged roles are at stake for 2 people or keys.",
    "   + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a moment, then exactly …",
    "   + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER; …",
    "",
    " Invitations cannot be unsent. Only `yes` is taken as approval.",
    "",
    " Apply this plan? ye_",
    "(8 blank lines)",
    " type yes and press Enter to apply, Esc goes back",
  ]);
});

test("a narrow screen asks the whole question, and tells the keys that matter", () => {
  const narrow = { columns: 40, rows: 10 };
  const top = [" Plan for https://accounts.acme.example", " 2 privileged, 1 blocking, …"];
  expect(screen(narrow, "a", "yes")).toEqual([
    ...top,
    " 1 blocking finding, 1 notice.",
    " Privileged roles are at stake for 2",
    " people or keys.",
    " Invitations cannot be unsent. Only",
    " `yes` is taken as approval.",
    " Apply this plan? yes_",
    "",
    " type yes, then Enter; Esc goes back",
  ]);
  expect(screen(narrow).at(-1)).toBe(" Enter why  a approve  q quit  ? keys");
});

test("? tells every key", () => {
  expect(screen(small, "?")).toEqual([
    ...head,
    " Keys",
    "  ↑ ↓, k j              one row up, one row down",
    "  PgUp PgDn, Home End   a page; the first row, the last row",
    "  ← →, h l              fold and unfold; ← goes to what it belongs to",
    "  Space                 fold or unfold",
    "  f                     fold all, or unfold all",
    "  /                     filter by words: people, teams, roles, kinds, codes",
    "  n, N                  go to what is privileged or blocks (!), or back to it",
    "  Enter                 why: the lines that ask for it, the facts, the change",
    "  Esc                   go back; drop the filter; leave without applying",
    "  a                     approve: then type yes and press Enter",
    "  q                     leave without applying",
    "  Ctrl-C, Ctrl-Z        interrupt roster, suspend it",
    "(8 blank lines)",
    " any key goes back",
  ]);
});

test("on a low screen, ? tells how many keys there are more, and goes on to them", () => {
  const low = { columns: 80, rows: 8 };
  const top = screen(low, "?");
  expect(top.slice(2, -1)).toEqual([
    " Keys",
    "  ↑ ↓, k j              one row up, one row down",
    "  PgUp PgDn, Home End   a page; the first row, the last row",
    "  … 10 more: ↓",
    "",
  ]);
  expect(top.at(-1)).toBe(" ↑↓ scroll  any other key goes back");
  expect(screen(low, "?", "j", "j").slice(2, -1)).toEqual([
    "  PgUp PgDn, Home End   a page; the first row, the last row",
    "  ← →, h l              fold and unfold; ← goes to what it belongs to",
    "  Space                 fold or unfold",
    "  … 8 more: ↓",
    "",
  ]);
  const end = screen(low, "?", "\u{1B}[6~\u{1B}[6~\u{1B}[6~\u{1B}[6~\u{1B}[6~\u{1B}[6~");
  expect([end, screen(low, "?", "G", "k")[5]]).toEqual([screen(low, "?", "G"), "  … 2 more: ↓"]);
  expect(end.slice(2, -1)).toEqual([
    "  Esc                   go back; drop the filter; leave without applying",
    "  a                     approve: then type yes and press Enter",
    "  q                     leave without applying",
    "  Ctrl-C, Ctrl-Z        interrupt roster, suspend it",
    "",
  ]);
  expect(screen(low, "?", "jjx")).toEqual(screen(low));
});

test("a filter leaves what it finds, with what that belongs to", () => {
  expect(screen(small, "/", "platform bo")).toEqual([
    ...head,
    "  ▾ Team Platform: 2 people, 2 mails, 3 calls",
    ">!  ▸ + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPE…",
    "(18 blank lines)",
    " filter: platform bo_                             Enter keeps it, Esc clears it",
    " type to filter  ↑↓ move  Enter done                                     2 of 2",
  ]);
});

test("a filter that finds nothing says so", () => {
  expect(screen(small, "/", "zz")).toEqual([
    ...head,
    " nothing holds: zz",
    "(19 blank lines)",
    " filter: zz_                                      Enter keeps it, Esc clears it",
    " type to filter  ↑↓ move  Enter done                                     0 of 0",
  ]);
});

test("at 200 by 60, the reasons of what is selected stand beside the tree", () => {
  expect(screen(large, "n")).toEqual([
    " Plan for https://accounts.acme.example                                                                                                                                             nothing is done yet",
    " 2 privileged, 1 blocking, 2 new users, 1 new team, 2 mails, 3 keys, 6 calls, 1 notice",
    "  ▾ Team Data Science (new): 1 person, 2 calls, founded with Ada@acme.example                            │   + create user Ada@acme.example (Ada Lovelace) in acc-1                  people/ada.yaml:3:5",
    ">!  ▸ + Ada@acme.example (Ada Lovelace): ACCOUNT_ADMIN for a moment, then exactly DEVELOPER; new, found… │       title Principal, source gitops",
    "  ▾ Team Platform: 2 people, 2 mails, 3 calls                                                            │       founds team Data Science and administers it; team key roles DEVELOPER, TEAM_ROLE",
    "    ▸ + cy@acme.example (Cy Young): new, added with a mail, roles as the service gives them              │       ! Ada@acme.example holds ACCOUNT_ADMIN for a moment, until the roles of the key are",
    " !  ▸ + bo@acme.example: -ACCOUNT_ADMIN (privileged) +TEAM_ROLE, keeps DEVELOPER; added with a mail      │       made exact",
    "    ~ key proj99: -DEVELOPER, no roles are left (before as recorded at 2026-11-01T08:00:00.000Z)         │       asked for by",
    "  ▾ What no call of this plan does                                          1 blocking finding, 1 notice │         an entry of `users`                                               people/ada.yaml:3:5",
    " !    ! team acc-1/sales  team-without-founder                                      teams.yaml:20:5 (+1) │       rests on",
    "      ! user ada@acme.example  privilege-for-a-moment (notice)                            teams.yaml:3:5 │         user ada@acme.example: absent (as read by search 1)",
    "    How the service was read                                                                             │         search 1 at 2026-11-20T06:00:00.250Z: POST /api/accounting/users/search for 3",
    "                                                                                                         │         addresses",
    "                                                                                                         │       planned by the rule founds-team",
    "                                                                                                         │         a team that is absent comes into being with a new user",
    "                                                                                                         │",
    "                                                                                                         │   ~ roles of Ada@acme.example's key in Data Science                            teams.yaml:3:5",
    "                                                                                                         │       = exactly DEVELOPER, not sent if the key has just these",
    "                                                                                                         │       asked for by",
    "                                                                                                         │         the person is listed as a member                                       teams.yaml:3:5",
    "                                                                                                         │       planned by the rule roles-of-founder",
    "                                                                                                         │         the key of a founder is made exact",
    "                                                                                                         │       after: create user Ada@acme.example",
    "                                                                                                         │",
    "                                                                                                         │",
    ...Array.from({ length: 33 }, () => `${" ".repeat(105)}│`),
    "",
    " ↑↓ move  ←→ fold  f fold all  Enter why  / filter  n next to look at  a approve  q quit  ? keys                                                                                                2 of 10",
  ]);
});
