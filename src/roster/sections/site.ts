import type { Complaints } from "../complaints.ts";

/** What holds for everything in one file. */
export interface Site {
  readonly log: Complaints;
  /** The account of this file's users and teams; empty where none is named, which has been told. */
  readonly account: string;
  /** The `source` of users who name none. */
  readonly source: string | undefined;
}
