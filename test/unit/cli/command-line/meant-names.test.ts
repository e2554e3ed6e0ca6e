import { expect, test } from "vitest";
import { suggestMember, suggestSelector } from "../../../../src/cli/command-line/meant-names.ts";
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
