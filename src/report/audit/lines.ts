import type { AuditedCall } from "../../model/audit.ts";
import { formatRoles } from "../../model/role-set.ts";
import { heading, joinSections, type Line, prose, row } from "../document/blocks.ts";
import { formatCount } from "../phrases.ts";
import type { AuditEntry, AuditedRunEntries, AuditReport, AuditShown, AuditVerified } from "./entries.ts";

/** What a subcommand of `roster audit` found, for people. */
export function auditLines(report: AuditReport): readonly Line[] {
  return report.did === "verify" ? verifiedLines(report) : shownLines(report);
}

function verifiedLines({ address, first, last, hash, remembered }: AuditVerified): readonly Line[] {
  if (first === undefined || last === undefined)
    return [heading(`Audit trail ${address}`), prose(0, "The trail has no records yet.")];
  const count = last - first + 1;
  const elsewhere = first === 1 ? [] : [prose(0, `Records 1 to ${first - 1} are kept elsewhere, or were removed.`)];
  const known =
    remembered === undefined
      ? "The state remembers no record: the end of the trail is not protected."
      : `The state remembers record ${remembered}, and it is unchanged.`;
  return [
    heading(`Audit trail ${address}`),
    prose(0, `${formatCount(count, "record")}, ${first} to ${last}: no record was changed, removed or added.`),
    ...elsewhere,
    prose(0, known),
    prose(0, `The last record has the hash ${hash}.`),
  ];
}

function shownLines({ address, runs }: AuditShown): readonly Line[] {
  if (runs.length === 0) return [prose(0, `No matching records in ${address}.`)];
  return joinSections(runs.map(runSection));
}

function runSection({ run, start, plan, ended, entries }: AuditedRunEntries): readonly Line[] {
  const who = start === undefined ? "" : `, ${start.command} by ${start.actor.name} (${start.actor.source})`;
  const details = [
    ...(start?.commit === undefined ? [] : [`commit ${start.commit}`]),
    ...(start?.pipeline === undefined ? [] : [start.pipeline]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
    ...(start === undefined ? [] : start.allowed.map((word) => `allowed ${word}`)),
    ...(ended === undefined || ended === "none" || ended === "completed" ? [] : [`the plan was ${endings[ended]}`]),
    ...(ended === undefined ? ["the run has no end"] : []),
  ];
  return [
    heading(`${start?.at ?? "Run"}${who}`),
    prose(2, `run ${run}`, "dim"),
    ...details.map((detail) => prose(2, detail, "dim")),
    ...entries.map(({ entry }) => row(2, [{ ink: inkOf(entry), text: entryText(entry) }])),
  ];
}

const endings = { stopped: "stopped", interrupted: "interrupted", aborted: "not finished" } as const;

function inkOf(entry: AuditEntry): "dim" | "alarm" | "strong" {
  if (entry.kind !== "call") return "dim";
  return entry.outcome === "done" ? "strong" : "alarm";
}

function entryText(entry: AuditEntry): string {
  switch (entry.kind) {
    case "state-changed":
      return "replaced the state";
    case "key-learned":
      return `learned the key ${entry.prefix} of ${entry.person}${entry.team === undefined ? "" : ` in ${entry.team.name}`}`;
    case "call":
      return callText(entry);
  }
}

function callText({ call, outcome, person, team, prefix, rolesBefore, rolesAfter, why }: AuditedCall): string {
  const whose = person ?? "an unknown user";
  const key = prefix === undefined ? "" : `, key ${prefix}`;
  const before = rolesBefore === undefined ? "" : `${formatRoles(rolesBefore)} → `;
  const roles = rolesAfter === undefined ? "" : `: ${before}${formatRoles(rolesAfter)}`;
  const what = {
    "create-user": `${verbs[outcome].create} ${whose}${team === undefined ? "" : ` and team ${team.name}`}`,
    "add-member": `${verbs[outcome].add} ${whose} to ${team?.name ?? "a team"}`,
    "replace-roles": `${verbs[outcome].replace} the roles of ${whose}${team === undefined ? "" : ` in ${team.name}`}`,
  }[call];
  return `${what}${key}${roles}${why === undefined ? "" : `: ${why}`}`;
}

const verbs = {
  done: { create: "created", add: "added", replace: "replaced" },
  failed: { create: "failed to create", add: "failed to add", replace: "failed to replace" },
  "there-before": { create: "found", add: "found", replace: "found" },
  unknown: { create: "perhaps created", add: "perhaps added", replace: "perhaps replaced" },
} as const;
