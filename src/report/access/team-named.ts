import type { AccessChange, TeamLabel } from "./access-change.ts";

/** A change with its team named in another way; as it is where it is about none. */
export function mapTeamLabel(change: AccessChange, naming: (team: TeamLabel) => TeamLabel): AccessChange {
  if (change.is === "account") return change;
  if (change.is === "membership") return { ...change, team: naming(change.team) };
  const { key } = change;
  return key.of === "team-key" ? { ...change, key: { ...key, team: naming(key.team) } } : change;
}
