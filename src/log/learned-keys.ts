import { definedFields } from "../model/collections.ts";
import type { EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";

/** A key and whose it is. Without a team it is the user's own. */
export type LearnedKey = Omit<EventOf<"key-learned">, "type" | "at">;

/** The keys that the outcome of a call shows. */
export function keysOf(learned: LearnedOutcome): readonly LearnedKey[] {
  const shown = learned.kind === "create-user" ? [learned] : learned.kind === "add-members" ? learned.members : [];
  const { team } = learned.kind === "replace-roles" ? {} : learned;
  return shown.flatMap(({ address, prefix, roles, provisional }) =>
    prefix === undefined ? [] : [{ address, prefix, ...definedFields({ team, roles, provisional }) }],
  );
}

/** The keys that an event of a run is the first to show. */
export function learnedKeys(event: RunEvent): readonly LearnedKey[] {
  switch (event.type) {
    case "succeeded":
      return keysOf(event.learned);
    case "resolved":
      return event.as.done ? keysOf(event.as.learned) : [];
    case "key-learned":
      return [event];
    default:
      return [];
  }
}
