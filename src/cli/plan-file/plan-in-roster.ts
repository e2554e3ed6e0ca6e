import { claimsToBePlan } from "../../codec/document.ts";
import type { Diagnostic } from "../../model/result.ts";
import type { SourceFile } from "../planning/roster-files.ts";

/** What to say of a plan that stands where a roster file should; nothing of what is none. */
export function reportPlanInRoster({ file, bytes }: SourceFile): readonly Diagnostic[] {
  if (!claimsToBePlan(beginningOf(bytes))) return [];
  return [
    {
      code: "plan-as-roster",
      severity: "error",
      message: "The file is a plan, or says so, and no roster.",
      hint: "`roster show FILE` shows a plan; `roster apply FILE` applies one that was saved with `roster plan --out FILE`, unless its name is that of a roster file.",
      place: { file, line: 1, column: 1 },
    },
  ];
}

const detectionLength = 4096;

/** As much of a file as tells what it is. */
export function beginningOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, detectionLength));
}
