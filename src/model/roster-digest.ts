import type { Roster } from "./roster.ts";

/** Tells one roster from another by what it says and in which order, wherever its lines are. */
export function rosterDigest(roster: Roster, digest: (text: string) => string): string {
  const { accounts, users, leavers, teams, keys } = roster;
  const parts = [
    accounts.map(({ value }) => value),
    ...[users.values(), leavers.values(), teams, keys].map(contentTexts),
  ];
  return digest(JSON.stringify(parts)).slice(0, 16);
}

function contentTexts(things: Iterable<object>): readonly string[] {
  return [...things].map((thing) =>
    JSON.stringify(thing, (name, value: unknown) => (isLocationField(name) ? undefined : value)),
  );
}

function isLocationField(name: string): boolean {
  return name === "place" || name === "because" || name === "alsoBy" || name === "onRemovalAt";
}
