/** Guards that withhold single actions and what depends on them, each by a finding of its name; a person may overrule them. */
export const allowableHolds = ["allowed-email-domains", "near-duplicate", "privileged-roles", "renamed-team"] as const;

/** The same, and those that nobody may overrule. */
export const holdNames = [...allowableHolds, "own-key", "protected"] as const;

/** Guards that refuse the whole plan. */
export const stopNames = [
  "max-new-users",
  "max-invitations",
  "max-role-removals",
  "min-admins",
  "required-admins",
  "empty-roster",
  "incomplete-snapshot",
] as const;

export type HoldName = (typeof holdNames)[number];
export type StopName = (typeof stopNames)[number];
export type GuardName = HoldName | StopName;

export const guardNames: readonly GuardName[] = [...holdNames, ...stopNames];
