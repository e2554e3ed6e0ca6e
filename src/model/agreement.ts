import type { FoldedAddress } from "./address.ts";
import type { Basis } from "./fact.ts";
import type { TeamKey } from "./names.ts";
import type { Reason } from "./reason.ts";

/** Something that the roster asks for and that is so already, so that nothing is done about it. */
export interface InSyncItem {
  /** What is so, in words, such as `ada@acme.example is a member of Red`. */
  readonly says: string;
  /** How that is known. */
  readonly basis?: Basis;
  /** What in the YAML asks for it. */
  readonly because: readonly Reason[];
  readonly address?: FoldedAddress;
  readonly team?: TeamKey;
  /** The prefix of the key that it is about. */
  readonly prefix?: string;
}
