import type { GuardGround, StopGuard } from "./guard.ts";

/**
 * Protects from a roster that was lost on its way, such as by a wrong path or a checkout that failed: no plan is made of a
 * roster without users while the state or the service knows people. A roster of keys alone is none that lost its people,
 * unless the last applied one had some. Always on; allowed with `--allow empty-roster@PLANID`.
 */
export const emptyRoster: StopGuard = { name: "empty-roster", judge };

function judge({ question }: GuardGround): string | undefined {
  const { roster, state, snapshot } = question;
  if (roster.users.size > 0) return undefined;
  const applied = state.applied?.people.size ?? 0;
  if (applied > 0) return `${empty}, and the last applied one had ${people(applied)}.`;
  if (state.users.size > 0) return `${empty}, and the state remembers ${people(state.users.size)}.`;
  if (roster.keys.length > 0 && roster.teams.length === 0) return undefined;
  if (snapshot.users.length > 0) return `${empty}, and the service shows ${people(snapshot.users.length)}.`;
  return undefined;
}

const empty = "The roster has no users";

function people(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}
