import type { Objection } from "../model/allowance.ts";
import type { FindingInput } from "../model/finding.ts";
import type { DesiredKey } from "../model/key.ts";
import type { OwnedThing } from "../model/roster.ts";

/** A finding before it is known whether the selection keeps it. */
export interface FindingDraft extends Omit<FindingInput, "restsOn" | "allow" | "ownership"> {
  readonly restsOn?: FindingInput["restsOn"];
  /** What a person can overrule, so that the plan does it all the same. */
  readonly allow?: readonly Objection[];
  /** The people and teams that it concerns; empty where it concerns an account or the whole run. */
  readonly concerns: readonly OwnedThing[];
}

export function keyConcern({ prefix, owner }: DesiredKey): OwnedThing {
  return { prefix, address: owner?.value };
}
