import { expect, test } from "vitest";
import type { Wanted } from "../../../support/drawn/company.ts";
import type { Judged } from "../../../support/drawn/judge.ts";
import { wordsToSay } from "../../../support/drawn/person.ts";

const wanted: Wanted = {
  people: [{ email: "ada@acme.example", previously: [] }],
  leavers: [],
  teams: ["Ops", "Platform"].map((name) => ({ name, admin: "ada@acme.example", members: ["ada@acme.example"] })),
};

const judged: Judged = {
  wanted,
  seed: { account: "acc-1", people: [], teams: [{ name: "Platform", admin: "gus@acme.example", members: [] }] },
  service: { keyPrefix: "in-use", writes: [], people: [], teams: [], mails: [] },
};

const ada = { identifier: "u-1", email: "ada@acme.example", account: "acc-1" };
const ops = { identifier: "t-1", name: "Ops", account: "acc-1", members: ["u-1"] };
const key = { prefix: "ada-ops", kind: "team", team: "t-1", roles: [] } as const;
const teamCreation = {
  at: 1,
  method: "POST",
  path: "/api/accounting/accounts/acc-1/users",
  body: { email: "ada@acme.example", team: { name: "Ops" } },
  tookEffect: true,
  answered: "lost",
} as const;
const createdTeam: Judged = {
  ...judged,
  service: { ...judged.service, writes: [teamCreation], people: [{ ...ada, keys: [key] }], teams: [ops] },
};

test.each([
  ["a team that was not there from the start", "unproven-absence:ops", judged, true],
  ["such a team, whatever a run did to it since", "unproven-absence:ops", createdTeam, true],
  ["a team that was there from the start", "unproven-absence:platform", judged, false],
  ["a call that created no team", "unknown-outcome:ops", judged, true],
  ["a call that created a team", "unknown-outcome:ops", createdTeam, false],
  ["a team of which the roster says nothing", "unproven-absence:sales", judged, false],
  [
    "somebody who is no member",
    "unproven-absence:ops/ada@acme.example",
    { ...createdTeam, service: { ...createdTeam.service, people: [{ ...ada, keys: [] }] } },
    true,
  ],
  ["a member", "unproven-absence:ops/ada@acme.example", createdTeam, false],
])("a person says of %s that it is absent where that is so for all they know", (_what, what, known, isSaid) => {
  const word = `${what}#0123456789ab`;
  expect(wordsToSay([{ what, word }], known)).toEqual(isSaid ? ["--allow", word] : []);
});

test("a person has nobody created again who is there", () => {
  const what = "user-missing:ada@acme.example";
  const word = { what, word: `${what}#0123456789ab` };
  expect([wordsToSay([word], judged), wordsToSay([word], createdTeam)]).toEqual([["--allow", word.word], []]);
});
