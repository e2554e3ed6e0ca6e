import {
  acceptEntryOf,
  encodeAccepted,
  encodeAction,
  encodeBasis,
  encodeFinding,
  encodePlan,
  ownershipOf,
  placeOf,
  reasonOf,
} from "../../codec/plan.ts";
import type { Static, Written } from "../../model/declare.ts";
import {
  byDriftClass,
  type Coverage,
  type CoverageCount,
  type DriftItem,
  type OutsideChange,
  type Tasks,
} from "../../model/drift.ts";
import type { InSync } from "../../model/plan.ts";
import type { Capabilities } from "../../model/recorded.ts";
import type { Diagnostic } from "../../model/result.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { formatSubject } from "../../model/subject.ts";
import type { DoctorReport, SettingReport } from "../doctor/observations.ts";
import { noNames, planNames } from "../document/actions.ts";
import { type AuditReport, auditRows } from "../document/audit.ts";
import { fleetPart } from "../document/fleet.ts";
import {
  countPrivilegedGains,
  countTasks,
  coveragePercent,
  type DriftReport,
  remainingDrift,
  reportedItems,
} from "../drift.ts";
import type { ExplainedTarget, Explanation } from "../explain/explain.ts";
import type { Statement } from "../explain/facts.ts";
import type { CommandOutcome, PlanFileReport, Rendered } from "../outcome.ts";
import { jsonDocument } from "../safe.ts";
import type { explainedThing, OtherParts, PlanDocument } from "./document-format.ts";
import type { EventLine } from "./event-format.ts";
import { errorPart, runPart, statePart } from "./run-and-state.ts";

/** Fields are added within a major version, never changed or taken away. */
const formatVersion = "1.0";

/** One JSON document, however the command ended. Described by `schemas/plan.schema.json`. */
export function jsonFormat(outcome: CommandOutcome): Rendered {
  return { stdout: jsonDocument(documentOf(outcome)) };
}

function documentOf(outcome: CommandOutcome): Written<PlanDocument> {
  const { plan, run } = outcome;
  return {
    format_version: formatVersion,
    command: outcome.command,
    ...(plan === undefined ? {} : encodePlan(plan)),
    ...otherParts(outcome),
    run: run && runPart(run, plan === undefined ? noNames : planNames(plan)),
    drift: outcome.drift && driftPart(outcome.drift),
    log_head: outcome.head && { ...outcome.head },
    diagnostics: outcome.diagnostics.map(diagnosticPart),
    error: outcome.problem === undefined ? null : errorPart(outcome.problem),
    exit_code: outcome.exitCode,
  };
}

/** What a command shows besides a plan, a run and a drift, under the published names. */
export function otherParts(outcome: CommandOutcome): Written<OtherParts> {
  return {
    roster: outcome.roster && { ...outcome.roster },
    reading: outcome.reading && readingPart(outcome.reading),
    from_snapshot: outcome.reading?.kept && snapshotPart(outcome.reading.kept),
    plan_file: outcome.planFile && planFilePart(outcome.planFile),
    examination: outcome.examination && doctorPart(outcome.examination),
    state: outcome.state && statePart(outcome.state),
    audit: outcome.audit && auditPart(outcome.audit),
    explanation: outcome.explanation && explanationPart(outcome.explanation),
    fleet: outcome.fleet && fleetPart(outcome.fleet),
  };
}

function readingPart({ service, readAt, everyone, capabilities, readings }: ReadSummary) {
  const reads = readings.size === 0 ? undefined : readsPart(readings);
  return { service, read_at: readAt, reads, everyone, capabilities: capabilitiesPart(capabilities) };
}

function snapshotPart({ madeAt }: NonNullable<ReadSummary["kept"]>) {
  return { made_at: madeAt };
}

