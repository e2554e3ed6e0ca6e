import { expect, test } from "vitest";
import { plain } from "../../../../src/report/document/tree.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { addressOf } from "../../../support/roster-builders.ts";

const at = "2026-11-20T06:00:00.000Z";

test("a code that was allowed stands once: with what it covered, or in the head of its run where nothing needed it", () => {
  const used = "privileged-roles:ada@acme.example#0123456789ab";
  const covers = ["ada@acme.example gains ACCOUNT_ADMIN"];
  const run = {
    run: "r-1",
    start: { kind: "run-started", at, run: "r-1", command: "apply", allowed: [used, "max-new-users#0123456789ab"] },
    plan: "9f8e",
    ended: "completed",
    entries: [
      {
        position: 3,
        entry: { kind: "allowance-used", at, run: "r-1", code: used, covers, person: addressOf("ada") },
      },
    ],
  } as const;
  const audit = { did: "show", address: "file:log.jsonl", runs: [run] } as const;
  const outcome = { command: "audit", exitCode: 0, diagnostics: [], audit } as const;
  expect(textFormat(outcome, { paint: plain }).stdout).toBe(`2026-11-20T06:00:00.000Z, apply
  run r-1
  plan 9f8e
  allowed max-new-users#0123456789ab
  allowed ${used}, which covers: ada@acme.example gains ACCOUNT_ADMIN
`);
});
