import type { JsonObject } from "../../codec/mapping.ts";
import { actionFields, findingFields } from "../../codec/plan.ts";
import { type ActionOutcome, countOutcomes, type LearnedKey, type RunSummary } from "../../journal/summary.ts";
import type { Profile } from "../../model/action.ts";
import type { AddedMember, LearnedOutcome } from "../../model/event.ts";
import type { Rehearsal, RehearsalIssue } from "../../model/plan.ts";
import type { Failure } from "../../model/result.ts";
import type { Problem } from "../outcome.ts";
import type { PlanNames } from "../plan-summary.ts";

/** What a run came to, under the published names. */
export function runPart(run: RunSummary, names: PlanNames): JsonObject {
  return {
    run: run.run,
    started_at: run.startedAt,
    outcomes: [...run.outcomes].map(([action, outcome]) => ({ action, ...outcomePart(outcome) })),
    counts: countOutcomes(run),
    keys: run.keys.map((key) => learnedKeyPart(key, names)),
    findings: run.findings.map(findingFields.encode),
    verified: run.verified && { at: run.verified.at, result: run.verified.result, remarks: run.verified.remarks },
    ended: run.ended && { at: run.ended.at, how: run.ended.ended, why: run.ended.why },
  };
}

/** What stood in the way, under the published names. */
export function errorPart(problem: Problem | Failure): JsonObject {
  return {
    code: problem.code,
    message: problem.message,
    request: problem.request,
    status: problem.status,
    service_says: problem.serviceSays,
    hint: problem.hint,
    allow: "allow" in problem ? problem.allow : undefined,
  };
}

function outcomePart(outcome: ActionOutcome): JsonObject {
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
export function learnedPart(learned: LearnedOutcome): JsonObject {
  switch (learned.kind) {
    case "create-user":
      return {
        kind: learned.kind,
        address: learned.address,
        was: learned.was,
        identifier: learned.identifier,
        prefix: learned.prefix,
        roles: learned.roles,
        answered: profilePart(learned.answered),
        team_identifier: learned.teamIdentifier,
      };
    case "add-members":
      return { kind: learned.kind, team: learned.team, members: learned.members.map(addedMemberPart) };
    case "replace-roles":
      return { kind: learned.kind, prefix: learned.prefix, roles: learned.roles };
  }
}

function addedMemberPart({ address, outcome, prefix, roles }: AddedMember): JsonObject {
  return {
    address,
    added: outcome.added,
    error: outcome.added ? undefined : errorPart(outcome.failure),
    prefix,
    roles,
  };
}

function profilePart(profile: Profile): JsonObject {
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    title: profile.title,
    external_identifier: profile.externalIdentifier,
    source: profile.source,
  };
}

function learnedKeyPart({ address, team, prefix }: LearnedKey, names: PlanNames): JsonObject {
  return { email: names.email(address), address, team, team_name: team && names.team(team), prefix };
}

/** A rehearsal under the published names. */
export function rehearsalPart({ calls, time, ...rehearsal }: Rehearsal): JsonObject {
  return {
    converges: rehearsal.converges,
    troubles: rehearsal.troubles.map(problemPart),
    notices: rehearsal.notices.map(findingFields.encode),
    unshown: rehearsal.unshown,
    calls: {
      create_user: calls.createUser,
      add_members: calls.addMembers,
      replace_roles: calls.replaceRoles,
      reads: calls.reads,
    },
    mails: rehearsal.mails,
    critical_path: rehearsal.criticalPath,
    time: {
      latency_ms: time.latency,
      planning_ms: time.planning,
      applying_ms: time.applying,
      throttled: {
        one_in: time.throttled.oneIn,
        pause_ms: time.throttled.pause,
        applying_ms: time.throttled.applying,
      },
    },
  };
}

function problemPart(trouble: RehearsalIssue): JsonObject {
  switch (trouble.is) {
    case "failed":
    case "unknown":
      return { trouble: trouble.is, action: trouble.action, error: errorPart(trouble.failure) };
    case "refused":
      return { trouble: trouble.is, action: trouble.action, person: trouble.person, error: errorPart(trouble.failure) };
    case "skipped":
    case "stale":
      return { trouble: trouble.is, action: trouble.action, why: trouble.why };
    case "found":
      return { trouble: trouble.is, finding: findingFields.encode(trouble.finding) };
    case "remains":
      return { trouble: trouble.is, remaining: actionFields.encode(trouble.action) };
    case "stopped":
    case "unplanned":
      return { trouble: trouble.is, why: trouble.why };
  }
}
