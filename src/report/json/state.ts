import type { JsonObject } from "../../codec/mapping.ts";
import type { Intent } from "../../model/event.ts";
import type { LockHolder } from "../../model/state.ts";
import { formatIntent, type OpenCall, type StateReport } from "../state.ts";

/** What a subcommand of `roster state` came to, as a part of its JSON document. */
export function statePart(report: StateReport): JsonObject {
  switch (report.did) {
    case "look-at-lock":
    case "unlock":
      return { ...report, holder: report.holder === "nobody" ? null : lockHolderPart(report.holder) };
    case "list-calls":
      return { ...report, calls: report.calls.map(openCallPart) };
    case "resolve": {
      const { open, stillOpenFor, ...rest } = report;
      return { ...rest, call: formatIntent(open.intent), still_open_for: stillOpenFor };
    }
    case "verify": {
      const { movedTo, ...rest } = report;
      return { ...rest, moved_to: movedTo };
    }
    case "move":
    case "set-endpoint":
    case "rebuild":
      return { ...report };
    case "forget":
    case "would-forget": {
      const { inLastRoster, breakGlass, ...rest } = report;
      return { ...rest, break_glass: breakGlass, in_last_roster: inLastRoster };
    }
  }
}

function lockHolderPart({ id, who, operation, since, silentFor, fence }: LockHolder): JsonObject {
  const silent = silentFor === undefined ? {} : { silent_for: Math.round(silentFor) };
  return { id, who, operation, since, ...silent, fence };
}

function openCallPart({ id, open, why }: OpenCall): JsonObject {
  const { run, action, at, accepted, intent } = open;
  const call = formatIntent(intent);
  return {
    id,
    run,
    action,
    at,
    accepted: accepted === true,
    kind: intent.kind,
    people: intentPeople(intent),
    call,
    why,
  };
}

function intentPeople(intent: Intent): readonly string[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.email];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return [];
  }
}
