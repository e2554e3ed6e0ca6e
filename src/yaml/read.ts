import { isMap, isScalar, isSeq, type Node as LibraryNode, Scalar, type YAMLMap } from "yaml";
import type { Diagnostic } from "../model/result.ts";
import { type DiagnosticsCollector, sharingHint } from "./diagnostics.ts";
import { compose } from "./parse.ts";
import { readRegular } from "./regular.ts";
import {
  type DiagnosticDetail,
  decodeText,
  errorAt,
  irregularAndLarge,
  ListNode,
  type MapEntry,
  MapNode,
  maxFileBytes,
  maxRosterFileBytes,
  type Node,
  plainScalarType,
  ScalarNode,
  type SourceText,
  TextRange,
} from "./source-text.ts";

export interface YamlDocument {
  /** Absent for an empty file, and where the file cannot be taken for what it seems to say; then a diagnostic says why. */
  readonly tree?: MapNode;
  /** Every fault that was found, in the order of the file. All of them are errors. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Which reader has the first look at a file: ours, for what is in the regular form, or the library for all. */
export type YamlReader = "regular-first" | "library";

/** Reads the one YAML document of a file, whatever its bytes are: a located tree, or located errors, never an exception. */
export function readYaml(file: string, bytes: Uint8Array, reader: YamlReader = "library"): YamlDocument {
  const decoded = decodeText(file, bytes, reader === "regular-first" ? maxRosterFileBytes : maxFileBytes);
  if (!decoded.ok) return { diagnostics: decoded.error };
  const source = decoded.value;
  if (reader === "regular-first") {
    const { tree, end } = readRegular(source);
    if (tree !== undefined) return { tree, diagnostics: [] };
    if (bytes.length > maxFileBytes) return { diagnostics: [irregularAndLarge(source, end)] };
  }
  const { content, isSpoilt, log } = compose(source);
  const conflicts = isSpoilt ? mergeConflicts(source) : [];
  if (conflicts.length > 0) return { diagnostics: conflicts };
  const node = content === null ? undefined : buildNode(content, { source, log });
  if (node?.kind === "map") return { tree: node, diagnostics: log.diagnostics() };
  if (node !== undefined && !isEmptyNode(node)) reportNotAMap(node, log);
  return { diagnostics: log.diagnostics() };
}

function isEmptyNode(node: Node): boolean {
  return node.kind === "scalar" && node.type === "null" && node.text === "";
}

function reportNotAMap(node: Node, log: DiagnosticsCollector): void {
  const found = node.kind === "list" ? "list" : "single value";
  const message = `The file contains a ${found}; it must be a map of keys and values.`;
  log.error(node, "yaml-syntax", message, "Start the file with `version: 1`.");
}

interface TreeContext {
  readonly source: SourceText;
  readonly log: DiagnosticsCollector;
}

function offsetsOf({ range }: LibraryNode): readonly [start: number, end: number] {
  const [start, end] = range ?? [0, 0];
  return [start, end];
}

/** The located tree of a composed document; logs what its keys have wrong. Recursive: the depth is bounded before. */
function buildNode(part: unknown, context: TreeContext): Node {
  const { source } = context;
  if (isMap(part)) return new MapNode(source, ...offsetsOf(part), buildEntries(part, context));
  if (!isSeq(part)) return buildScalar(isScalar(part) ? part : new Scalar(""), source);
  const items = part.items.map((item) => buildNode(item, context));
  return new ListNode(source, ...offsetsOf(part), items);
}

function buildScalar(scalar: Scalar, source: SourceText): ScalarNode {
  const text = typeof scalar.value === "string" ? scalar.value : "";
  const isPlain = scalar.type === undefined || scalar.type === Scalar.PLAIN;
  return new ScalarNode(source, ...offsetsOf(scalar), text, isPlain ? plainScalarType(text) : "string");
}

function buildEntries(map: YAMLMap<unknown, unknown>, context: TreeContext): readonly MapEntry[] {
  const byText = new Map<string, MapEntry>();
  for (const pair of map.items) {
    const key = buildNode(pair.key, context);
    const value = buildNode(pair.value, context);
    if (!isName(key, context)) continue;
    const first = byText.get(key.text);
    if (first === undefined) byText.set(key.text, { key, value });
    else reportDuplicateKey(key, first.key, context.log);
  }
  return [...byText.values()];
}

function isName(key: Node, { log }: TreeContext): key is ScalarNode {
  if (key.kind !== "scalar") {
    const message = `This key is a ${key.kind}; a key must be a plain name.`;
    log.error(key, "yaml-syntax", message, "Quote a key that begins with a bracket or a brace.");
    return false;
  }
  if (key.type !== "string") {
    const message =
      key.text === "" ? "A key is empty." : `YAML reads the key ${key.text} as a ${key.type}; a key must be a text.`;
    const hint = key.text === "" ? "Write a name before the colon." : `Quote it: "${key.text}".`;
    log.error(key, "yaml-syntax", message, hint);
    return false;
  }
  if (key.text === "<<") log.error(key, "yaml-not-supported", "Merge keys are not allowed.", sharingHint);
  return key.text !== "<<";
}

function reportDuplicateKey(key: ScalarNode, first: ScalarNode, log: DiagnosticsCollector): void {
  const message = `The key ${first.text} is twice in one map; first in line ${first.place.line}.`;
  log.error(key, "duplicate", message, "Remove one, or merge their values.");
}

const maxConflicts = 100;

/** Where a merge has left both sides in a text, at the first line of each conflict; all else that is wrong with it follows from that. */
function mergeConflicts(source: SourceText): readonly Diagnostic[] {
  const lastEnd = source.text.lastIndexOf("\n>>>>>>> ");
  const begun = [...source.text.slice(0, lastEnd + 1).matchAll(/^<{7} [^\r\n]*/gmu)].slice(0, maxConflicts);
  return begun.map((found) =>
    errorAt(new TextRange(source, found.index, found.index + found[0].length), conflictDetail),
  );
}

const conflictDetail: DiagnosticDetail = {
  code: "yaml-syntax",
  message: "This file has a git merge conflict.",
  hint: "Resolve the conflict: keep the lines you want, and remove the marker lines of git.",
};
