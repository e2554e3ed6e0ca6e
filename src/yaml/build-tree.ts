import { isMap, isScalar, isSeq, type Node as LibraryNode, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { YamlDiagnostics } from "./fault-log.ts";
import type { MapEntry, MapNode, Node, ScalarNode, SourceRange } from "./node.ts";
import { plainScalarType } from "./scalar-type.ts";
import type { SourceText } from "./source-text.ts";
import { type DiagnosticDetail, rangeBetween } from "./spot.ts";
import { mergeKeyError } from "./wording.ts";

interface TreeContext {
  readonly source: SourceText;
  readonly log: YamlDiagnostics;
}

/** The located tree of a composed document; logs what its keys have wrong. Recursive: the depth is bounded before. */
export function buildTree(content: ParsedNode, source: SourceText, log: YamlDiagnostics): Node {
  return buildNode(content, { source, log });
}

function buildNode(part: unknown, site: TreeContext): Node {
  if (isMap(part)) return buildMap(part, site);
  if (isSeq(part))
    return { kind: "list", ...rangeOf(part, site), items: part.items.map((item) => buildNode(item, site)) };
  return buildScalar(isScalar(part) ? part : new Scalar(""), site);
}

function buildScalar(scalar: Scalar, site: TreeContext): ScalarNode {
  const text = typeof scalar.value === "string" ? scalar.value : "";
  const isPlain = scalar.type === undefined || scalar.type === Scalar.PLAIN;
  return { kind: "scalar", ...rangeOf(scalar, site), type: isPlain ? plainScalarType(text) : "string", text };
}

function rangeOf(node: LibraryNode, { source }: TreeContext): SourceRange {
  const [start, end] = node.range ?? [0, 0];
  return rangeBetween(source, start, end);
}

function buildMap(map: YAMLMap<unknown, unknown>, site: TreeContext): MapNode {
  const byText = new Map<string, MapEntry>();
  for (const pair of map.items) {
    const key = buildNode(pair.key, site);
    const value = buildNode(pair.value, site);
    if (!isName(key, site)) continue;
    const first = byText.get(key.text);
    if (first === undefined) byText.set(key.text, { key, value });
    else site.log.addAt(key, duplicateKey(first.key));
  }
  return { kind: "map", ...rangeOf(map, site), entries: [...byText.values()] };
}

function isName(key: Node, site: TreeContext): key is ScalarNode {
  if (key.kind !== "scalar") {
    const message = `A ${key.kind} stands where a key is expected; keys are plain names.`;
    const hint = "Quote a key that begins with a bracket or a brace.";
    site.log.addAt(key, { code: "yaml-key", message, hint });
    return false;
  }
  if (key.type !== "string") {
    const message =
      key.text === "" ? "A key is empty." : `The key ${key.text} is read as a ${key.type}, not as a name.`;
    const hint = key.text === "" ? "Write a name before the colon." : `Quote it: "${key.text}".`;
    site.log.addAt(key, { code: "yaml-key", message, hint });
    return false;
  }
  if (key.text === "<<") site.log.addAt(key, mergeKeyError);
  return key.text !== "<<";
}

function duplicateKey(first: ScalarNode): DiagnosticDetail {
  return {
    code: "yaml-duplicate-key",
    message: `The key ${first.text} is given twice in one map; the first is in line ${first.place.line}.`,
    hint: "Remove one of them, or join what they hold.",
  };
}
