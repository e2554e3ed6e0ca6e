import { definedFields } from "../model/collections.ts";
import type { EventOf, LearnedOutcome } from "../model/event.ts";
import type { Intent } from "../model/recorded.ts";

/** What the outcome of a call has taught beyond its own success: prefixes of keys, the identifier of a team. */
export function taughtEvents(
  intent: Intent,
  learned: LearnedOutcome,
  at: string,
): readonly (EventOf<"key-learned"> | EventOf<"team-identified">)[] {
  if (learned.kind === "add-members") {
    const { team } = learned;
    return learned.members.flatMap(({ address, prefix, roles, provisional }) =>
      prefix === undefined
        ? []
        : [{ type: "key-learned", at, address, team, prefix, ...definedFields({ roles, provisional }) }],
    );
  }
  if (learned.kind !== "create-user" || intent.kind !== "create-user") return [];
  const { address, prefix, roles, provisional, teamIdentifier: identifier } = learned;
  const { account, createsTeam } = intent;
  const events: (EventOf<"key-learned"> | EventOf<"team-identified">)[] = [];
  if (prefix !== undefined)
    events.push({
      type: "key-learned",
      at,
      address,
      prefix,
      ...definedFields({ team: createsTeam?.team, roles, provisional }),
    });
  if (createsTeam !== undefined && identifier !== undefined) {
    events.push({ type: "team-identified", at, team: createsTeam.team, name: createsTeam.name, account, identifier });
  }
  return events;
}
