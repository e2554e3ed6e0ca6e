import { type ActionOutcome, countOutcomes, type LearnedKey, type RunSummary } from "../journal/summary.ts";
import type { Profile } from "../model/action.ts";
import type { AddedMember, LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import type { Problem } from "./outcome.ts";
import { findingPart, type JsonPart } from "./plan-json.ts";
import type { PlanNames } from "./plan-names.ts";

/** What a run came to, under the published names. */
export function runPart(run: RunSummary, names: PlanNames): JsonPart {
  return {
    run: run.run,
    started_at: run.startedAt,
    outcomes: [...run.outcomes].map(([action, outcome]) => ({ action, ...outcomePart(outcome) })),
    counts: countOutcomes(run),
    keys: run.keys.map((key) => learnedKeyPart(key, names)),
    findings: run.findings.map(findingPart),
    verified: run.verified && { at: run.verified.at, result: run.verified.result, remarks: run.verified.remarks },
    ended: run.ended && { at: run.ended.at, how: run.ended.ended, why: run.ended.why },
  };
}

/** What stood in the way, under the published names. */
export function errorPart(problem: Problem | Failure): JsonPart {
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

function outcomePart(outcome: ActionOutcome): JsonPart {
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
export function learnedPart(learned: LearnedOutcome): JsonPart {
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

function addedMemberPart({ address, outcome, prefix, roles }: AddedMember): JsonPart {
  return {
    address,
    added: outcome.added,
    error: outcome.added ? undefined : errorPart(outcome.failure),
    prefix,
    roles,
  };
}

function profilePart(profile: Profile): JsonPart {
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    title: profile.title,
    external_identifier: profile.externalIdentifier,
    source: profile.source,
  };
}

function learnedKeyPart({ address, team, prefix }: LearnedKey, names: PlanNames): JsonPart {
  return { email: names.email(address), address, team, team_name: team && names.team(team), prefix };
}
