import type { Diagnostic } from "../model/diagnostic.ts";
import { formatPlace, type Place } from "../model/place.ts";
import type { MapNode } from "../yaml/node.ts";
import { errorAt } from "../yaml/spot.ts";
import type { RosterDiagnosticCode } from "./fault-code.ts";
import { matchesPattern } from "./path-pattern.ts";

/** The parts of a roster that files share among them. What else stands in a file is about that file alone. */
export const sectionNames = ["roleSets", "groups", "users", "leavers", "teams", "keys"] as const;

export type SectionName = (typeof sectionNames)[number];

/** Files whose paths fit one of these patterns carry only these sections. */
export interface SectionRule {
  readonly paths: readonly string[];
  readonly only: readonly SectionName[];
  readonly place: Place;
}

export interface FileAtPath {
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
      const code: RosterDiagnosticCode = "section-not-here";
      return errorAt(key, {
        code,
        message: `The section \`${name}\` may not stand here: ${misplacementReason(rule)}.`,
        hint: misplacementHint(name, rules),
      });
    });
  });
}

function misplacementReason(rule: SectionRule | undefined): string {
  if (rule === undefined) return "no entry of `sections` in the settings fits this path, so that it may carry none";
  const { only, place } = rule;
  const kept = only.length === 0 ? "no section" : `${only.map((name) => `\`${name}\``).join(", ")} alone`;
  return `\`sections\` in the settings (${formatPlace(place)}) lets this path carry ${kept}`;
}

function misplacementHint(name: SectionName, rules: readonly SectionRule[]): string {
  const rule = rules.find(({ only }) => only.includes(name));
  if (rule === undefined) return `No path may carry \`${name}\`: whoever owns the settings decides which one does.`;
  return `Move it to ${rule.paths.map((path) => `\`${path}\``).join(" or ")} (${formatPlace(rule.place)}).`;
}
