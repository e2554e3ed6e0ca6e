import type { Capabilities } from "../model/capabilities.ts";
import type { Diagnostic } from "../model/result.ts";
import { configPart } from "./config/config-json.ts";
import type { DoctorReport } from "./doctor/seen.ts";
import { driftPart } from "./drift/drift-json.ts";
import { explanationPart, readsPart } from "./explain/explanation-json.ts";
import { formattingPart } from "./fmt/formatting.ts";
import type { CommandOutcome, ReadSummary, Rendered } from "./outcome.ts";
import type { PlanFileReport } from "./plan-file-told.ts";
import { type JsonPart, placePart, planPart } from "./plan-json.ts";
import { noNames, planNames } from "./plan-names.ts";
import { rehearsalPart } from "./rehearsal/rehearsal-json.ts";
import { errorPart, runPart } from "./run-json.ts";
import { safeJson } from "./safe.ts";
import { statePart } from "./state/state-json.ts";

/** Fields are added within a major version, never changed or taken away. */
const formatVersion = "1.0";

/** One JSON document, however the command ended. Described by `schemas/plan.schema.json`. */
export function jsonFormat(outcome: CommandOutcome): Rendered {
  const json = JSON.stringify(documentOf(outcome), null, 2);
  return { stdout: `${safeJson(json)}\n` };
}

function documentOf(outcome: CommandOutcome): JsonPart {
  const { plan, run } = outcome;
  return {
    format_version: formatVersion,
    command: outcome.command,
    ...(plan === undefined ? {} : planPart(plan)),
    ...otherParts(outcome),
    run: run && runPart(run, plan === undefined ? noNames : planNames(plan)),
    drift: outcome.drift && driftPart(outcome.drift),
    diagnostics: outcome.diagnostics.map(diagnosticPart),
    error: outcome.problem === undefined ? null : errorPart(outcome.problem),
    exit_code: outcome.exitCode,
  };
}

/** What a command tells beside a plan, a run and a drift, by the published names. */
export function otherParts(outcome: CommandOutcome): Readonly<Record<string, JsonPart | undefined>> {
  return {
    roster: outcome.roster && { ...outcome.roster },
    reading: outcome.reading && readingPart(outcome.reading),
    from_snapshot: outcome.reading?.kept && snapshotPart(outcome.reading.kept),
    rehearsal: outcome.rehearsal && rehearsalPart(outcome.rehearsal),
    plan_file: outcome.planFile && planFilePart(outcome.planFile),
    examination: outcome.examination && doctorPart(outcome.examination),
    state: outcome.state && statePart(outcome.state),
    config: outcome.config && configPart(outcome.config),
    explanation: outcome.explanation && explanationPart(outcome.explanation),
    formatting: outcome.formatting && formattingPart(outcome.formatting),
  };
}

function readingPart({ service, readAt, everyone, capabilities, readings }: ReadSummary): JsonPart {
  const reads = readings.size === 0 ? undefined : readsPart(readings);
  return { service, read_at: readAt, reads, everyone, capabilities: capabilitiesPart(capabilities) };
}

function snapshotPart({ madeAt, addresses }: NonNullable<ReadSummary["kept"]>): JsonPart {
  return { made_at: madeAt, hashed: addresses === "hashed" };
}

function capabilitiesPart({ keysOnUsers, rolesOnKeys, teamsOnKeys, titles, totals, paging }: Capabilities): JsonPart {
  return {
    keys_on_users: keysOnUsers,
    roles_on_keys: rolesOnKeys,
    teams_on_keys: teamsOnKeys,
    titles,
    totals,
    first_page: paging.firstPage,
    largest_page: paging.largestPage ?? null,
  };
}

function planFilePart({ path, file }: PlanFileReport): JsonPart {
  const { roster, state, readAt } = file.basis;
  return {
    path,
    file: file.id,
    made_at: file.madeAt,
    made_by: file.madeBy,
    expires_at: file.expiresAt,
    roster_digest: roster.digest,
    state: state === "none" ? null : { lineage: state.lineage, serial: state.serial },
    read_at: readAt,
    words: file.policy.words,
  };
}

function doctorPart({ service, checks, capabilities }: DoctorReport): JsonPart {
  const told = checks.map(({ check, mark, asked, came, means }) => ({ check, mark, asked, came, means }));
  return { service, checks: told, capabilities: capabilities === undefined ? null : capabilitiesPart(capabilities) };
}

export function diagnosticPart({ code, severity, message, hint, place, excerpt }: Diagnostic): JsonPart {
  return { code, severity, message, hint, place: place && placePart(place), excerpt };
}
