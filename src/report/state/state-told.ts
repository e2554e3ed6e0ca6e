import type { FoldedAddress } from "../../model/address.ts";
import type { OpenIntent } from "../../model/state.ts";
import type { LockHolder } from "./holder-words.ts";

/** What a subcommand of `roster state` came to. Addresses of stores are without credentials. */
export type StateReport =
  | StateVerified
  | LockReport
  | OpenCallsReport
  | CallResolved
  | StateMoved
  | ServiceReaddressed
  | StateRebuilt;

export interface StateVerified {
  readonly did: "verify";
  readonly address: string;
  readonly lineage: string;
  readonly serial: number;
  /** Where the state lives now, where it was moved. */
  readonly movedTo?: string;
  /** What was read, one sentence each. */
  readonly parts: readonly string[];
  /** Calls whose outcome is not known. */
  readonly open: number;
}

export interface LockReport {
  readonly did: "look-at-lock" | "unlock";
  readonly address: string;
  /** Who holds the lock, or held it until it was broken. */
  readonly holder: LockHolder | "nobody";
}

/** A call of unknown outcome, as a person is asked about it. */
export interface OpenCall {
  readonly id: string;
  readonly open: OpenIntent;
  /** Why reading could not tell, as a sentence without a trailing stop. */
  readonly why: string;
}

export interface OpenCallsReport {
  readonly did: "list-calls";
  readonly address: string;
  readonly calls: readonly OpenCall[];
}

export interface CallResolved {
  readonly did: "resolve";
  readonly address: string;
  readonly id: string;
  readonly open: OpenIntent;
  readonly outcome: "done" | "not-done";
  /** The people of an addition for whom the call stays open. */
  readonly stillOpenFor: readonly FoldedAddress[];
  /** How many calls of unknown outcome are left, this one included where it stays open. */
  readonly left: number;
}

export interface StateMoved {
  readonly did: "move";
  readonly from: string;
  readonly to: string;
  readonly lineage: string;
  readonly open: number;
}

export interface ServiceReaddressed {
  readonly did: "readdress";
  readonly address: string;
  /** Where the service was, and where it is. */
  readonly from: string;
  readonly to: string;
}

export interface StateRebuilt {
  readonly did: "rebuild";
  readonly address: string;
  readonly people: number;
  readonly teams: number;
  readonly memberships: number;
  readonly prefixes: number;
  /** People of the roster whom the service does not show, as they are written. */
  readonly missing: readonly string[];
  /** What could not be learned, one sentence each. */
  readonly unlearned: readonly string[];
}
