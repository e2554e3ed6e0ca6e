import type { PlanFile } from "../model/plan-file.ts";
import type { JsonPart } from "./plan-json.ts";

/** What a command tells of a plan file. */
export interface PlanFileTold {
  /** As a person would name it from here; `-` is standard input. */
  readonly path: string;
  readonly file: Pick<PlanFile, "id" | "madeAt" | "madeBy" | "expiresAt" | "basis" | "policy">;
  readonly is: "written" | "shown" | "shown-expired" | "applied";
}

/** The same, under the published names. */
export function planFilePart({ path, file }: PlanFileTold): JsonPart {
  const { roster, state, readAt } = file.basis;
  return {
    path,
    file: file.id,
    made_at: file.madeAt,
    made_by: file.madeBy,
    expires_at: file.expiresAt,
    roster_digest: roster.digest,
    state: state === "none" ? null : { lineage: state.lineage, serial: state.serial },
    read_at: readAt,
    words: file.policy.words,
  };
}
