import { closestMatch } from "../../model/similarity.ts";
import { pointerProblem, type ShapePart, type Shapes, shapeFields } from "../../service/shapes.ts";
import type { MapNode, Node, ScalarNode } from "../../yaml/tree.ts";
import { readDuration } from "../duration.ts";
import type { ReportProblem } from "./setting-nodes.ts";

/** What settings say of one service. */
export interface ServiceSettings {
  /** Where its answers hold what cannot be found by itself. */
  readonly shapes?: Shapes;
  /** Milliseconds within which its reads may not show a write. */
  readonly consistency?: number;
}

const serviceNames: readonly string[] = ["shapes", "consistency"];

/** Decodes `service:`. */
export function decodeService(node: Node | undefined, report: ReportProblem): ServiceSettings {
  const service = optionalMapAt(node, "service", report);
  if (service === undefined) return {};
  for (const { key } of service.entries) {
    if (!serviceNames.includes(key.text)) unknownKey(key, "service", serviceNames, report);
  }
  const nodeOf = (name: string) => service.entries.find(({ key }) => key.text === name)?.value;
  const shapes = decodeShapes(nodeOf("shapes"), report);
  const consistency = decodeConsistency(nodeOf("consistency"), report);
  return { ...(shapes === undefined ? {} : { shapes }), ...(consistency === undefined ? {} : { consistency }) };
}

function decodeConsistency(node: Node | undefined, report: ReportProblem): number | undefined {
  if (node === undefined) return undefined;
  const read = readDuration(node.kind === "scalar" ? node.text : "");
  if (read.ok) return read.value;
  return report(node, `service.consistency is not understood: ${read.error}.`, "Write it like 90s or 20m.");
}

function decodeShapes(node: Node | undefined, report: ReportProblem): Shapes | undefined {
  const shapes = optionalMapAt(node, "service.shapes", report);
  if (shapes === undefined) return undefined;
  const parts = shapes.entries.flatMap(({ key, value }): [string, object][] => {
    if (!isPart(key.text)) return unknownKey(key, "service.shapes", Object.keys(shapeFields), report);
    const fields = decodePart(key.text, value, report);
    return fields === undefined ? [] : [[key.text, fields]];
  });
  return Object.fromEntries(parts);
}

function decodePart(part: ShapePart, node: Node, report: ReportProblem): Readonly<Record<string, string>> | undefined {
  const name = `service.shapes.${part}`;
  const fields = optionalMapAt(node, name, report);
  if (fields === undefined) return undefined;
  const pointers = fields.entries.flatMap(({ key, value }): [string, string][] => {
    if (!isField(part, key.text)) return unknownKey(key, name, shapeFields[part], report);
    const pointer = pointerAt(value, `${name}.${key.text}`, report);
    return pointer === undefined ? [] : [[key.text, pointer]];
  });
  return Object.fromEntries(pointers);
}

function pointerAt(node: Node, name: string, report: ReportProblem): string | undefined {
  if (node.kind !== "scalar" || node.type !== "string") {
    return report(node, `${name} is a JSON Pointer.`, "Write it like /payload/rows.");
  }
  const wrong = pointerProblem(node.text);
  return wrong === undefined ? node.text : report(node, `${name}: ${wrong}.`);
}

function optionalMapAt(node: Node | undefined, name: string, report: ReportProblem): MapNode | undefined {
  if (node === undefined || node.kind === "map") return node;
  return report(node, `${name} is a map.`, "The README shows an example.");
}

function unknownKey(key: ScalarNode, of: string, known: readonly string[], report: ReportProblem): [] {
  const close = closestMatch(key.text, known);
  const hint = close === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${close}?`;
  report(key, `There is no ${of}.${key.text}.`, hint);
  return [];
}

function isPart(name: string): name is ShapePart {
  return Object.hasOwn(shapeFields, name);
}

function isField(part: ShapePart, name: string): boolean {
  return shapeFields[part].some((field) => field === name);
}
