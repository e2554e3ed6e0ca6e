import { type UnsuccessfulOutcome, unsuccessfulOutcomes } from "../../log/summary.ts";
import { formatSubject, type Place } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/failure.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import { sha256 } from "../../model/json.ts";
import { countsInExitCode, type DriftItem } from "../../model/plan.ts";
import { isPrivilegedGain, itemPlaces, itemText, reportedItems } from "../document/drift.ts";
import { actionLabel, namesOf, type PlanNames } from "../document/names.ts";
import { formatFailure, joinSentences } from "../document/tasks.ts";
import type { CommandOutcome, RenderOptions } from "../outcome.ts";

/** A problem that a pipeline shows at a line of the roster. A change that waits to be applied is not a problem. */
export interface Annotation {
  readonly rule: string;
  readonly level: AnnotationLevel;
  readonly subject?: string;
  /** What, why and what to do, not yet made safe for an output. */
  readonly message: string;
  /** It is shown at the first one; empty where no line causes it. */
  readonly places: readonly Place[];
  readonly excerpt?: string | undefined;
  /** The same for the same problem in every run; unique within this outcome. */
  readonly fingerprint: string;
}

export type AnnotationLevel = "error" | "warning" | "notice";

export const levels: readonly AnnotationLevel[] = ["error", "warning", "notice"];

export function annotationsOf(outcome: CommandOutcome): readonly Annotation[] {
  const { diagnostics, plan, run, drift } = outcome;
  const names = namesOf(plan);
  const annotations = [
    ...diagnostics.map(ofDiagnostic),
    ...(run === undefined ? [] : unsuccessfulOutcomes(run).flatMap((outcome) => ofOutcome(outcome, names))),
    ...(drift === undefined
      ? (plan?.findings ?? []).map(ofFinding)
      : reportedItems(drift).flatMap((item) => ofItem(item, names))),
    ...(run?.findings ?? []).map(ofFinding),
  ];
  const byLevel = levels.flatMap((level) => annotations.filter((annotation) => annotation.level === level));
  return withDistinctFingerprints(byLevel);
}

function ofDiagnostic({ code, severity, message, hint, place, excerpt }: Diagnostic): Annotation {
  return {
    rule: code,
    level: severity,
    message: joinSentences(message, hint),
    places: place === undefined ? [] : [place],
    excerpt: excerpt?.line,
    fingerprint: hash(code, place?.file ?? "", message),
  };
}

function ofFinding(finding: Finding): Annotation {
  const { code, subject, message, because, fingerprint } = finding;
  return {
    rule: code,
    level: isOpenProblem(finding) ? "error" : "notice",
    subject: formatSubject(subject),
    message: joinSentences(message),
    places: because,
    fingerprint,
  };
}

/** A change made outside roster is shown although apply corrects it. A change that waits to be applied is not shown. */
function ofItem(item: DriftItem, names: PlanNames): readonly Annotation[] {
  const { of, subject, fingerprint, counts } = item;
  const message = itemText(item, names);
  // A privileged gain is an error although apply corrects it.
  const isError = isPrivilegedGain(item) || (countsInExitCode(item) && counts === "blocking");
  const level = isError ? "error" : countsInExitCode(item) ? "warning" : "notice";
  if (of.is === "finding") return [{ ...ofFinding(of.finding), level, message }];
  if (message === "") return [];
  const places = itemPlaces(item, names);
  return [{ rule: item.class, level, subject: formatSubject(subject), message, places, fingerprint }];
}

function ofOutcome(outcome: UnsuccessfulOutcome, names: PlanNames): readonly Annotation[] {
  const { action } = outcome;
  if (outcome.is === "skipped") return [];
  const [address] = outcome.is === "refused" ? [outcome.address] : [];
  const subject = address === undefined ? actionLabel(action, names) : names.email(address);
  const about = { subject, places: names.action(action)?.because ?? [] };
  if (outcome.is === "stale")
    return [{ ...about, rule: "stale", level: "warning", message: outcome.why, fingerprint: hash("stale", action) }];
  const { failure } = outcome;
  const fingerprint = hash(failure.code, action, ...(address === undefined ? [] : [address]));
  return [{ ...about, rule: failure.code, level: "error", message: formatFailure(failure), fingerprint }];
}

/** A second annotation of the same problem gets another fingerprint, by its number. */
function withDistinctFingerprints(annotations: readonly Annotation[]): readonly Annotation[] {
  const seen = new Map<string, number>();
  return annotations.map((annotation) => {
    const { fingerprint } = annotation;
    const before = seen.get(fingerprint) ?? 0;
    seen.set(fingerprint, before + 1);
    return before === 0 ? annotation : { ...annotation, fingerprint: hash(fingerprint, String(before)) };
  });
}

/** A file of the roster as the repository names it, with slashes; undefined where it is in none, as standard input is. */
export function repositoryPath(file: string, { pathOf }: RenderOptions): string | undefined {
  if (pathOf !== undefined) return pathOf(file);
  return file === "-" || file === "" || file.startsWith("/") || file.split("/").includes("..") ? undefined : file;
}

/** Sixteen hexadecimal digits, the same for the same texts in every run. */
function hash(...texts: readonly string[]): string {
  return sha256(JSON.stringify(texts)).slice(0, 16);
}
