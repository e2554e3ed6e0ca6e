import type { Failure, Result } from "../model/result.ts";

/** Where the records of what runs did are kept: lines, in their order, that are added and never changed. */
export interface AuditTrail {
  /** Such as `file:.roster/state.json.audit.jsonl`; without credentials. */
  readonly address: string;
  /** The last line, without its line feed; undefined where nothing was ever written. */
  last(): Promise<Result<string | undefined, Failure>>;
  /**
   * Adds lines behind the record of this number; in a trail without a line they may begin with any number. Durable when it succeeds.
   * Fails, and adds nothing, where the last record is another one: another run added some meanwhile.
   */
  append(lines: readonly string[], after: number): Promise<Result<void, Failure>>;
  /** Every line, without its line feed, the first one first. */
  read(): Promise<Result<readonly string[], Failure>>;
  /** Ends what connections there are. */
  close(): Promise<void>;
}
