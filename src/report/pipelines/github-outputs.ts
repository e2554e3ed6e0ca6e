import { countOutcomes } from "../../journal/summary.ts";
import { countPlan } from "../counts.ts";
import { remainingDrift } from "../drift/drift-told.ts";
import { formatExitCode } from "../exit-code-words.ts";
import type { CommandOutcome } from "../outcome.ts";
import { safe } from "../safe.ts";

/** What later steps may read: of a plan and a run only where there was one. `changes` and `blocking` are those that the exit code counts. */
export function stepOutputs({ exitCode, plan, run, drift }: CommandOutcome): ReadonlyMap<string, string> {
  const counts = plan && countPlan(plan);
  const left = drift && remainingDrift(drift);
  const values = {
    exit_code: exitCode,
    means: formatExitCode(exitCode),
    plan_id: plan?.id,
    changes: left?.changes ?? plan?.actions.length,
    blocking: left?.blocking ?? counts?.blockingFindings,
    findings: counts?.findings,
    create_users: counts?.createUsers,
    found_teams: counts?.foundTeams,
    add_members: counts?.addMembers,
    replace_roles: counts?.replaceRoles,
    mails: counts?.mails,
    ...(run === undefined ? {} : countOutcomes(run)),
  };
  return new Map(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, safe(String(value))] as const],
    ),
  );
}
