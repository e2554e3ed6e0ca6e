/**
 * What this service's answers show, learned from the answers of a run. `unknown` where no answer could
 * tell (nobody was shown, or nobody with a key).
 */
export interface Capabilities {
  /** Users carry their access keys. */
  readonly keysOnUsers: Visibility;
  /** Keys carry their roles. */
  readonly rolesOnKeys: Visibility;
  /** Keys carry the team that they belong to, by name. */
  readonly teamsOnKeys: Visibility;
  /** Users carry their titles. */
  readonly titles: Visibility;
  /** Lists say how many rows there are in all. */
  readonly totals: Visibility;
  readonly paging: Paging;
}

/** How the lists of this service are paged, as far as walking them has shown. */
export interface Paging {
  readonly firstPage: "0" | "1" | "0-and-1-alike" | "unknown";
  /** The most rows that a page holds, where the service gives fewer than were asked for. */
  readonly largestPage?: number;
}

/** Capabilities that an earlier run learned, and when. */
export interface RecordedCapabilities {
  readonly learned: Capabilities;
  readonly at: string;
}

export type Visibility = "shown" | "hidden" | "unknown";
