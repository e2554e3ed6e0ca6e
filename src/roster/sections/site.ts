import type { Reason } from "../../model/reason.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceValue } from "../draft.ts";

/** What holds for everything in one file. */
export interface FileContext {
  readonly log: DiagnosticsCollector;
  /** The account of this file's users and teams; empty where none is named, which has been told. */
  readonly account: string;
  /** Where the account is named: in the file, in the settings, through an alias. */
  readonly accountReasons: readonly Reason[];
  /** The `source` of users who name none. */
  readonly source: SourceValue<string> | undefined;
}
