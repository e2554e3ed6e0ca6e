import type { Plan } from "../../model/plan.ts";
import type { CommandOutcome } from "../outcome.ts";
import { actionPart, findingPart, type JsonPart, summaryPart } from "../plan-json.ts";
import { safeJson } from "../safe.ts";

/** Fields and types of lines are added within a major version, never changed or taken away. */
const formatVersion = "1.0";

/** One line of JSON with its line feed, which a terminal shows as it is and no runner of pipelines obeys. */
export function toJsonLine(part: JsonPart): string {
  return `${safeJson(JSON.stringify(part))}\n`;
}

/** The first line of every stream. Where the command line was not understood, `command` is `roster`. */
export function versionPart(command: CommandOutcome["command"], version: string | undefined): JsonPart {
  return { type: "version", format_version: formatVersion, roster: version, command };
}

/** A plan in numbers, then each of its actions and findings. */
export function plannedParts(plan: Plan): readonly JsonPart[] {
  return [
    { type: "planned", plan_id: plan.id, service: plan.service, ...summaryPart(plan) },
    ...plan.actions.map((action) => ({ type: "planned_action", ...actionPart(action) })),
    ...plan.findings.map((finding) => ({ type: "finding", ...findingPart(finding) })),
  ];
}
