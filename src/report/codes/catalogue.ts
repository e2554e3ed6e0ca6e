import { exitCodesOf, type FindingCode } from "../../model/finding.ts";
import { stopNames } from "../../model/guard-names.ts";
import type { CodeText } from "./code-text.ts";
import { fileFaults, inputFaults, rosterFaults } from "./diagnostics.ts";
import { driftClassTexts, exitCodes } from "./exit-codes.ts";
import { endings } from "./failures.ts";
import { findings } from "./findings.ts";
import { guards } from "./guards.ts";
import { rosterExamples } from "./roster-examples.ts";

/** What a code belongs to. One word can be a code of several kinds. */
export type CodeKind = "finding" | "guard" | "problem" | "diagnostic" | "drift-class" | "exit-code";

/** One code with its texts. */
export interface CatalogueEntry extends CodeText {
  readonly code: string;
  readonly kind: CodeKind;
  /** What it is about, such as `a roster file`; for a list. */
  readonly about: string;
  /** The exit codes that this code alone leads to; may be empty. */
  readonly exitCodes: readonly number[];
}

type CodeTexts = Readonly<Record<string, CodeText>>;

function entries(
  words: CodeTexts,
  { kind, about }: Pick<CatalogueEntry, "kind" | "about">,
  endsWith: (code: string) => readonly number[],
): readonly CatalogueEntry[] {
  return Object.entries(words).map(([code, { title, means, next, example }]) => {
    const printed = kind === "diagnostic" ? rosterExamples[code] : undefined;
    const shown = [printed, example].filter((text) => text !== undefined);
    const text = { title, means, next, ...(shown.length === 0 ? {} : { example: shown.join("\n\n") }) };
    return { code, kind, about, ...text, exitCodes: [...endsWith(code)].sort((a, b) => a - b) };
  });
}

const warnings: readonly string[] = [
  "until-reached",
  "unusual-address",
  "role-set-as-role",
  "state-changed-since-plan",
];
const invalid = (code: string): readonly number[] => (warnings.includes(code) ? [0] : [3]);
/** Exit codes of findings that also end a command, or a call of it. */
const otherEnds: Readonly<Record<string, readonly number[]>> = {
  "account-unavailable": [3],
  "unsafe-address": [3],
  "conflicting-roles": [3],
  "incomplete-read": [1],
  "not-selected": [5],
  refused: [1, 7],
};
const isStop = (code: string) => stopNames.some((name) => name === code);

/** Every code that a command prints or ends with, in the order of the list. */
export const catalogue: readonly CatalogueEntry[] = [
  ...entries(findings, { kind: "finding", about: "a finding of a plan" }, (code) => [
    ...exitCodesOf(code as FindingCode),
    ...(otherEnds[code] ?? []),
  ]),
  ...entries(guards, { kind: "guard", about: "a guard" }, (code) => [isStop(code) ? 5 : 9]),
  ...entries(
    endings,
    { kind: "problem", about: "why a call or a command failed" },
    (code) => endings[code]?.exitCodes ?? [],
  ),
  ...entries(fileFaults, { kind: "diagnostic", about: "a YAML file or a setting" }, invalid),
  ...entries(rosterFaults, { kind: "diagnostic", about: "a roster" }, invalid),
  ...entries(inputFaults, { kind: "diagnostic", about: "flags, settings and files" }, invalid),
  ...entries(driftClassTexts, { kind: "drift-class", about: "a class of drift" }, (code) =>
    code === "tampered" || code === "unapplied" ? [2] : [],
  ),
  ...entries(exitCodes, { kind: "exit-code", about: "how a command ends" }, (code) => [Number(code)]),
];

/** All texts of a code; empty where it is unknown. */
export function catalogueEntries(code: string): readonly CatalogueEntry[] {
  return catalogue.filter((entry) => entry.code === code);
}
