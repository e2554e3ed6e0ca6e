import { findings } from "./findings.ts";
import { guards, isHold, isStop } from "./guards.ts";
import { explainRow } from "./message.ts";
import * as texts from "./other-codes.ts";
import { type CodeRow, type FindingKind, row } from "./row.ts";

export type CodeKind = "finding" | "guard" | "problem" | "diagnostic" | "drift-class" | "exit-code";

/** In its sentences, a place for a value is written as EMAIL, FILE and the like. */
export interface CatalogueEntry {
  readonly code: string;
  readonly kind: CodeKind;
  /** What it is about, such as `a roster file`; for a list. */
  readonly about: string;
  readonly title: string;
  /** What it means, and why it happens; a line for each message. */
  readonly means: string;
  readonly next: string;
  readonly example?: string | undefined;
  readonly exitCodes: readonly number[];
}

function entries(
  kind: CodeKind,
  about: string,
  rows: Readonly<Record<string, CodeRow | string>>,
  usualEnds: (row: CodeRow, code: string) => readonly number[],
): readonly CatalogueEntry[] {
  return Object.entries(rows).map(([code, text]) => {
    const one = typeof text === "string" ? row(text) : text;
    const [ends = usualEnds(one, code)] = texts.endsOfCodes.flatMap(([ends, codes]) =>
      codes.includes(code) ? [ends] : [],
    );
    return { code, kind, about, title: one.title, ...explainRow(one), exitCodes: ends };
  });
}

const endOf: Readonly<Record<FindingKind, number>> = { notice: 0, task: 9 };
const endsOfKind = ({ kind = "notice", orElse = kind }: CodeRow) =>
  [...new Set([endOf[kind], endOf[orElse]])].sort((a, b) => a - b);
const invalid = () => [3];

export const catalogue: readonly CatalogueEntry[] = [
  ...entries("finding", "a finding of a plan", findings, endsOfKind).filter(({ code }) => !isHold(code)),
  ...entries("guard", "a guard", guards, (_, code) => [isStop(code) ? 5 : 9]),
  ...entries("problem", "why a call or a command failed", { ...texts.failures, ...texts.problems }, () => [1, 7]),
  ...entries("diagnostic", "a YAML file or a setting", texts.fileFaults, invalid),
  ...entries("diagnostic", "a roster", texts.rosterFaults, invalid),
  ...entries("diagnostic", "flags, settings and files", texts.inputFaults, invalid),
  ...entries("drift-class", "a class of drift", texts.driftClassTexts, () => []),
  ...entries("exit-code", "how a command ends", texts.exitCodes, (_, code) => [Number(code)]),
];

export function catalogueEntries(code: string): readonly CatalogueEntry[] {
  return catalogue.filter((entry) => entry.code === code);
}

export function formatExitCode(code: number): string {
  return catalogue.find((entry) => entry.kind === "exit-code" && entry.code === String(code))?.title ?? "failed";
}
