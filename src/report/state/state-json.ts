import type { Intent } from "../../model/event.ts";
import type { JsonPart } from "../plan-json.ts";
import { formatIntent } from "./call-words.ts";
import type { LockHolder } from "./holder-words.ts";
import type { OpenCall, StateReport } from "./state-told.ts";

/** What a subcommand of `roster state` came to, as a part of its JSON document. */
export function statePart(told: StateReport): JsonPart {
  switch (told.did) {
    case "look-at-lock":
    case "unlock":
      return { ...told, holder: told.holder === "nobody" ? null : lockHolderPart(told.holder) };
    case "list-calls":
      return { ...told, calls: told.calls.map(openCallPart) };
    case "resolve": {
      const { open, stillOpenFor, ...rest } = told;
      return { ...rest, call: formatIntent(open.intent), still_open_for: stillOpenFor };
    }
    case "verify": {
      const { movedTo, ...rest } = told;
      return { ...rest, moved_to: movedTo };
    }
    case "move":
    case "readdress":
    case "rebuild":
      return { ...told };
  }
}

function lockHolderPart({ id, who, operation, since, silentFor, fence }: LockHolder): JsonPart {
  const silent = silentFor === undefined ? {} : { silent_for: Math.round(silentFor) };
  return { id, who, operation, since, ...silent, fence };
}

function openCallPart({ id, open, why }: OpenCall): JsonPart {
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
