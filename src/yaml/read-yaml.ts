import type { Diagnostic } from "../model/diagnostic.ts";
import { buildTree } from "./build-tree.ts";
import { compose } from "./compose.ts";
import { decodeText } from "./decode-text.ts";
import { yamlDiagnostics } from "./fault-log.ts";
import { mergeConflicts } from "./merge-conflicts.ts";
import type { MapNode, Node } from "./node.ts";
import type { DiagnosticDetail } from "./spot.ts";

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
