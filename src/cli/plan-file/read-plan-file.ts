import { decodePlanFile } from "../../codec/plan-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { PlanFile } from "../../model/saved-files.ts";
import type { ReadSummary, RosterCounts } from "../../report/outcome.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { planFileFormat } from "./plan-file-format.ts";

/** Reads a plan file that was found at a path, or says why it is none that may be used. */
export function readPlanFile({
  path,
  text,
}: {
  readonly path: string;
  readonly text: string;
}): Result<PlanFile, CommandError> {
  const decoded = decodePlanFile(text, planFileFormat);
  return decoded.ok ? success(decoded.value) : problem(badPlanFile(path, decoded.error));
}

function badPlanFile(path: string, why: string): CommandError {
  return invalidSetting(
    "bad-plan-file",
    `${path} is not a plan file that can be used: ${why}.`,
    "Plan again with `roster plan --out FILE`, and carry the file as it is.",
  );
}

interface PlanFileSummary {
  readonly reading: ReadSummary;
  readonly roster: RosterCounts;
  readonly privilegedRoles: RoleSet;
}

/** How the service was read for the plan, and what the roster was, as a command tells it. */
export function summaryOf({ plan, basis, policy }: PlanFile): PlanFileSummary {
  const { readAt, everyone, capabilities, roster } = basis;
  const { digest: _, ...counts } = roster;
  return {
    reading: { service: plan.service, readAt, everyone, capabilities, readings: new Map() },
    roster: counts,
    privilegedRoles: policy.privilegedRoles,
  };
}
