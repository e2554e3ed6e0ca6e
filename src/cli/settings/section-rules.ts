import { closestMatch } from "../../model/similarity.ts";
import { patternProblem, type SectionName, type SectionRule, sectionNames } from "../../roster/section-rules.ts";
import type { Node } from "../../yaml/tree.ts";
import { fieldsOf, listOf, mapAt, type ReportProblem, textAt } from "./setting-nodes.ts";

/** Decodes `sections:`, which says what files may carry. An empty list lets no file carry anything. */
export function decodeSections(node: Node | undefined, report: ReportProblem): readonly SectionRule[] | undefined {
  return node === undefined ? undefined : listOf(node, "sections", report, ruleAt);
}

function ruleAt(node: Node, name: string, report: ReportProblem): SectionRule | undefined {
  const map = mapAt(node, `An entry of ${name}`, report);
  if (map === undefined) return undefined;
  const fields = fieldsOf(map, name, ["paths", "only"], report);
  const [paths, only] = [fields.get("paths"), fields.get("only")];
  if (paths === undefined || only === undefined) {
    const form = 'Write `{ paths: ["teams/**"], only: [teams] }`.';
    return report(node, `An entry of ${name} says which paths it is for, and what they carry only.`, form);
  }
  return {
    paths: listOf(paths, `${name}.paths`, report, patternAt),
    only: listOf(only, `${name}.only`, report, sectionAt),
    place: node.place,
  };
}

function patternAt(node: Node, name: string, report: ReportProblem): string | undefined {
  const text = textAt(node, name, report);
  if (text === undefined) return undefined;
  const wrong = patternProblem(text);
  return wrong === undefined
    ? text
    : report(node, `The path ${text} in ${name} ${wrong}.`, "Write it like `teams/**`.");
}

function sectionAt(node: Node, name: string, report: ReportProblem): SectionName | undefined {
  const text = textAt(node, name, report);
  if (text === undefined) return undefined;
  const known = sectionNames.find((section) => section === text);
  if (known !== undefined) return known;
  const close = closestMatch(text, sectionNames);
  const hint = close === undefined ? `There are ${sectionNames.join(", ")}.` : `Did you mean ${close}?`;
  return report(node, `A roster has no section ${text}.`, hint);
}
