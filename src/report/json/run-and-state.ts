import { encodeFinding, encodeProfile } from "../../codec/plan.ts";
import { type ActionOutcome, countOutcomes, type LearnedKey, type RunSummary } from "../../log/summary.ts";
import type { AddedMember, LearnedOutcome } from "../../model/event.ts";
import type { Intent } from "../../model/recorded.ts";
import type { Problem } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import type { PlanNames } from "../document/actions.ts";
import { formatIntent, type OpenCall, type StateReport } from "../document/state.ts";

/** What a run came to, under the published names. */
export function runPart(run: RunSummary, names: PlanNames) {
  return {
    run: run.run,
    started_at: run.startedAt,
    outcomes: [...run.outcomes].map(([action, outcome]) => ({
      action,
      ...outcomePart(outcome),
      retries: run.retries.get(action),
    })),
    counts: countOutcomes(run),
    keys: run.keys.map((key) => learnedKeyPart(key, names)),
    findings: run.findings.map(encodeFinding),
    verified: run.verified && { at: run.verified.at, result: run.verified.result, remarks: run.verified.remarks },
    ended: run.ended && { at: run.ended.at, how: run.ended.ended, why: run.ended.why },
    ...(run.retry === undefined ? {} : { retry: run.retry }),
  };
}

/** What stood in the way, under the published names. */
export function errorPart({ code, message, request, status, serviceSays, hint, allow }: Problem) {
  return { code, message, request, status, service_says: serviceSays, hint, allow };
}

function outcomePart(outcome: ActionOutcome) {
  switch (outcome.is) {
    case "succeeded":
      return { outcome: outcome.is, learned: learnedPart(outcome.learned) };
    case "failed":
    case "unknown":
      return { outcome: outcome.is, error: errorPart(outcome.failure) };
    case "skipped":
      return { outcome: outcome.is, why: outcome.why, cause: outcome.cause };
    case "stale":
    case "unneeded":
      return { outcome: outcome.is, why: outcome.why };
  }
}

/** What an answer has shown, under the published names. */
export function learnedPart(learned: LearnedOutcome) {
  switch (learned.kind) {
    case "create-user": {
      const { kind, address, was, identifier, prefix, roles, answered, teamIdentifier: team_identifier } = learned;
      return { kind, address, was, identifier, prefix, roles, answered: encodeProfile(answered), team_identifier };
    }
    case "add-members":
      return { kind: learned.kind, team: learned.team, members: learned.members.map(addedMemberPart) };
    case "replace-roles":
      return { kind: learned.kind, prefix: learned.prefix, roles: learned.roles };
  }
}

function addedMemberPart({ address, outcome, prefix, roles }: AddedMember) {
  return {
    address,
    added: outcome.added,
    error: outcome.added ? undefined : errorPart(outcome.failure),
    prefix,
    roles,
  };
}

function learnedKeyPart({ address, team, prefix }: LearnedKey, names: PlanNames) {
  return { email: names.email(address), address, team, team_name: team && names.team(team), prefix };
}

/** What a subcommand of `roster state` came to, as a part of its JSON document. */
export function statePart(report: StateReport) {
  switch (report.did) {
    case "look-at-lock":
    case "unlock":
      return { ...report, holder: report.holder === "nobody" ? null : lockHolderPart(report.holder) };
    case "list-calls":
      return { ...report, calls: report.calls.map(openCallPart) };
    case "resolve": {
      const { open, stillOpenFor, ...rest } = report;
      return { ...rest, call: formatIntent(open.intent), still_open_for: stillOpenFor };
    }
    case "copy":
    case "set-endpoint":
    case "prune":
    case "rebuild":
      return { ...report };
  }
}

function lockHolderPart({ id, who, operation, since, silentFor, fence }: LockHolder) {
  const silent = silentFor === undefined ? {} : { silent_for: Math.round(silentFor) };
  return { id, who, operation, since, ...silent, fence };
}

function openCallPart({ id, open, why }: OpenCall) {
  const { run, action, at, accepted, intent } = open;
  const call = formatIntent(intent);
  return {
    id,
    run,
    action,
    at,
    accepted: accepted === true,
    kind: intent.kind,
    people: intentPeople(intent),
    call,
    why,
  };
}

function intentPeople(intent: Intent): readonly string[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.email];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return [];
  }
}
