import { expect, test } from "vitest";
import { defaultGuards, readAllowances, readPolicy, suggestSelector } from "../../../src/library/policy.ts";
import { selector } from "../../support/plan-inputs.ts";
import { aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { errorOf } from "../../support/settled.ts";

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

const [a, b] = ["0123456789ab", "fedcba987654"];

test.each([
  ["nothing", [], undefined, []],
  ["an empty variable", [], " , ", []],
  ["a flag", [`max-new-users#${a}`], undefined, [{ of: "max-new-users", about: "", digits: a }]],
  [
    "several flags and a variable with commas and spaces, each code once",
    [`min-admins#${a}`, `max-new-users#${a}`],
    `max-new-users#${a},max-new-users#${b}  near-duplicate:bo@acme.example#${b}`,
    [
      { of: "min-admins", about: "", digits: a },
      { of: "max-new-users", about: "", digits: a },
      { of: "max-new-users", about: "", digits: b },
      { of: "near-duplicate", about: "bo@acme.example", digits: b },
    ],
  ],
  [
    "codes about users, teams, members and keys, also without digits",
    [`user-missing:Ada@acme.example#${a}`, `unproven-absence:Data Science#${a}`, "unknown-outcome:Data%20Science#"],
    `refused:k1#${b} unproven-absence:Data%20Science/bo@acme.example#${b} max-new-users`,
    [
      { of: "user-missing", about: "Ada@acme.example", digits: a },
      { of: "unproven-absence", about: "Data Science", digits: a },
      { of: "unknown-outcome", about: "Data Science", digits: "" },
      { of: "refused", about: "k1", digits: b },
      { of: "unproven-absence", about: "Data Science/bo@acme.example", digits: b },
      { of: "max-new-users", about: "", digits: "" },
    ],
  ],
])("%s", (_, flags, variable, value) => {
  expect(readAllowances(flags, variable)).toEqual(value);
});

const nothing = "no task or guard has this name";
const incomplete = "it must end with `#` and 12 hexadecimal digits";
const write = "Write --allow CODE as `roster plan` prints it.";
const correct = "Correct the roster, or the guard in the settings file.";

test.each([
  ["a misspelt guard", `max-new-user#${a}`, nothing, "Did you mean max-new-users?"],
  ["a misspelt finding", `user-mising:ada@acme.example#${a}`, nothing, "Did you mean user-missing?"],
  ["the ID of a plan", "max-new-users@0123456789abcdef", incomplete, write],
  ["digits that are too few", "max-new-users#0123", incomplete, write],
  ["digits of another kind", "max-new-users#0123456789AB", incomplete, write],
  ["more than a code", `max-new-users#${a}0`, incomplete, write],
  ["a guard that nobody can overrule", `own-key#${a}`, "nobody can allow what the guard own-key holds", correct],
  ["another one", "protected:bo@acme.example", "nobody can allow what the guard protected holds", correct],
  ["anything", `*#${a}`, nothing, write],
])("%s is not understood", async (_, text, why, hint) => {
  const { reason, code, message, hint: advice } = await errorOf(() => readAllowances([text], undefined));
  expect({ reason, code, message, advice }).toEqual({
    reason: "invalid",
    code: "bad-flag-value",
    message: `--allow ${text} is not understood: ${why}.`,
    advice: hint,
  });
});

test("what the variable says is not understood by its own name", async () => {
  expect(await errorOf(() => readAllowances([], `min-admins#${a} everything`))).toMatchObject({
    message: `ROSTER_ALLOW everything is not understood: ${nothing}.`,
    hint: "Write CODE as `roster plan` prints it.",
  });
});

test("a guard that a program sets to `undefined` has its default", () => {
  const guards = { maxNewUsers: undefined, allowedEmailDomains: undefined, protect: undefined } as never;
  expect(readPolicy({ guards }).guards).toEqual(defaultGuards);
});
