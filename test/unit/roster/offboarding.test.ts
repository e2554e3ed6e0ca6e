import { expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import type { Diagnostic } from "../../../src/model/failure.ts";
import type { Roster } from "../../../src/model/roster.ts";
import { aLeaver } from "../../support/roster-builders.ts";
import { faultsOf, rosterFrom, rosterLines } from "../../support/roster-text.ts";
import { testTextCases } from "../../support/text-cases.ts";

const place = (line: number, column: number) => ({ file: "f.yaml", line, column });

/** Ada leaves on the day of the run, Bo on the day after it, and Ada is everywhere. */
const text = `version: 1
account: acc-1
groups:
  on-call: [bo@acme.example, ADA@acme.example]
users:
  - email: Ada@acme.example
    firstName: Ada
    lastName: Lovelace
    until: 2026-11-20
    previously: [ada@old.example]
    title: Principal
    key: ada-own
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, until: 2026-11-21, distinctFrom: [bob@acme.example] }
teams:
  - name: T
    admin: ada@acme.example
    firstMember: ada@acme.example
    roles: [A]
    members:
      - { user: ada@acme.example, key: ada-in-t }
      - { group: on-call }
  - name: U
    admin: bo@acme.example
    members:
      - { group: on-call, roles: [B] }
  - { name: V, members: [ada@acme.example] }
keys:
  - { prefix: p, owner: ada@OLD.example, roles: [B] }
  - { prefix: ada-in-t, roles: [A] }
  - { prefix: q, owner: ada@acme.example, roles: [] }
  - { prefix: r, owner: bo@acme.example, roles: [A] }
`;

function made(today: string, written = text): { roster: Roster; diagnostics: readonly Diagnostic[] } {
  const { roster, diagnostics } = rosterFrom({ "f.yaml": written }, { today });
  if (roster === undefined) throw new Error(faultsOf({ diagnostics }).join("\n"));
  return { roster, diagnostics };
}

test("until their day comes, people are users like any other", () => {
  const { roster, diagnostics } = made("2026-11-19");
  expect(diagnostics).toEqual([]);
  expect([...roster.users.keys()]).toEqual(["ada@acme.example", "bo@acme.example"]);
  expect(roster.leavers).toEqual(new Map());
  expect(roster.users.get(aLeaver("ada").address)?.until).toEqual({ value: "2026-11-20", place: place(9, 12) });
});

/** From that day on they are leavers; no place counts for them, and no listed key of theirs has roles. */
testTextCases(new URL("./offboarding.txt", import.meta.url), (_, [day = ""]) => rosterLines(made(day).roster));

test("a listed key that is emptied since somebody has gone says by which `until`, and nothing of its role sets", () => {
  const sets = "roleSets: { s: [B] }\nkeys:\n";
  const { keys } = made(
    "2026-11-20",
    text
      .replace("keys:\n", sets)
      .replace("roles: [B] }\n  - { prefix: ada", "roles: [{ set: s }] }\n  - { prefix: ada"),
  ).roster;
  const until = reasonAt(place(9, 12), "until", { name: "2026-11-20" });
  expect(keys.map(({ because }) => because)).toEqual([
    [reasonAt(place(29, 5), "key"), until],
    [reasonAt(place(30, 5), "key"), until],
    [reasonAt(place(31, 5), "key")],
    [reasonAt(place(32, 5), "key")],
  ]);
});

test("each place that counted on them is told once, as a warning", () => {
  const { diagnostics } = made("2026-11-20");
  const since = "is a leaver since 2026-11-20 (f.yaml:9:12); this entry is ignored.";
  expect(faultsOf({ diagnostics })).toEqual([
    `f.yaml:4:30+16 until-reached: The group member \`ADA@acme.example\` ${since}`,
    "f.yaml:9:12+10 until-reached: `until` of `Ada@acme.example` has passed: this user is a leaver since 2026-11-20.",
    `f.yaml:16:12+16 until-reached: The administrator \`ada@acme.example\` ${since}`,
    `f.yaml:17:18+16 until-reached: The first member \`ada@acme.example\` ${since}`,
    `f.yaml:20:17+16 until-reached: The member \`ada@acme.example\` ${since}`,
    `f.yaml:26:26+16 until-reached: The member \`ada@acme.example\` ${since}`,
    "f.yaml:28:42+5 until-reached: The key `p` belongs to `Ada@acme.example`, a leaver since 2026-11-20 (f.yaml:9:12); it is treated as `roles: []`.",
    "f.yaml:29:25+5 until-reached: The key `ada-in-t` belongs to `Ada@acme.example`, a leaver since 2026-11-20 (f.yaml:9:12); it is treated as `roles: []`.",
  ]);
  expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(["warning"]));
});

test("the hint has the lines that say the same for good, without a warning", () => {
  const { diagnostics } = made("2026-11-20");
  const told = diagnostics.find(({ place }) => place?.line === 9)?.hint ?? "";
  const lines = [...told.matchAll(/`- (\{[^`]*\})`/gu)].map(([, line]) => `  - ${line}\n`);
  expect(lines).toEqual([
    "  - { email: Ada@acme.example, since: 2026-11-20 }\n",
    "  - { email: ada@old.example, since: 2026-11-20 }\n",
    "  - { prefix: ada-own, owner: Ada@acme.example, roles: [] }\n",
    "  - { prefix: ada-in-t, owner: Ada@acme.example, roles: [] }\n",
  ]);
  const leavers = `version: 1\naccount: acc-1\nleavers:\n${lines.slice(0, 2).join("")}keys:\n${lines.slice(2).join("")}`;
  expect(made("2026-11-20", leavers).diagnostics).toEqual([]);
});

test("lines of a hint are quoted where YAML needs it", () => {
  const odd = `version: 1\naccount: a\nusers: [{ email: "!x@x.example", firstName: X, lastName: X, until: 2020-01-01, key: "012" }]\n`;
  expect(made("2026-11-20", odd).diagnostics.map(({ hint }) => hint)).toEqual([
    'Write under `leavers` instead: `- { email: "!x@x.example", since: 2020-01-01 }`, and under `keys`: `- { prefix: "012", owner: "!x@x.example", roles: [] }`.',
  ]);
});

test("what is wrong with a roster is wrong whatever the day", () => {
  const wrong = text.replace("admin: bo@acme.example", "admin: ada@acme.example\n    firstMember: cy@acme.example");
  const errors = (today: string) => {
    const { roster, diagnostics } = rosterFrom({ "f.yaml": wrong }, { today });
    return [roster, diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)];
  };
  expect(errors("2026-11-19")).toEqual([undefined, ["unknown-name"]]);
  expect(errors("2026-11-20")).toEqual(errors("2026-11-19"));
});
