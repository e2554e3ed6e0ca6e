import { formatPlace, type Place } from "../model/fact.ts";
import type { Diagnostic } from "../model/failure.ts";
import { type DiagnosticsCollector, errorAt, type MapNode } from "../yaml/source-text.ts";

export type RosterDiagnostics = DiagnosticsCollector<RosterDiagnosticCode>;

/** What can be wrong with a roster, whichever files of it can be read. */
type LocalCode =
  | "bad-value"
  | "unknown-key"
  | "missing-key"
  | "unsupported-version"
  | "full-key"
  | "not-a-roster-file"
  | "duplicate"
  | "contradiction"
  | "other-account"
  | "section-not-allowed"
  | "too-large";

/** What is missing, or is left to a weaker entry, only as long as no other file holds it; and hints that would be cut short. */
const dependsOnOtherFiles = [
  "unknown-name",
  "not-a-member",
  "leaver-in-use",
  "conflicting-roles",
  "until-reached",
  "unsafe-address",
  "unusual-address",
  "role-set-as-role",
] as const;

/** What can be wrong with a roster. Stable. */
type RosterDiagnosticCode = LocalCode | (typeof dependsOnOtherFiles)[number];

/** Whether a fault of some files stands whatever other files of the roster hold. */
export function isLocalError(code: string): boolean {
  return !dependsOnOtherFiles.some((one) => one === code);
}

/** The parts of a roster that files share among them. What else stands in a file is about that file alone. */
export const sectionNames = ["roleSets", "groups", "users", "leavers", "teams", "keys", "accept"] as const;

type SectionName = (typeof sectionNames)[number];

/** Files whose paths fit one of these patterns carry only these sections. */
export interface SectionRule {
  readonly paths: readonly string[];
  readonly only: readonly SectionName[];
  readonly place: Place;
}

interface FileAtPath {
  /** As the patterns see it: relative, written with `/`; `-` is standard input. Undefined for what they cannot name. */
  readonly path: string | undefined;
  readonly tree: MapNode;
}

/** Every section that stands where the rules do not let it. The first rule that fits a path decides; where none does, none may. */
export function misplacedSections(files: readonly FileAtPath[], rules: readonly SectionRule[]): readonly Diagnostic[] {
  return files.flatMap(({ path, tree }) => {
    const rule =
      path === undefined ? undefined : rules.find((one) => one.paths.some((pattern) => matchesPattern(pattern, path)));
    return tree.entries.flatMap(({ key }) => {
      const name = sectionNames.find((section) => section === key.text);
      if (name === undefined || rule?.only.includes(name)) return [];
      const code: RosterDiagnosticCode = "section-not-allowed";
      return errorAt(key, {
        code,
        message: `The section \`${name}\` is not allowed in this file: ${misplacementReason(rule)}.`,
        hint: misplacementHint(name, rules),
      });
    });
  });
}

function misplacementReason(rule: SectionRule | undefined): string {
  if (rule === undefined) return "no entry of `sections` in the settings matches this path";
  const { only, place } = rule;
  const kept = only.length === 0 ? "no section" : `${only.map((name) => `\`${name}\``).join(", ")} alone`;
  return `\`sections\` in the settings (${formatPlace(place)}) allows ${kept} in this path`;
}

function misplacementHint(name: SectionName, rules: readonly SectionRule[]): string {
  const rule = rules.find(({ only }) => only.includes(name));
  if (rule === undefined) return `No path may contain \`${name}\`. The owner of the settings can allow one.`;
  return `Move it to ${rule.paths.map((path) => `\`${path}\``).join(" or ")} (${formatPlace(rule.place)}).`;
}

/**
 * Says why a text is no pattern of paths: completes the sentence "The path … …". `undefined` where it is one. Patterns
 * are relative and written with `/`; `*` is any part of one name, `**` as a whole name any number of directories.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith("/")) return "starts with `/`: write it relative to the directory of the settings";
  if (/[\\?[\]{}!]/u.test(pattern)) return "has a special character: only `*` and `**` are supported";
  const names = patternNames(pattern);
  if (names.length === 0 || names.some((name) => ["", ".", ".."].includes(name))) {
    return "has a part that is empty, `.` or `..`";
  }
  if (names.some((name) => name !== "**" && name.includes("**")))
    return "has `**` inside a name: `**` must be alone between two `/`";
  return undefined;
}

/** Whether a pattern that is one fits a path. Without `*` in its last name it fits a file, and all that is below a directory. */
export function matchesPattern(pattern: string, path: string): boolean {
  const names = patternNames(pattern);
  const last = names.at(-1) ?? "";
  const body = names.slice(0, -1).map((name) => (name === "**" ? "(?:[^/]+/)*" : `${namePattern(name)}/`));
  const end = last === "**" ? ".+" : last.includes("*") ? namePattern(last) : `${namePattern(last)}(?:/.+)?`;
  return new RegExp(`^${body.join("")}${end}$`, "su").test(path);
}

/** A trailing `/` only says that a directory is meant. */
function patternNames(pattern: string): readonly string[] {
  return pattern.replace(/(?<=.)\/$/u, "").split("/");
}

function namePattern(name: string): string {
  return name
    .split("*")
    .map((text) => text.replace(/[.+^$()|]/gu, "\\$&"))
    .join("[^/]*");
}
