import { planFieldsOf } from "../../codec/plan.ts";
import { countOutcomes, type RunSummary } from "../../log/summary.ts";
import { publish, type Written } from "../../model/declare.ts";
import { noNames, type PlanNames, planNames } from "../document/actions.ts";
import { auditRows } from "../document/audit.ts";
import { fleetPart } from "../document/fleet.ts";
import { formatIntent, type OpenCall, type StateReport } from "../document/state.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { jsonDocument } from "../safe.ts";
import { type OtherParts, planDocument } from "./document-format.ts";

/** Fields are added within a major version, never changed or taken away. */
export const formatVersion = "1.0";

/** One JSON document, however the command ended. Described by `schemas/plan.schema.json`. */
export function jsonFormat(outcome: CommandOutcome): Rendered {
  const { command, plan, run, drift, head, diagnostics, problem, exitCode } = outcome;
  const document = publish(planDocument, {
    formatVersion,
    command,
    ...(plan === undefined ? {} : planFieldsOf(plan)),
    ...otherPartsOf(outcome),
    run: run && runPart(run, plan === undefined ? noNames : planNames(plan)),
    drift,
    logHead: head,
    diagnostics,
    error: problem,
    exitCode,
  });
  return { stdout: jsonDocument(document) };
}

/** What a command shows besides a plan, a run and a drift. */
export function otherPartsOf(outcome: CommandOutcome): Written<OtherParts> {
  const { roster, reading, planFile, examination, state, audit, explanation, fleet } = outcome;
  return {
    roster,
    reading,
    fromSnapshot: reading?.kept,
    planFile,
    examination,
    state: state && statePart(state),
    audit: audit?.did === "show" ? { ...audit, changes: auditRows(audit.runs) } : audit,
    explanation,
    fleet: fleet && fleetPart(fleet),
  };
}

/** What a run came to. */
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

/** What a subcommand of `roster state` came to. */
function statePart(report: StateReport) {
  switch (report.did) {
    case "look-at-lock":
    case "unlock": {
      const { holder } = report;
      if (holder === "nobody") return { ...report, holder: undefined };
      const { silentFor } = holder;
      return { ...report, holder: { ...holder, silentFor: silentFor && Math.round(silentFor) } };
    }
    case "list-calls":
      return { ...report, calls: report.calls.map(openCallPart) };
    case "resolve":
      return { ...report, call: formatIntent(report.open.intent) };
    case "copy":
    case "set-endpoint":
    case "prune":
    case "rebuild":
      return report;
  }
}

function openCallPart({ open, ...call }: OpenCall) {
  const { intent } = open;
  return {
    ...open,
    ...call,
    accepted: open.accepted === true,
    kind: intent.kind,
    people: intent.kind === "create-user" ? [intent.email] : intent.kind === "add-members" ? intent.addresses : [],
    call: formatIntent(intent),
  };
}
