import { expect, test } from "vitest";
import { readAllowances, suggestSelector } from "../../../../src/library/planning/policy.ts";
import { anAllowance, selector } from "../../../support/plan-inputs.ts";
import { aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";

const roster = aRoster({
  users: [aUser("ada"), aUser("bo")],
  teams: [aTeam("Data Science", { identifier: "t-4242", members: ["ada"] })],
});
const refused = { code: "x", hint: "Write it so." };

test.each([
  [["user:adda"], "Did you mean user:ada@acme.example? Write it so."],
  [["team:data scence"], "Did you mean team:Data Science? Write it so."],
  [["user:ada", "team:Data Sience"], "Did you mean team:Data Science? Write it so."],
  [["user:ada", "team:data science"], "Write it so."],
  [["user:somebody.else.altogether"], "Write it so."],
])("of the selectors %j, what was meant is told where one means nothing", (written, hint) => {
  expect(suggestSelector(refused, written.map(selector), roster)).toEqual({ code: "x", hint });
});

const [a, b] = ["0123456789abcdef", "fedcba9876543210"];

test.each([
  ["nothing", [], undefined, []],
  ["an empty variable", [], " , ", []],
  ["a flag", [`max-new-users@${a}`], undefined, [anAllowance("max-new-users", a)]],
  [
    "several flags and a variable with commas and spaces, each word once",
    [`own-key@${a}`, `max-new-users@${a}`],
    `max-new-users@${a},max-new-users@${b}  near-duplicate@${b}`,
    [
      anAllowance("own-key", a),
      anAllowance("max-new-users", a),
      anAllowance("max-new-users", b),
      anAllowance("near-duplicate", b),
    ],
  ],
  [
    "exceptions of every kind",
    [`recreate:Ada@acme.example@${a}`, `absent:team:Data Science@${a}`, `absent:team:Data%20Science@0011aabb@${a}`],
    `retry:key:k1@${b} absent:member:Data%20Science/bo@acme.example@${b}`,
    [
      { exception: { is: "recreate", address: "ada@acme.example" }, plan: a },
      { exception: { is: "absent-team", team: "data science" }, plan: a },
      { exception: { is: "absent-creation", team: "data science", call: "0011aabb" }, plan: a },
      { exception: { is: "retry-key", prefix: "k1" }, plan: b },
      { exception: { is: "absent-member", team: "data science", address: "bo@acme.example" }, plan: b },
    ],
  ],
])("%s", (_, flags, variable, value) => {
  expect(readAllowances(flags, variable)).toEqual({ ok: true, value });
});

const nothing = "it names nothing that can be allowed";
const missing = "the plan id at its end is missing";
const usual = "WHAT@PLANID as `roster plan` prints it.";

test.each([
  ["a guard", `max-new-user@${a}`, nothing, "Did you mean max-new-users? "],
  ["a guard without a plan", "max-new-users", missing, ""],
  ["a guard of all plans", "max-new-users@all", nothing, ""],
  ["an exception without a plan", "recreate:ada@acme.example", missing, ""],
  ["a misspelt exception", `recrate:ada@acme.example@${a}`, nothing, "Did you mean recreate:EMAIL? "],
  ["a misspelt kind", `retry:usr:ada@acme.example@${a}`, nothing, "Did you mean retry:user:EMAIL? "],
  [
    "a kind that is missing",
    `retry:ada@acme.example@${a}`,
    nothing,
    "Did you mean retry:user:EMAIL or retry:key:PREFIX? ",
  ],
  [
    "a team and no call",
    `absent:team:Ops@call-1@${a}`,
    nothing,
    "Did you mean absent:team:NAME or absent:team:NAME@CALL? ",
  ],
  ["anything", `*@${a}`, nothing, ""],
])("%s is not understood", (_, text, why, perhaps) => {
  expect(readAllowances([text], undefined)).toEqual({
    ok: false,
    error: {
      reason: "invalid",
      diagnostics: [
        {
          code: "bad-flag-value",
          severity: "error",
          message: `--allow ${text} is not understood: ${why}.`,
          hint: `${perhaps}Write --allow ${usual}`,
        },
      ],
    },
  });
});

test("what the variable says is not understood by its own name", () => {
  const read = readAllowances([], `own-key@${a} everything`);
  expect(read).toMatchObject({
    error: {
      diagnostics: [{ message: `ROSTER_ALLOW everything is not understood: ${nothing}.`, hint: `Write ${usual}` }],
    },
  });
});
