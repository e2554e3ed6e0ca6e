import type { Intent, KeyLearned, LearnedOutcome, TeamIdentified } from "../model/event.ts";

/** What the outcome of a call has taught beyond its own success: prefixes of keys, the identifier of a team. */
export function derivedEvents(
  intent: Intent,
  learned: LearnedOutcome,
  at: string,
): readonly (KeyLearned | TeamIdentified)[] {
  if (learned.kind === "add-members") {
    const { team } = learned;
    return learned.members.flatMap(({ address, prefix }) =>
      prefix === undefined ? [] : [{ type: "key-learned", at, address, team, prefix }],
    );
  }
  if (learned.kind !== "create-user" || intent.kind !== "create-user") return [];
  const { address, prefix, teamIdentifier: identifier } = learned;
  const { account, founds } = intent;
  const events: (KeyLearned | TeamIdentified)[] = [];
  const inTeam = founds === undefined ? {} : { team: founds.team };
  if (prefix !== undefined) events.push({ type: "key-learned", at, address, ...inTeam, prefix });
  if (founds !== undefined && identifier !== undefined) {
    events.push({ type: "team-identified", at, team: founds.team, name: founds.name, account, identifier });
  }
  return events;
}
