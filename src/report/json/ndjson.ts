import type { JsonObject } from "../../codec/document.ts";
import { encodeAction, encodeFinding, encodeNames, planSummary } from "../../codec/plan.ts";
import { formatExitCode } from "../../codes/catalogue.ts";
import { countOutcomes } from "../../log/summary.ts";
import type { ActionId } from "../../model/action.ts";
import type { Written } from "../../model/declare.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { PlanNames } from "../document/actions.ts";
import { actionName } from "../document/actions.ts";
import { countPrivilegedGains, remainingDrift } from "../drift.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { jsonLine } from "../safe.ts";
import type { EventLine } from "./event-format.ts";
import { diagnosticPart, driftLineParts, otherParts } from "./json.ts";
import { errorPart, learnedPart } from "./run-and-state.ts";

/** Fields and types of lines are added within a major version, never changed or taken away. */
const formatVersion = "1.0";

/**
 * One JSON value a line: what was not written as lines while it happened, and last the summary. Described by
 * `schemas/events.schema.json`.
 */
export function ndjsonFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  return { stdout: partsOf(outcome, options).map(jsonLine).join("") };
}

function partsOf(outcome: CommandOutcome, { streamed, version }: RenderOptions): readonly JsonObject[] {
  const { plan, drift } = outcome;
  return [
    ...(streamed === undefined ? [versionPart(outcome.command, version)] : []),
    ...(plan === undefined || streamed?.plan === plan.id ? [] : plannedParts(plan)),
    ...(drift === undefined ? [] : driftLineParts(drift)),
    ...restParts(outcome),
    ...outcome.diagnostics.map((diagnostic) => ({ type: "diagnostic", ...diagnosticPart(diagnostic) })),
    ...(outcome.problem === undefined ? [] : [{ type: "problem", ...errorPart(outcome.problem) }]),
    closingPart(outcome),
  ];
}

/** All else that the JSON document has, a line for each of its parts. */
function restParts(outcome: CommandOutcome): readonly JsonObject[] {
  return Object.entries(otherParts(outcome)).flatMap(([type, part]) => (part === undefined ? [] : [{ type, ...part }]));
}

function closingPart({
  command,
  exitCode,
  plan,
  run,
  drift,
  diagnostics,
  problem,
}: CommandOutcome): Written<EventLine> {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return {
    type: "summary",
    command,
    exit_code: exitCode,
    means: formatExitCode(exitCode),
    plan_id: plan?.id,
    plan: plan && planSummary(plan),
    run: run && {
      run: run.run,
      counts: countOutcomes(run),
      verified: run.verified?.result,
      ended: run.ended?.ended,
    },
    drift: drift && { ...remainingDrift(drift), privileged_gains: countPrivilegedGains(drift) },
    errors,
    warnings: diagnostics.length - errors,
    problem: problem?.code,
  };
}

/** The first line of every stream. Where the command line was not understood, `command` is `roster`. */
export function versionPart(command: CommandOutcome["command"], version: string | undefined): Written<EventLine> {
  return { type: "version", format_version: formatVersion, roster: version, command };
}

/** A plan in numbers, then each of its actions and findings. */
export function plannedParts(plan: Plan): readonly Written<EventLine>[] {
  return [
    { type: "planned", plan_id: plan.id, service: plan.service, ...planSummary(plan), ...encodeNames(plan) },
    ...plan.actions.map((action): Written<EventLine> => ({ type: "planned_action", ...encodeAction(action) })),
    ...plan.findings.map((finding): Written<EventLine> => ({ type: "finding", ...encodeFinding(finding) })),
  ];
}

