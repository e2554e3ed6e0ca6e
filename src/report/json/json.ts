import { publish } from "../../codec/publish.ts";
import { countOutcomes, type RunSummary } from "../../log/summary.ts";
import { planFieldsOf } from "../../model/plan.ts";
import { auditRows } from "../document/audit.ts";
import { namesOf, type PlanNames } from "../document/names.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { jsonDocument } from "../safe.ts";
import { type OtherParts, planDocument } from "./document-format.ts";

/** Fields are added within a major version, never changed or taken away. */
export const formatVersion = "1.0";

/** However the command ended. Described by `schemas/plan.schema.json`. */
export function jsonFormat(outcome: CommandOutcome): Rendered {
  const { command, plan, run, drift, head, diagnostics, problem, exitCode } = outcome;
  const document = publish(planDocument, {
    formatVersion,
    command,
    ...(plan === undefined ? {} : planFieldsOf(plan)),
    ...otherPartsOf(outcome),
    run: run && runPart(run, namesOf(plan)),
    drift,
    logHead: head,
    diagnostics,
    error: problem,
    exitCode,
  });
  return { stdout: jsonDocument(document) };
}

/** With other fields, which are not declared there and so are not written. */
export function otherPartsOf(outcome: CommandOutcome): OtherParts {
  const { reading, audit } = outcome;
  const changes = audit?.did === "show" ? { ...audit, changes: auditRows(audit.runs) } : audit;
  return { ...outcome, fromSnapshot: reading?.kept, audit: changes };
}

function runPart(run: RunSummary, names: PlanNames) {
  return {
    ...run,
    outcomes: [...run.outcomes].map(([action, ended]) => ({ ...ended, action, retries: run.retries.get(action) })),
    counts: countOutcomes(run),
    keys: run.keys.map((key) => {
      return { ...key, email: names.email(key.address), teamName: key.team && names.team(key.team) };
    }),
    ended: run.ended && { ...run.ended, how: run.ended.ended },
  };
}
