import { formatCount } from "../../codes/message.ts";
import type { ActionId } from "../../model/action.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { Failure } from "../../model/recorded.ts";
import { actionLabel, keyName, type PlanNames, planNames } from "../document/names.ts";
import { statusAside } from "../phrases.ts";
import { safe } from "../safe.ts";

/** Safe, without a line feed. */
export function progressLine(event: RunEvent, plan: Plan): string | undefined {
  const line = eventLine(event, planNames(plan));
  return line === undefined ? undefined : safe(line);
}

function eventLine(event: RunEvent, names: PlanNames): string | undefined {
  const label = "action" in event ? actionLabel(event.action, names) : "";
  switch (event.type) {
    case "succeeded":
      return successLine(event.action, event.learned, names);
    case "unneeded": {
      const action = names.action(event.action);
      return `unchanged: ${action?.kind === "replace-roles" ? keyName(action, names) : label}`;
    }
    case "failed":
      return `failed to ${label}: ${formatFailure(event.failure)}`;
    case "member-refused":
      return `failed to ${label} for ${names.email(event.address)}: ${formatFailure(event.failure)}`;
    case "unknown-outcome":
      return `unknown outcome: ${label}: ${formatFailure(event.failure)}`;
    case "skipped":
    case "stale":
      return `${event.type}: ${label}, because ${event.why}`;
    case "resolved":
      return `resolved by reading: ${label} (${formatResolved(event, names)})`;
    case "waiting":
      return `waiting ${Math.ceil(event.milliseconds / 100) / 10} s: ${event.why}`;
    default:
      return undefined;
  }
}

function formatResolved({ action, as, except = [] }: EventOf<"resolved">, names: PlanNames): string {
  if (!as.done) return as.unproven === true ? "reads do not show if it was done" : "it was not done";
  const doubt = except.length === 0 ? "" : `, still unknown for ${except.map(names.email).join(", ")}`;
  const planned = names.action(action);
  if (as.learned.kind !== "add-members" || planned?.kind !== "add-members") return `it was done${doubt}`;
  const added = as.learned.members.flatMap(({ address, outcome }) => (outcome.added ? [names.email(address)] : []));
  if (added.length === 0) return `no member was added${doubt}`;
  // A call for one of several people proves nothing about the others.
  const isForAll = added.length + except.length >= planned.members.length;
  return isForAll ? `it was done${doubt}` : `it was done for ${added.join(", ")}${doubt}`;
}

function successLine(id: ActionId, learned: LearnedOutcome, names: PlanNames): string {
  const action = names.action(id);
  switch (learned.kind) {
    case "create-user": {
      const email = names.email(learned.address);
      if (learned.was === "there-before") return `found ${email}: the user existed already`;
      const team = action?.kind === "create-user" ? action.createsTeam : undefined;
      return `created ${email}${team === undefined ? "" : ` and team ${team.name}`}`;
    }
    case "add-members": {
      const refused = learned.members.flatMap(({ address, outcome }) =>
        outcome.added ? [] : [`${names.email(address)}: ${formatFailure(outcome.failure)}`],
      );
      const added = formatCount(learned.members.length - refused.length, "person", "people");
      const line = `added ${added} to ${names.teamInFull(learned.team)}`;
      return refused.length === 0 ? line : `${line}; refused ${refused.join("; ")}`;
    }
    case "replace-roles":
      return `replaced the roles of ${action?.kind === "replace-roles" ? keyName(action, names) : learned.prefix}`;
  }
}

function formatFailure(failure: Failure): string {
  return `${failure.message}${statusAside(failure)}`;
}
