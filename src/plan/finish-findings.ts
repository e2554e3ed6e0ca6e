import { createFinding, type Finding } from "../model/finding.ts";
import type { FindingDraft } from "./draft.ts";
import type { Selection } from "./selection.ts";

/** Keeps what the selection keeps, in the order given, and gives each finding its class and fingerprint. */
export function finalizeFindings(
  drafts: readonly FindingDraft[],
  selection: Selection,
  digest: (text: string) => string,
): readonly Finding[] {
  return drafts.filter((draft) => isFindingSelected(draft, selection)).map((draft) => finalizeFinding(draft, digest));
}

function isFindingSelected({ concerns }: FindingDraft, selection: Selection): boolean {
  return concerns.length === 0 || concerns.some((concern) => selection.keeps(concern));
}

function finalizeFinding(
  { concerns: _, restsOn = [], ...told }: FindingDraft,
  digest: (text: string) => string,
): Finding {
  return createFinding({ ...told, restsOn }, digest);
}
