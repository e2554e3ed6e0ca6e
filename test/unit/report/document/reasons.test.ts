import { expect, test } from "vitest";
import {
  declared,
  decodeSubject,
  observed,
  type Reason,
  reasonAt,
  recorded,
  unknown,
} from "../../../../src/model/fact.ts";
import type { AddMembers } from "../../../../src/model/plan.ts";
import { partOf, type ReportContext, reasonLines, whyLines } from "../../../../src/report/document/actions.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { renderLines } from "../../../../src/report/text/lines.ts";
import { anAddition, aPlan, aReplacement, person, teamRef } from "../../../support/action-builders.ts";
import { addressOf, at } from "../../../support/roster-builders.ts";

const red = teamRef("Red", "t-1");

/** Line by line, whatever the column of the places. */
function told(of: Parameters<typeof reasonLines>[0], context: ReportContext = {}): readonly string[] {
  const text = renderLines(reasonLines(of, context), { paint: plain });
  return text
    .trimEnd()
    .replace(/(?<=\S) {2,}/gu, "  ")
    .split("\n");
}

test("the chain of a replacement is told from the entry through group, roles and role set to the team, then facts", () => {
  const because = [
    reasonAt(at(9, "teams.yaml"), "group", { name: "on-call" }),
    reasonAt(at(4, "groups.yaml"), "group-member", { name: "on-call", person: addressOf("ada") }),
    reasonAt(at(7, "teams.yaml"), "team-roles"),
    reasonAt(at(2, "roles.yaml"), "role-set", { name: "engineer" }),
    reasonAt(at(5, "teams.yaml"), "team", { name: "Red" }),
  ];
  const action = {
    ...aReplacement("r", { of: "prefix", prefix: declared("k-1", at(3)) }, ["DEVELOPER"]),
    because,
    restsOn: [
      { about: decodeSubject("roles of key k-1"), ...observed("TEAM_ROLE", "search 1") },
      { about: decodeSubject("prefix of a key"), ...declared("k-1", at(3, "keys.yaml")) },
      { about: decodeSubject("user ada@acme.example"), ...recorded("created", "2026-11-01T00:00:00.000Z") },
      { about: decodeSubject("own key"), ...unknown<string>("the service hides it") },
      { about: decodeSubject("today"), ...observed("2026-11-20", "clock") },
    ],
  };
  const readings = new Map([["search 1", { at: "2026-11-20T06:00:01.000Z", request: "POST /search for 2 addresses" }]]);
  expect(told(action, { readings })).toEqual([
    "in the roster:",
    '  the team lists the group "on-call"  teams.yaml:9:3',
    "    the group lists ada@acme.example  groups.yaml:4:3",
    "  the `roles` of the team  teams.yaml:7:3",
    '    the role set "engineer"  roles.yaml:2:3',
    "  the team Red  teams.yaml:5:3",
    "  prefix of a key: k-1  keys.yaml:3:3",
    "the service showed at 2026-11-20T06:00:01.000Z (POST /search for 2 addresses):",
    "  roles of key k-1: TEAM_ROLE",
    "in the log:",
    "  user ada@acme.example: created at 2026-11-01T00:00:00.000Z",
    "not known:",
    "  own key: the service hides it",
    "from the clock:",
    "  today: 2026-11-20",
  ]);
});

const names = Array.from({ length: 12 }, (_, index) => `p${index + 1}`);

function inGroup(group: string, ...people: readonly string[]): readonly Reason[] {
  return [
    reasonAt(at(9), "group", { name: group }),
    ...people.map((name, index) => reasonAt(at(20 + index), "group-member", { name: group, person: addressOf(name) })),
  ];
}

const addition: AddMembers = {
  ...anAddition(
    red,
    names.map((name) => person(name)),
  ),
  because: [
    reasonAt(at(5), "team", { name: "Red" }),
    ...inGroup("on-call", ...names.slice(0, 10)),
    ...names.slice(10).map((name) => reasonAt(at(10), "member", { person: addressOf(name) })),
  ],
  restsOn: names.map((name) => {
    return {
      about: decodeSubject(`member ${addressOf(name)} of team ${red.team}`),
      ...observed("absent", "search 1"),
    };
  }),
};

test("of many links and facts of one kind the first few are told, and how many more there are", () => {
  expect(told(addition, { plan: aPlan([addition]) })).toEqual([
    "in the roster:",
    "  the team Red  roster.yaml:5:3",
    '  the team lists the group "on-call"  roster.yaml:9:3',
    "    the group lists p1@acme.example  roster.yaml:20:3",
    "    the group lists p2@acme.example  roster.yaml:21:3",
    "    the group lists p3@acme.example  roster.yaml:22:3",
    "    the group lists p4@acme.example  roster.yaml:23:3",
    "    and 6 more like these",
    "  the member entry of p11@acme.example  roster.yaml:10:3",
    "  the member entry of p12@acme.example  roster.yaml:10:3",
    "the service showed:",
    ...names.slice(0, 6).map((name) => `  ${name}@acme.example in team acc-1/red: not a member`),
    "  and 6 more facts",
  ]);
});

test("of one person's part of an action only their links and facts are told", () => {
  expect(told(partOf(addition, addressOf("p11")))).toEqual([
    "in the roster:",
    "  the team Red  roster.yaml:5:3",
    "  the member entry of p11@acme.example  roster.yaml:10:3",
    "the service showed:",
    "  p11@acme.example in team acc-1/red: not a member",
  ]);
  expect(told(partOf(addition, addressOf("p3"))).slice(0, 4)).toEqual([
    "in the roster:",
    "  the team Red  roster.yaml:5:3",
    '  the team lists the group "on-call"  roster.yaml:9:3',
    "    the group lists p3@acme.example  roster.yaml:22:3",
  ]);
});

test("why somebody changes is each line and fact of all their actions once, without what is so for a whole file", () => {
  const key = { of: "prefix", prefix: declared("k-1", at(3)) } as const;
  const of = (id: string, ...because: readonly Reason[]) => ({ ...aReplacement(id, key, []), because, restsOn: [] });
  const entry = reasonAt(at(4), "user");
  const first = of("a", entry, reasonAt(at(1), "account", { name: "acc-1" }));
  const fact = { about: decodeSubject("own key"), ...unknown<string>("the service hides it") };
  const second = { ...of("b", entry, reasonAt(at(6), "own-key-roles")), restsOn: [fact, fact] };
  expect(whyLines([first, second], {}).flatMap((block) => (block.kind === "lines" ? block.lines : []))).toEqual(
    reasonLines({ because: [entry, reasonAt(at(6), "own-key-roles")], restsOn: [fact] }, {}),
  );
});
