import type { JsonObject } from "../../model/json.ts";
import { countPlan } from "../../model/plan.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { jsonDocument, safe } from "../safe.ts";
import { type Annotation, type AnnotationLevel, annotationsOf, repositoryPath } from "./annotations.ts";

const severities: Readonly<Record<AnnotationLevel, string>> = { error: "critical", warning: "minor", notice: "info" };

export function gitlabFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  return { stdout: jsonDocument(annotationsOf(outcome).map((remark) => entryOf(remark, options))) };
}

/** GitLab wants a file and a line of each: what has none is shown at the directory. */
function entryOf(remark: Annotation, options: RenderOptions): JsonObject {
  const { rule, level, subject, message, fingerprint } = remark;
  const [place] = remark.places;
  const path = place && repositoryPath(place.file, options);
  const elsewhere = place === undefined || path !== undefined ? "" : ` (${place.file}:${place.line})`;
  return {
    description: safe(`${subject === undefined ? "" : `${subject}: `}${message}${elsewhere}`),
    check_name: rule,
    fingerprint,
    severity: severities[level],
    location: { path: path ?? ".", lines: { begin: path === undefined ? 1 : (place?.line ?? 1) } },
  };
}

/** Created: users, teams, memberships; updated: keys with other roles; deleted: keys left without roles. Empty without a plan, which GitLab reports. */
export function gitlabTerraformFormat({ plan }: CommandOutcome): Rendered {
  if (plan === undefined) return { stdout: "{}\n" };
  const { createUsers, createTeams, mails, replaceRoles } = countPlan(plan);
  const emptied = plan.actions.filter((action) => action.kind === "replace-roles" && action.roles.length === 0).length;
  const report = { create: createUsers + createTeams + mails, update: replaceRoles - emptied, delete: emptied };
  return { stdout: `${JSON.stringify(report)}\n` };
}
