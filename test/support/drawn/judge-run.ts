import type { CommandResult } from "../command.ts";
import { type Draw, isInTime, isPassing, isPlain, type RunDraw } from "./draw.ts";
import { fold, type Judged } from "./judge.ts";
import { documentIn, printedWords } from "./printed-words.ts";
import { unmet } from "./reached.ts";

export type Ran = Omit<CommandResult, "signal">;

export interface RunJudged {
  readonly judged: Judged;
  readonly draw: Draw;
  readonly ran: Ran;
  /** Counts the runs from 0. */
  readonly index: number;
  /** The whole key in use. */
  readonly key: string;
}

interface RunDocument {
  readonly exit_code?: number;
  readonly error?: { readonly code: string } | null;
}

/** Codes with which an apply may end here: the roster is valid, nobody else holds the state, nobody interrupts. */
const mayEndWith: readonly unknown[] = [0, 1, 4, 5, 6, 7, 9];

/** What should not be of the end of one run, in one sentence each. */
export function judgeRun({ judged, draw, ran, index, key }: RunJudged): readonly string[] {
  const { code, stdout, stderr } = ran;
  const missing = unmet(judged);
  const isPlainFirst = index === 0 && isPlain(draw) && isInTime(draw);
  return [
    ...(mayEndWith.includes(code) ? [] : [`exit code ${code}: ${lastLine(stderr)}`]),
    ...disagreements(ran, draw.runs[index]?.format),
    ...(/\binternal\b.*defect|defect of roster/u.test(`${stdout}${stderr}`) ? ["a defect of roster is told"] : []),
    ...(code === 0 && missing.length > 0 ? [`exit code 0, and ${missing.join(", ")}`] : []),
    ...(isPlainFirst && (code !== codeWhenReached(draw) || missing.length > 0)
      ? [`a service that shows everything is not reached in one run (${code}): ${missing.join(", ")}`]
      : []),
    ...vanishedFalsely(judged, stdout),
    ...(`${stdout}${stderr}`.includes(key.slice(key.indexOf("."))) ? ["the secret of the key is printed"] : []),
  ];
}

/** What should not be once the last run has ended, in one sentence each. */
export function judgeEnd(
  draw: Draw,
  { missing, codes }: { readonly missing: readonly string[]; readonly codes: readonly number[] },
): readonly string[] {
  if (missing.length === 0 || !isPassing(draw)) return [];
  return [`a service whose disturbances pass is not reached in the end (${codes.join(", ")}): ${missing.join(", ")}`];
}

/** No call deletes a leaver or changes an address: both stay blocking findings. */
function codeWhenReached({ company }: Draw): number {
  return company.hasLeaver || company.hasFormerAddress ? 9 : 0;
}

function disagreements({ code, stdout }: Ran, format: RunDraw["format"] | undefined): readonly string[] {
  const document = documentIn(stdout) as RunDocument | undefined;
  if (document === undefined) return format === "json" ? ["no document is printed"] : [];
  if (document.exit_code === code) return [];
  return [`exit code ${code}, and the document says ${document.exit_code}`];
}

/** Nobody goes from these services: whoever is said to be gone is there, and is not shown yet. */
function vanishedFalsely({ service }: Judged, output: string): readonly string[] {
  return printedWords(output).flatMap(({ what }) => {
    const [, address] = /^user-missing:(.*)$/su.exec(decodeURIComponent(what)) ?? [];
    const isThere = address !== undefined && service.people.some(({ email }) => fold(email) === fold(address));
    return isThere ? [`offers to recreate ${address}, who is there`] : [];
  });
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
