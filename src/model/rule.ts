/** By which rule an action was planned. Names are stable. */
export type RuleName = (typeof ruleNames)[number];

export const ruleNames = [
  /** A user of the roster is proven to be absent. */
  "absent-user",
  /** The same, and a person wants somebody created again whom our records know as gone or as refused. */
  "recreated-user",
  /** A user of the roster is proven to be absent, and a team that is proven to be absent comes into being with the user. */
  "founds-team",
  /** Members of the roster are not in a team that is there. */
  "missing-member",
  /** Members of a team that the same plan founds. */
  "joins-new-team",
  /** A person wants a member mailed once more. */
  "invited-again",
  /** A key has other roles than the roster asks for. */
  "roles-differ",
  /** Nobody knows which roles a key has. */
  "roles-unknown",
  /** A key that the same plan makes gets its roles. */
  "roles-of-new-key",
  /** The key of a founder, made exact: its creation may have given more. */
  "roles-of-founder",
  /** A leaver holds nothing. */
  "leaver-disarmed",
  /** A member too many, in a team that says `onRemoval: disarm`. */
  "removed-disarmed",
  /** A plan that was saved by an earlier version does not say. */
  "unnamed",
] as const;
