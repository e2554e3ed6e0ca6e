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
const founding = {
  at: 1,
  method: "POST",
  path: "/api/accounting/accounts/acc-1/users",
  body: { email: "ada@acme.example", team: { name: "Ops" } },
  tookEffect: true,
  answered: "lost",
} as const;
const founded: Judged = {
  ...judged,
  service: { ...judged.service, writes: [founding], people: [{ ...ada, keys: [key] }], teams: [ops] },
};

test.each([
  ["a team that was not there from the start", "team:Ops", judged, true],
  ["such a team, whatever a run did to it since", "team:Ops", founded, true],
  ["a team that was there from the start", "team:Platform", judged, false],
  ["a call that founded no team", "team:Ops@call-1", judged, true],
  ["a call that founded a team", "team:Ops@call-1", founded, false],
  ["a team of which the roster says nothing", "team:Sales", judged, false],
  ["all teams, where one was there", "teams", judged, false],
  [
    "somebody who is no member",
    "member:Ops/ada@acme.example",
    { ...founded, service: { ...founded.service, people: [{ ...ada, keys: [] }] } },
    true,
  ],
  ["a member", "member:Ops/ada@acme.example", founded, false],
])("a person says of %s that it is absent where that is so for all they know", (_what, value, known, isSaid) => {
  const words = wordsToSay([{ flag: "--assume-absent", value }], known);
  expect(words).toEqual(isSaid ? ["--assume-absent", value] : []);
});

test("a person has nobody created again who is there", () => {
  const word = { flag: "--recreate", value: "ADA@acme.example" } as const;
  expect([wordsToSay([word], judged), wordsToSay([word], founded)]).toEqual([["--recreate", "ADA@acme.example"], []]);
});
