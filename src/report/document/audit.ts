import { formatCount, truncateList } from "../../codes/message.ts";
import type { AuditedCall } from "../../log/audit.ts";
import { formatRoles } from "../../model/role-set.ts";
import { formatHead } from "../../model/state.ts";
import type { AuditEntry, AuditedRunEntries, AuditReport, AuditVerified } from "../audit.ts";
import { ownershipAside } from "../phrases.ts";
import { type Content, code, entry, type Ink, inked, part, phrase, type Section, sentence } from "./tree.ts";

/** What a subcommand of `roster audit` found. */
export function auditContent(report: AuditReport): Content {
  if (report.did === "verify") return verifiedContent(report);
  const { address, runs } = report;
  if (runs.length === 0) return { summary: [sentence(`No matching changes in ${address}.`)] };
  return { sections: runs.map(runSection) };
}

function verifiedContent({ address, head, checkpoint, known, pruned }: AuditVerified): Content {
  const heading = phrase`Log ${address}`;
  if (head.position === 0) return { heading, summary: [sentence("The log has no events yet.")] };
  const events = formatCount(head.position - (pruned?.position ?? 0), "event");
  return {
    heading,
    summary: [
      sentence(`${events}: none was changed, removed or added in between.`),
      ...(known === undefined ? [] : [sentence(`It goes on from the head ${formatHead(known)}.`)]),
      ...(checkpoint === undefined
        ? []
        : [sentence(`The checkpoint of position ${checkpoint} is what the events add up to.`)]),
      sentence(
        `The head is ${formatHead(head)}. Keep it elsewhere: \`audit verify --expect-head\` proves later that nothing was cut off.`,
      ),
    ],
    next:
      pruned === undefined
        ? []
        : [
            sentence(
              `It was pruned: the events up to position ${pruned.position}, from before ${pruned.before}, are in an export. To check it, run:`,
            ),
            code("shell", `roster audit verify --state file:EXPORT --expect-head ${formatHead(pruned)}`),
          ],
  };
}

function runSection({ run, start, plan, ended, entries }: AuditedRunEntries): Section {
  const by = start?.actor === undefined ? "" : ` by ${start.actor.name} (${start.actor.source})`;
  const who = start === undefined ? "" : `, ${start.command}${by}`;
  const details = [
    `run ${run}`,
    ...(start?.commit === undefined ? [] : [`commit ${start.commit}`]),
    ...(start?.pipeline === undefined ? [] : [start.pipeline]),
    ...(plan === undefined ? [] : [`plan ${plan}`]),
    ...(start?.allowed ?? []).map((word) => `allowed ${word}`),
    ...(start?.reason === undefined ? [] : [`reason (${start.reason.source}): ${start.reason.text}`]),
    ...(start?.changeRequest === undefined ? [] : [`change request ${start.changeRequest}`]),
    ...(start?.approvers ?? []).map((name) => `approved by ${name}`),
    ...(ended === undefined || ended === "none" || ended === "completed" ? [] : [`the plan was ${endings[ended]}`]),
    ...(ended === undefined ? ["the run has no end"] : []),
  ];
  const notes = details.map((detail) => sentence(detail, "dim"));
  const shown = entries.map((one) => entry([inked(inkOf(one.entry), entryText(one.entry))]));
  return part([`${start?.at ?? "Run"}${who}`], [{ kind: "entries", as: "tasks", notes, entries: shown }]);
}

const endings = { stopped: "stopped", interrupted: "interrupted", aborted: "not finished" } as const;

function inkOf(entry: AuditEntry): Ink {
  if (entry.kind !== "call") return "dim";
  return entry.outcome === "done" ? "strong" : "alarm";
}

function entryText(entry: AuditEntry): string {
  switch (entry.kind) {
    case "moved-to":
      return `moved the log to ${entry.to}`;
    case "pruned":
      return `pruned the events before ${entry.to}`;
    case "endpoint-changed":
      return `recorded that the service has the address ${entry.to}`;
    case "key-learned":
      return `learned the key ${entry.prefix} of ${entry.person}${entry.team === undefined ? "" : ` in ${entry.team.name}`}`;
    case "allowance-used":
      return `allowed ${entry.code}, which covers: ${truncateList(entry.covers, 10)}`;
    case "call":
      return callText(entry);
  }
}

function callText(record: AuditedCall): string {
  const { call, outcome, person, team, prefix, rolesBefore, rolesAfter, why, ownership } = record;
  const whose = person ?? "an unknown user";
  const key = prefix === undefined ? "" : `, key ${prefix}`;
  const before = rolesBefore === undefined ? "" : `${formatRoles(rolesBefore)} → `;
  const roles = rolesAfter === undefined ? "" : `: ${before}${formatRoles(rolesAfter)}`;
  const what = {
    "create-user": `${verbs[outcome].create} ${whose}${team === undefined ? "" : ` and team ${team.name}`}`,
    "add-member": `${verbs[outcome].add} ${whose} to ${team?.name ?? "a team"}`,
    "replace-roles": `${verbs[outcome].replace} the roles of ${whose}${team === undefined ? "" : ` in ${team.name}`}`,
  }[call];
  return `${what}${key}${roles}${why === undefined ? "" : `: ${why}`}${ownershipAside(ownership)}`;
}

const verbs = {
  done: { create: "created", add: "added", replace: "replaced" },
  failed: { create: "failed to create", add: "failed to add", replace: "failed to replace" },
  "there-before": { create: "found", add: "found", replace: "found" },
  unknown: { create: "perhaps created", add: "perhaps added", replace: "perhaps replaced" },
} as const;