/** An event of a run, under the published names; what only the log needs is counted. */
export function eventPart(event: RunEvent, names: PlanNames): Written<EventLine> {
  const { at } = event;
  switch (event.type) {
    case "run-started":
      return {
        type: "run_started",
        at,
        run: event.run,
        plan_id: event.plan,
        service: event.service,
        actions: event.actions,
      };
    case "sequenced":
      return { type: "sequenced", at, sequence: event.sequence };
    case "plan-file-begun":
      return { type: "plan_file_begun", at, file: event.file };
    case "roster-applied":
      return { type: "roster_applied", at, digest: event.digest, people: event.people.length };
    case "records-moved":
      return { type: "records_moved", at, people: event.people.length, teams: event.teams.length };
    case "users-observed":
      return { type: "users_observed", at, people: event.people.length, teams: event.teams.length };
    case "access-seen":
      return {
        type: "access_seen",
        at,
        users: event.users.length,
        members: event.members.length,
        keys: event.keys.length,
      };
    case "epoch-started":
      return { type: "epoch_started", at, service: event.service };
    case "service-learned":
      return { type: "service_learned", at, service: event.service };
    case "writes-learned": {
      const { throttling, membersNamedBy } = event.writes;
      return { type: "writes_learned", at, throttling, members_named_by: membersNamedBy };
    }
    case "allowances-used":
      return {
        type: "allowances_used",
        at,
        allowances: event.allowances.map(({ code, covers }) => ({ code, covers: covers.length })),
      };
    case "findings-seen":
      return { type: "findings_seen", at, seen: event.seen.length, gone: event.gone.length };
    case "key-learned":
      return {
        type: "key_learned",
        at,
        email: names.email(event.address),
        address: event.address,
        team: event.team,
        team_name: event.team && names.team(event.team),
        prefix: event.prefix,
      };
    case "team-identified":
      return {
        type: "team_identified",
        at,
        team: event.team,
        name: event.name,
        account: event.account,
        identifier: event.identifier,
      };
    case "key-read":
      return { type: "key_read", at, prefix: event.prefix, roles: event.roles };
    case "found":
      return { type: "found", at, finding: encodeFinding(event.finding) };
    case "waiting":
      return { type: "waiting", at, milliseconds: event.milliseconds, why: event.why };
    case "verified":
      return { type: "verified", at, result: event.result, remarks: event.remarks };
    case "run-finished":
      return { type: "run_finished", at, ended: event.ended, why: event.why, access_refused: event.accessRefused };
    default:
      return actionEventPart(event, names);
  }
}

type ActionEvent = Extract<RunEvent, { readonly action: ActionId }>;

function actionEventPart(event: ActionEvent, names: PlanNames): Written<EventLine> {
  const about = { at: event.at, ...namedAction(event.action, names) };
  switch (event.type) {
    case "intended":
      return { type: "intended", ...about, until: event.until };
    case "succeeded":
      return { type: "succeeded", ...about, learned: learnedPart(event.learned) };
    case "settled":
      return {
        type: "settled",
        ...about,
        run: event.run,
        done: event.as.done,
        unproven: event.as.done ? undefined : event.as.unproven,
        learned: event.as.done ? learnedPart(event.as.learned) : undefined,
        except: event.except?.map(names.email),
      };
    case "member-refused":
      return { type: "member_refused", ...about, email: names.email(event.address), error: errorPart(event.failure) };
    case "declined":
      return { type: "declined", ...about, error: errorPart(event.failure) };
    case "failed":
      return { type: "failed", ...about, error: errorPart(event.failure) };
    case "unknown-outcome":
      return {
        type: "unknown_outcome",
        ...about,
        error: errorPart(event.failure),
        accepted: event.accepted,
        decided_from: event.decidedFrom,
      };
    case "skipped":
      return { type: "skipped", ...about, why: event.why, cause: event.cause };
    case "stale":
      return { type: "stale", ...about, why: event.why };
    case "unneeded":
      return { type: "unneeded", ...about, why: event.why };
  }
}

function namedAction(id: ActionId, names: PlanNames) {
  const action = names.action(id);
  return { action: id, name: action && actionName(action, names) };
}