function capabilitiesPart({ keysOnUsers, rolesOnKeys, teamsOnKeys, titles, totals, paging }: Capabilities) {
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

function doctorPart({ service, settings, checks, capabilities }: DoctorReport) {
  const shown = checks.map(({ check, mark, asked, came, means }) => ({ check, mark, asked, came, means }));
  return {
    service: service ?? null,
    settings: settings.map(settingPart),
    checks: shown,
    capabilities: capabilities === undefined ? null : capabilitiesPart(capabilities),
  };
}

export function diagnosticPart({ code, severity, message, hint, place, excerpt }: Diagnostic) {
  return { code, severity, message, hint, place: place && placeOf(place), excerpt };
}

/** In what the service and the roster differ, under the published names. */
export function driftPart(report: DriftReport) {
  const { drift, shows, record } = report;
  const items = reportedItems(report);
  return {
    classes: byDriftClass((name) => items.filter((item) => item.class === name).length),
    coverage: coveragePart(drift.coverage),
    only_new: shows === "what-is-new",
    ...remainingDrift(report),
    privileged_gains: countPrivilegedGains(report),
    tasks: tasksPart(report.tasks),
    items: items.map(driftItemPart),
    unused_accepts: drift.unusedAccepts.map(acceptEntryOf),
    recorded: record.is === "recorded" || record.is === "known",
    not_recorded_because: record.is === "not-recorded" ? record.why : undefined,
  };
}

/** What of it is left to people, and what of that this read shows to be done. */
function tasksPart(tasks: Tasks) {
  return {
    ...countTasks(tasks),
    items: tasks.open.map(({ fingerprint, since, owner }) => ({ fingerprint, since, owner })),
    closed_items: tasks.closed.map((one) => ({ ...one })),
  };
}

/** The same in lines: all but the items, then each of them. */
export function driftLineParts(report: DriftReport): readonly Written<EventLine>[] {
  const { items: _, ...rest } = driftPart(report);
  return [
    { type: "drift", ...rest },
    ...reportedItems(report).map((item): Written<EventLine> => ({ type: "drift_item", ...driftItemPart(item) })),
  ];
}

function driftItemPart(item: DriftItem) {
  const { fingerprint, class: ofClass, code, subject, counts, of, outside, since, accept, accepted } = item;
  return {
    fingerprint,
    class: ofClass,
    code,
    subject: formatSubject(subject),
    counts,
    since: since ?? null,
    new: since === undefined,
    action: of.is === "action" ? of.action : undefined,
    person: of.is === "action" ? of.person : undefined,
    owner: item.owner,
    ownership: ownershipOf(item.ownership),
    outside_changes: outside?.map(outsideChangePart),
    accept: accept && { ...accept },
    accepted: accepted && encodeAccepted(accepted),
  };
}

function outsideChangePart({ is, person, team, key, gained, lost, privileged, to, fields }: OutsideChange) {
  return {
    change: is,
    email: person?.email,
    team,
    key: key?.prefix,
    own_key: key?.isOwn,
    gained,
    lost,
    privileged_gained: privileged,
    to,
    fields,
  };
}

function coveragePart({ users, teams, keys }: Coverage) {
  return { users: coveredPart(users), teams: teams && coveredPart(teams), keys: keys && coveredPart(keys) };
}

function coveredPart(covered: CoverageCount) {
  return { shown: covered.shown, named: covered.named, percent: coveragePercent(covered) ?? null };
}

function auditPart(report: AuditReport) {
  if (report.did === "verify") return { ...report };
  return { did: report.did, address: report.address, changes: auditRows(report.runs) };
}

function settingPart({ name, value, from }: SettingReport) {
  const source = from.kind === "settings" ? { ...from, place: placeOf(from.place) } : from;
  return { name, value, from: source };
}

/** The same, under the published names. */
export function explanationPart(explanation: Explanation): Written<OtherParts["explanation"]> {
  if (explanation.of === "codes") {
    const codes = explanation.codes.map(({ code, kind, about, title, means, next, example, exitCodes }) => {
      return { code, kind, about, title, means, next, example, exit_codes: exitCodes };
    });
    return { codes, things: [] };
  }
  return { codes: [], things: explanation.things.map(targetPart) };
}

function targetPart(thing: ExplainedTarget): Written<Static<typeof explainedThing>> {
  const { is, name, from, plan, readings } = thing;
  return {
    is,
    name,
    from: from === "the service" ? "service" : "saved-plan",
    plan_id: plan.id,
    refused: thing.refused,
    roster: thing.roster.map(statementPart),
    service: thing.service.map(statementPart),
    state: thing.state.map(statementPart),
    actions: thing.actions.map(({ action, neededBy }) => ({ ...encodeAction(action), needed_by: neededBy })),
    findings: thing.findings.map(encodeFinding),
    in_sync: thing.inSync.map(inSyncPart),
    unasked: thing.unasked.map(statementPart),
    reads: readsPart(readings),
  };
}

/** When each read began, and what it asked. */
export function readsPart(readings: ExplainedTarget["readings"]) {
  return [...readings].map(([read, { at, request }]) => ({ read, at, request }));
}

function statementPart({ says, place, because, by, at }: Statement) {
  return { says, place: place && placeOf(place), because: because?.map(reasonOf), by, at };
}

function inSyncPart({ says, basis, because }: InSync) {
  return {
    says,
    because: because.map(reasonOf),
    rests_on: basis === undefined ? [] : [encodeBasis(basis)],
  };
}

/** A plan file that was written, shown or applied, under the published names. */
export function planFilePart({ path, file, digest }: PlanFileReport) {
  const { roster, state, readAt } = file.basis;
  return {
    path,
    file: file.id,
    digest,
    made_at: file.madeAt,
    made_by: file.madeBy,
    expires_at: file.expiresAt,
    roster_digest: roster.digest,
    state: state === "none" ? null : { lineage: state.lineage, serial: state.serial },
    read_at: readAt,
    words: file.policy.words,
  };
}
