import type { PlanFile } from "../model/saved-files.ts";

/** What a command tells of a plan file. */
export interface PlanFileReport {
  /** As a person would name it from here; `-` is standard input. */
  readonly path: string;
  readonly file: Pick<PlanFile, "id" | "madeAt" | "madeBy" | "expiresAt" | "basis" | "policy">;
  readonly is: "written" | "shown" | "shown-expired" | "applied";
}
