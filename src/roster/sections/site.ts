import type { Reason } from "../../model/reason.ts";
import type { Complaints } from "../complaints.ts";
import type { Written } from "../draft.ts";

/** What holds for everything in one file. */
export interface Site {
  readonly log: Complaints;
  /** The account of this file's users and teams; empty where none is named, which has been told. */
  readonly account: string;
  /** Where the account is named: in the file, in the settings, through an alias. */
  readonly accountReasons: readonly Reason[];
  /** The `source` of users who name none. */
  readonly source: Written<string> | undefined;
}
