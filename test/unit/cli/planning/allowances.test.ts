import { expect, test } from "vitest";
import { readAllowances } from "../../../../src/cli/planning/allowances.ts";

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
