import type { FoldedAddress } from "../model/address.ts";
import type { Basis, Reason } from "../model/fact.ts";
import type { FindingCode } from "../model/finding.ts";
import type { TeamKey } from "../model/team.ts";

/** A finding before it is known whether the selection keeps it. */
export interface FindingDraft {
  readonly code: FindingCode;
  /** Unique for its code: both together are the finding's sameness across runs. */
  readonly subject: string;
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn?: readonly Basis[];
  readonly suggestedYaml?: string;
  /** What to say after `--allow`, where a guard holds something. */
  readonly allow?: readonly string[];
  /** Somebody holds access that the roster denies. */
  readonly deniedAccess?: true;
  /** Something that the roster asks for waits for it: then it blocks, although its code alone would not. */
  readonly waits?: true;
  /** The people and teams that it concerns; empty where it concerns an account or the whole run. */
  readonly concerns: readonly Concern[];
}

/** A person, a team, or a person's place in a team. */
export interface Concern {
  readonly address?: FoldedAddress;
  readonly team?: TeamKey;
}
