import { expect, test } from "vitest";
import { readAllowances, suggestMember, suggestSelector } from "../../../../src/cli/planning/policy-flags.ts";
import { selector } from "../../../support/plan-inputs.ts";
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

test.each([
  ["aba@acme.example", "Data Science", "Did you mean ada@acme.example? Write it so."],
  ["ada@acme.example", "Dta Science", "Did you mean Data Science? Write it so."],
  ["ADA@acme.example", "data science", "Write it so."],
  ["ada@acme.example", "t-4224", "Did you mean t-4242? Write it so."],
])("of %s in %s, what was meant is told where the roster has none of the name", (email, team, hint) => {
  expect(suggestMember(refused, { email, team }, roster)).toEqual({ code: "x", hint });
});

const [a, b] = ["0123456789abcdef", "fedcba9876543210"];

test.each([
  ["nothing", [], undefined, []],
  ["an empty variable", [], " , ", []],
  ["a flag", [`max-new-users@${a}`], undefined, [{ guard: "max-new-users", plan: a }]],
  [
    "several flags and a variable with commas and spaces, each word once",
    [`own-key@${a}`, `max-new-users@${a}`],
    `max-new-users@${a},max-new-users@${b}  near-duplicate@${b}`,
    [
      { guard: "own-key", plan: a },
      { guard: "max-new-users", plan: a },
      { guard: "max-new-users", plan: b },
      { guard: "near-duplicate", plan: b },
    ],
  ],
])("%s", (_, flags, variable, value) => {
  expect(readAllowances(flags, variable)).toEqual({ ok: true, value });
});

const usual = "Write GUARD@PLANID, just as the finding or the refusal of the plan in question names it.";

test.each([
  ["--allow", [`max-new-user@${a}`], undefined, `max-new-user@${a}`, `Did you mean max-new-users? ${usual}`],
  ["--allow", ["max-new-users"], undefined, "max-new-users", usual],
  ["--allow", ["max-new-users@all"], undefined, "max-new-users@all", usual],
  ["--allow", [`*@${a}`], undefined, `*@${a}`, usual],
  ["ROSTER_ALLOW", [], `own-key@${a} everything`, "everything", usual],
])("%s %j %j is not understood", (from, flags, variable, text, hint) => {
  expect(readAllowances(flags, variable)).toEqual({
    ok: false,
    error: {
      reason: "invalid",
      diagnostics: [{ code: "bad-allowance", severity: "error", message: `${from} ${text} is not understood.`, hint }],
    },
  });
});
