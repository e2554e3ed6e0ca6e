import { expect, test } from "vitest";
import { allowanceCommand } from "../../../../src/report/document/findings.ts";
import { planLines } from "../../../../src/report/document/plan.ts";
import { plain } from "../../../../src/report/outcome.ts";
import { renderLines } from "../../../../src/report/text/lines.ts";
import { aPlanInput, aState, planned } from "../../../support/plan-inputs.ts";
import { addressOf, aRoster, aUser } from "../../../support/roster-builders.ts";

const address = addressOf("ada");
const record = { address, email: "ada@acme.example", account: "acc-1", createdAt: "2026-11-01T00:00:00.000Z" };
const roster = aRoster({ users: [aUser("ada")] });
const plan = planned(aPlanInput({ roster, state: aState({ users: new Map([[address, record]]) }) }));
const repeats = ["roster.yaml", "--include", "user:ada@acme.example"];

test("the command that allows what is left repeats paths, selection and what is allowed already", () => {
  const [word = ""] = plan.findings.flatMap(({ allow = [] }) => allow);
  expect(word).toMatch(/^user-missing:ada@acme\.example#[0-9a-f]{12}$/u);
  const allowed = ["refused:bo@acme.example#0123456789ab", word].map((code) => ({ code, covers: ["user"] }));
  expect(allowanceCommand({ ...plan, allowed }, repeats)).toEqual({
    what: "it",
    line: `roster apply roster.yaml --include user:ada@acme.example --allow refused:bo@acme.example#0123456789ab --allow ${word}`,
  });
  expect(renderLines(planLines(plan, { repeats }), plain)).toContain(
    `  roster apply roster.yaml --include user:ada@acme.example --allow ${word}\n`,
  );
});
