import { formatPlace, type Place } from "../model/fact.ts";
import type { Diagnostic } from "../model/result.ts";
import type { DiagnosticsCollector } from "../yaml/diagnostics.ts";
import { errorAt, type MapNode } from "../yaml/source-text.ts";

/** What is wrong with a roster, in all its files. */
export type RosterDiagnostics = DiagnosticsCollector<RosterDiagnosticCode>;

/** What is missing, or is left to a weaker entry, only as long as no other file holds it; and hints that would be cut short. */
const dependsOnOtherFiles: ReadonlySet<RosterDiagnosticCode> = new Set<RosterDiagnosticCode>([
  "unknown-user",
  "unknown-group",
  "unknown-role-set",
  "admin-not-member",
  "founder-not-member",
  "leaver-in-use",
  "leaver-key-roles",
  "conflicting-roles",
  "bad-period",
  "until-reached",
  "unsafe-address",
  "single-label-domain",
  "unusual-address",
  "non-ascii-address",
  "role-set-as-role",
]);

/** Whether a fault of some files stands whatever other files of the roster hold. */
export function isLocalError(code: RosterDiagnosticCode): boolean {
  return !dependsOnOtherFiles.has(code);
}

/** What can be wrong with a roster. Stable; the first group is what `schemas/roster.schema.json` refuses too. */
export type RosterDiagnosticCode =
  /** A map, list, text or boolean stands where something else is expected. */
  | "wrong-type"
  /** YAML reads a number, a boolean or nothing where a text is expected. */
  | "quote-needed"
  /** A key that the format does not know. */
  | "unknown-key"
  /** A key that the format requires is not there. */
  | "missing-key"
  /** A `version` other than 1. */
  | "unsupported-version"
  /** An empty text, white space around it, or a control character in it. */
  | "bad-text"
  /** A text that cannot be an e-mail address. */
  | "bad-address"
  /** A user's address with which nobody is created. Told where no service is asked who is there. */
  | "unsafe-address"
  /** A text that is no day of the calendar written as in `2027-01-31`. */
  | "bad-date"
  /** A word other than those that the format knows at a place. */
  | "unknown-choice"
  /** More roles than any key can mean. */
  | "too-many-roles"
  /** A file that has none of the sections of a roster, such as the file of another program. */
  | "not-a-roster-file"
  //
  /** Users or teams in a file for which no account is named. */
  | "missing-account"
  /** Two users with one address. */
  | "duplicate-user"
  /** A former address that belongs to somebody else, or is the user's own. */
  | "duplicate-address"
  /** Two teams of one account with one name, without an identifier each. */
  | "duplicate-team"
  /** Two teams with one identifier. */
  | "duplicate-identifier"
  /** Two groups with one name. */
  | "duplicate-group"
  /** Two role sets with one name. */
  | "duplicate-role-set"
  /** One person named twice in a group, or twice in a team other than through groups; one group named twice in a team. */
  | "duplicate-member"
  /** Two leavers with one address. */
  | "duplicate-leaver"
  /** Somebody listed under `users` and under `leavers`. */
  | "user-and-leaver"
  /** A member, administrator or founder who is a leaver. */
  | "leaver-in-use"
  /** A listed key that gives roles to a leaver. */
  | "leaver-key-roles"
  /** A leaver whose `since` is a day to come. */
  | "since-in-future"
  /** `distinctFrom` names the user themselves, or somebody twice. */
  | "not-distinct"
  /** `onRemoval` of an open team, which nobody is removed from. */
  | "on-removal-of-open-team"
  /** A member, administrator or founder who is no user of the roster. */
  | "unknown-user"
  /** A group that is defined nowhere. */
  | "unknown-group"
  /** A role set that is defined nowhere. */
  | "unknown-role-set"
  /** An administrator who is not a member of the team. */
  | "admin-not-member"
  /** An administrator who belongs to another account than the team. */
  | "admin-other-account"
  /** A founder who is not a member of the team. */
  | "founder-not-member"
  /** A founder who belongs to another account than the team. */
  | "founder-other-account"
  /** A founder for whom `ownKeyRoles` are given: a founder's only key is the team's. */
  | "founder-own-key-roles"
  /** One key given two different lists of roles, neither of which outranks the other. */
  | "conflicting-roles"
  /** A whole key, secret part and all, where a prefix belongs. */
  | "full-key"
  /** One prefix listed twice, or declared as the key of two people or of two teams. */
  | "duplicate-prefix"
  /** A user's address whose domain has no dot. Told where no service is asked who is there. */
  | "single-label-domain"
  /** A section in a file that the settings do not let carry it. */
  | "section-not-allowed"
  /** More members than can be held in memory. */
  | "too-many-members"
  /** Errors that are counted, not shown. */
  | "more-errors"
  //
  /** A role ends before it begins. */
  | "bad-period"
  /** A warning: somebody's `until` has come, and a place that still counts on them no longer does. */
  | "until-reached"
  /** A warning: an address with which nobody is created, at a place where that is no error. */
  | "unusual-address"
  /** A warning: a user's address with letters beyond ASCII before the `@`. */
  | "non-ascii-address"
  /** A warning: a list of roles names a role set as if it were a role. */
  | "role-set-as-role"
  /** Warnings that are counted, not shown. */
  | "more-warnings";

/** The parts of a roster that files share among them. What else stands in a file is about that file alone. */
export const sectionNames = ["roleSets", "groups", "users", "leavers", "teams", "keys"] as const;

export type SectionName = (typeof sectionNames)[number];

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

/** Whether a pattern that is one fits a path. Without `*` in its last name it fits a file, and all that is below a directory. @internal */
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
