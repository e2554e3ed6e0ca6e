import type { Rehearsal, RehearsalIssue } from "../../model/plan.ts";
import { actionPart, findingPart, type JsonPart } from "../plan-json.ts";
import { errorPart } from "../run-json.ts";

/** A rehearsal under the published names. */
export function rehearsalPart({ calls, time, ...rehearsal }: Rehearsal): JsonPart {
  return {
    converges: rehearsal.converges,
    troubles: rehearsal.troubles.map(troublePart),
    notices: rehearsal.notices.map(findingPart),
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

function troublePart(trouble: RehearsalIssue): JsonPart {
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
      return { trouble: trouble.is, finding: findingPart(trouble.finding) };
    case "remains":
      return { trouble: trouble.is, remaining: actionPart(trouble.action) };
    case "stopped":
    case "unplanned":
      return { trouble: trouble.is, why: trouble.why };
  }
}
