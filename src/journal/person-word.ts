import type { FoldedAddress } from "../model/address.ts";

/** What a person says became of a call of unknown outcome. */
export interface OperatorResolution {
  readonly outcome: "done" | "not-done";
  /** The service's identifier of the created user. */
  readonly identifier?: string;
  /** The service's identifier of the founded team. */
  readonly teamIdentifier?: string;
  /** The prefix of the key that came with it. */
  readonly prefix?: string;
  /** The people of an addition of whom this is said; empty for all of them. */
  readonly people: readonly FoldedAddress[];
}
