/**
 * What this service's answers show, learned from the answers of a run. `unknown` where no answer could
 * tell (nobody was shown, or nobody with a key).
 */
export interface Capabilities {
  /** Users carry their access keys. */
  readonly keysOnUsers: Shown;
  /** Keys carry their roles. */
  readonly rolesOnKeys: Shown;
  /** Keys carry the team that they belong to, by name. */
  readonly teamsOnKeys: Shown;
}

export type Shown = "shown" | "hidden" | "unknown";

export const nothingLearned: Capabilities = { keysOnUsers: "unknown", rolesOnKeys: "unknown", teamsOnKeys: "unknown" };
