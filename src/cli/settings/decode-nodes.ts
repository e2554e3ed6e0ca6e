import { closestMatch } from "../../model/similarity.ts";
import { patternProblem, type SectionName, type SectionRule, sectionNames } from "../../roster/section-rules.ts";
import type { SourceRange } from "../../yaml/source-text.ts";
import type { MapNode, Node } from "../../yaml/tree.ts";

/** Tells what is wrong with a setting, at its place. */
export type ReportProblem = (spot: SourceRange, message: string, hint?: string) => undefined;

export function mapAt(node: Node, name: string, report: ReportProblem): MapNode | undefined {
  return node.kind === "map" ? node : report(node, `${name} is a map.`, "The README shows an example.");
}

/** The entries of a map by their names; whatever is not among the names is reported. */
export function fieldsOf(
  { entries }: MapNode,
  of: string,
  names: readonly string[],
  report: ReportProblem,
): ReadonlyMap<string, Node> {
  for (const { key } of entries) {
    if (names.includes(key.text)) continue;
    const close = closestMatch(key.text, names);
    const hint = close === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${close}?`;
    report(key, `There is no ${of}.${key.text}.`, hint);
  }
  return new Map(entries.filter(({ key }) => names.includes(key.text)).map(({ key, value }) => [key.text, value]));
}

/** What can be read of a list, which may be empty. */
export function listOf<T>(
  node: Node,
  name: string,
  report: ReportProblem,
  read: (node: Node, name: string, report: ReportProblem) => T | undefined,
): readonly T[] {
  if (node.kind !== "list") {
    report(node, `${name} is a list.`);
    return [];
  }
  return node.items.flatMap((item) => {
    const one = read(item, name, report);
    return one === undefined ? [] : [one];
  });
}

export function textAt(node: Node, name: string, report: ReportProblem): string | undefined {
  if (node.kind === "scalar" && node.type === "string" && node.text !== "") return node.text;
  return report(node, `${name} is a text.`);
}

export function numberAt(
  node: Node,
  wanted: { readonly name: string; readonly is: string; readonly fits: (value: number) => boolean },
  report: ReportProblem,
): number | undefined {
  const value = node.kind === "scalar" && node.type === "number" ? Number(node.text) : Number.NaN;
  return wanted.fits(value) ? value : report(node, `${wanted.name} is ${wanted.is}.`);
}

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
