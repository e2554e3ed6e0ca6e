import { type UnsuccessfulOutcome, unsuccessfulOutcomes } from "../../log/summary.ts";
import type { ActionId } from "../../model/action.ts";
import { countsInExitCode, type DriftItem } from "../../model/drift.ts";
import type { Place } from "../../model/fact.ts";
import { type Finding, isOpenProblem } from "../../model/finding.ts";
import type { Failure } from "../../model/recorded.ts";
import type { Diagnostic } from "../../model/result.ts";
import { formatSubject } from "../../model/subject.ts";
import { actionLabel, noNames, type PlanNames, planNames } from "../document/actions.ts";
import { itemText } from "../document/drift.ts";
import { formatFailure, joinSentences } from "../document/problems.ts";
import { isPrivilegedGain, reportedItems } from "../drift.ts";
import type { CommandOutcome, RenderOptions } from "../outcome.ts";

/** A problem that a pipeline shows at a line of the roster. A change that waits to be applied is not a problem. */
export interface Annotation {
  /** The code of the diagnostic, the finding or the failure. */
  readonly rule: string;
  readonly level: AnnotationLevel;
  /** The user, team or other thing that it is about, if any. */
  readonly subject?: string;
  /** What, why and what to do, not yet made safe for an output. */
  readonly message: string;
  /** It is shown at the first one; empty where no line causes it. */
  readonly places: readonly Place[];
  /** The first line itself, as it stands in the file. */
  readonly excerpt?: string;
  /** The same for the same problem in every run; unique within this outcome. */
  readonly fingerprint: string;
}

export type AnnotationLevel = "error" | "warning" | "notice";

const levels: readonly AnnotationLevel[] = ["error", "warning", "notice"];

/** All annotations, most severe first, then in the order of the command. */
export function annotationsOf(outcome: CommandOutcome): readonly Annotation[] {
  const { diagnostics, plan, run, drift } = outcome;
  const names = plan === undefined ? noNames : planNames(plan);
  const found =
    drift === undefined ? (plan?.findings ?? []).map(ofFinding) : reportedItems(drift).flatMap(ofItem(names));
  const annotations = [
    ...diagnostics.map(ofDiagnostic),
    ...(run === undefined ? [] : unsuccessfulOutcomes(run).flatMap((outcome) => ofOutcome(outcome, names))),
    ...found,
    ...(run?.findings ?? []).map(ofFinding),
  ];
  return withDistinctFingerprints(
    levels.flatMap((level) => annotations.filter((annotation) => annotation.level === level)),
  );
}

function ofDiagnostic({ code, severity, message, hint, place, excerpt }: Diagnostic): Annotation {
  return {
    rule: code,
    level: severity,
    message: joinSentences(message, hint),
    places: place === undefined ? [] : [place],
    ...(excerpt === undefined ? {} : { excerpt: excerpt.line }),
    fingerprint: hashFingerprint([code, place?.file ?? "", message]),
  };
}

function ofFinding(finding: Finding): Annotation {
  const { code, subject, message, because, fingerprint } = finding;
  const level = isOpenProblem(finding) ? "error" : "notice";
  return {
    rule: code,
    level,
    subject: formatSubject(subject),
    message: joinSentences(message),
    places: because,
    fingerprint,
  };
}

/** A change made outside roster is shown although apply corrects it. A change that waits to be applied is not shown. */
function ofItem(names: PlanNames): (item: DriftItem) => readonly Annotation[] {
  return (item) => {
    const { of, subject, fingerprint } = item;
    const message = itemText(item, names);
    const level = levelOf(item);
    if (of.is === "finding") return [{ ...ofFinding(of.finding), level, message }];
    if (message === "") return [];
    const places = names.action(of.action)?.because ?? [];
    return [{ rule: item.class, level, subject: formatSubject(subject), message, places, fingerprint }];
  };
}

/** A privileged gain is an error although apply corrects it. */
function levelOf(item: DriftItem): AnnotationLevel {
  if (isPrivilegedGain(item)) return "error";
  if (!countsInExitCode(item)) return "notice";
  return item.counts === "blocking" ? "error" : "warning";
}

function ofOutcome(outcome: UnsuccessfulOutcome, names: PlanNames): readonly Annotation[] {
  const { action } = outcome;
  switch (outcome.is) {
    case "failed":
    case "unknown":
      return [ofFailure(action, outcome.failure, names)];
    case "stale":
      return [ofAction(action, { rule: "stale", level: "warning", message: outcome.why }, names)];
    case "refused": {
      const { address, failure } = outcome;
      const fingerprint = hashFingerprint([failure.code, action, address]);
      return [{ ...ofFailure(action, failure, names), subject: names.email(address), fingerprint }];
    }
    case "skipped":
      return [];
  }
}

function ofFailure(id: ActionId, failure: Failure, names: PlanNames): Annotation {
  return ofAction(id, { rule: failure.code, level: "error", message: formatFailure(failure) }, names);
}

function ofAction(id: ActionId, problem: Pick<Annotation, "rule" | "level" | "message">, names: PlanNames): Annotation {
  const action = names.action(id);
  return {
    ...problem,
    subject: actionLabel(id, names),
    places: action?.because ?? [],
    fingerprint: hashFingerprint([problem.rule, id]),
  };
}

/** A second annotation of the same problem gets another fingerprint, by its number. */
function withDistinctFingerprints(annotations: readonly Annotation[]): readonly Annotation[] {
  const seen = new Map<string, number>();
  return annotations.map((annotation) => {
    const before = seen.get(annotation.fingerprint) ?? 0;
    seen.set(annotation.fingerprint, before + 1);
    return before === 0
      ? annotation
      : { ...annotation, fingerprint: hashFingerprint([annotation.fingerprint, String(before)]) };
  });
}

/** A file of the roster as the repository names it, with slashes; undefined where it is in none, as standard input is. */
export function repositoryPath(file: string, { pathOf }: RenderOptions): string | undefined {
  if (pathOf !== undefined) return pathOf(file);
  return file === "-" || file === "" || file.startsWith("/") || file.split("/").includes("..") ? undefined : file;
}

const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

/** Sixteen hexadecimal digits, the same for the same texts in every run (FNV-1a). Not secure against deliberate collisions. */
function hashFingerprint(texts: readonly string[]): string {
  let hash = offset;
  for (const byte of new TextEncoder().encode(JSON.stringify(texts))) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  }
  return hash.toString(16).padStart(16, "0");
}
