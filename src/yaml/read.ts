import { isMap, isScalar, isSeq, type Node as LibraryNode, type ParsedNode, Scalar, type YAMLMap } from "yaml";
import type { Diagnostic } from "../model/result.ts";
import { mergeKeyError, type YamlDiagnostics, yamlDiagnostics } from "./diagnostics.ts";
import { compose } from "./parse.ts";
import {
  type DiagnosticDetail,
  decodeText,
  errorAt,
  rangeBetween,
  type SourceRange,
  type SourceText,
} from "./source-text.ts";
import type { MapEntry, MapNode, Node, ScalarNode } from "./tree.ts";
import { plainScalarType } from "./tree.ts";

export interface YamlDocument {
  /** Absent for an empty file, and where the file cannot be taken for what it seems to say; then a diagnostic says why. */
  readonly tree?: MapNode;
  /** Every fault that was found, in the order of the file. All of them are errors. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the one YAML document of a file, whatever its bytes are: a located tree, or located errors, never an exception. */
export function readYaml(file: string, bytes: Uint8Array): YamlDocument {
  const decoded = decodeText(file, bytes);
  if (!decoded.ok) return { diagnostics: decoded.diagnostics };
  const log = yamlDiagnostics(decoded.source);
  const content = compose(decoded.source.text, log);
  const conflicts = log.spoilsContent ? mergeConflicts(decoded.source) : [];
  if (conflicts.length > 0) return { diagnostics: conflicts };
  const node = content === null ? undefined : buildTree(content, decoded.source, log);
  if (node?.kind === "map") return { tree: node, diagnostics: log.diagnostics() };
  if (node !== undefined && !isEmptyNode(node)) log.addAt(node, notAMapDetail(node));
  return { diagnostics: log.diagnostics() };
}

function isEmptyNode(node: Node): boolean {
  return node.kind === "scalar" && node.type === "null" && node.text === "";
}

function notAMapDetail(node: Node): DiagnosticDetail {
  return {
    code: "yaml-not-a-map",
    message: `The file holds a ${node.kind === "list" ? "list" : "single value"}; it must be a map of keys and values.`,
    hint: "Begin with keys such as `version: 1`.",
  };
}

interface TreeContext {
  readonly source: SourceText;
  readonly log: YamlDiagnostics;
}

/** The located tree of a composed document; logs what its keys have wrong. Recursive: the depth is bounded before. */
function buildTree(content: ParsedNode, source: SourceText, log: YamlDiagnostics): Node {
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

const maxConflicts = 100;

/** Where a merge has left both sides in a text, at the first line of each conflict; all else that is wrong with it follows from that. */
function mergeConflicts(source: SourceText): readonly Diagnostic[] {
  const lastEnd = source.text.lastIndexOf("\n>>>>>>> ");
  const begun = [...source.text.slice(0, lastEnd + 1).matchAll(/^<{7} [^\r\n]*/gmu)].slice(0, maxConflicts);
  return begun.map((found) =>
    errorAt(rangeBetween(source, found.index, found.index + found[0].length), conflictDetail),
  );
}

const conflictDetail: DiagnosticDetail = {
  code: "yaml-merge-conflict",
  message: "A merge has left both sides here.",
  hint: "Keep the lines that are meant, mostly those of both sides, and take out the lines that git wrote.",
};
