import type { Finding } from "../model/finding.ts";
import { createFinding } from "../model/told-finding.ts";
import type { Draft } from "./draft.ts";
import type { Selection } from "./selection.ts";

/** Keeps what the selection keeps, in the order given, and gives each finding its class and fingerprint. */
export function finishFindings(
  drafts: readonly Draft[],
  selection: Selection,
  digest: (text: string) => string,
): readonly Finding[] {
  return drafts.filter((draft) => isSelected(draft, selection)).map((draft) => finish(draft, digest));
}

function isSelected({ concerns }: Draft, selection: Selection): boolean {
  return concerns.length === 0 || concerns.some((concern) => selection.keeps(concern));
}

function finish({ concerns: _, restsOn = [], ...told }: Draft, digest: (text: string) => string): Finding {
  return createFinding({ ...told, restsOn }, digest);
}
