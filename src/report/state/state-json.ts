import type { Intent } from "../../model/run-event.ts";
import type { JsonPart } from "../plan-json.ts";
import { callWords } from "./call-words.ts";
import type { Holder } from "./holder-words.ts";
import type { OpenCall, StateTold } from "./state-told.ts";

/** What a subcommand of `roster state` came to, as a part of its JSON document. */
export function statePart(told: StateTold): JsonPart {
  switch (told.did) {
    case "look-at-lock":
    case "unlock":
      return { ...told, holder: told.holder === "nobody" ? null : holderPart(told.holder) };
    case "list-calls":
      return { ...told, calls: told.calls.map(callPart) };
    case "resolve": {
      const { open, stillOpenFor, ...rest } = told;
      return { ...rest, call: callWords(open.intent), still_open_for: stillOpenFor };
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

function holderPart({ id, who, operation, since, silentFor, fence }: Holder): JsonPart {
  const silent = silentFor === undefined ? {} : { silent_for: Math.round(silentFor) };
  return { id, who, operation, since, ...silent, fence };
}

function callPart({ id, open, why }: OpenCall): JsonPart {
  const { run, action, at, accepted, intent } = open;
  const call = callWords(intent);
  return { id, run, action, at, accepted: accepted === true, kind: intent.kind, people: peopleOf(intent), call, why };
}

function peopleOf(intent: Intent): readonly string[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.email];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return [];
  }
}
