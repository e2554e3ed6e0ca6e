import type { Diagnostic } from "../../model/diagnostic.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { decodeText } from "../decode-text.ts";
import { encodeLike } from "../edits.ts";
import type { MapNode, Node } from "../node.ts";
import { readYaml } from "../read-yaml.ts";
import { applyFormatRules, type FormatRules } from "./arrangement.ts";
import { parseLayout } from "./lay-out.ts";
import { printLayout } from "./print-out.ts";

/**
 * A file in the one way in which its format is written: the same values and the same comments. A file without a map in it stays
 * as it is; errors say why it cannot be read, or what `faultsOf` finds wrong with it.
 */
export function formatYaml(
  file: string,
  bytes: Uint8Array,
  arrangement: FormatRules,
  faultsOf: (tree: MapNode) => readonly Diagnostic[] = () => [],
): Result<Uint8Array, readonly Diagnostic[]> {
  const { tree, diagnostics } = readYaml(file, bytes);
  const faults = [...diagnostics, ...(tree === undefined ? [] : faultsOf(tree))];
  if (faults.length > 0) return problem(faults);
  const decoded = decodeText(file, bytes);
  if (tree === undefined || !decoded.ok) return success(bytes);
  const { text } = decoded.source;
  const document = parseLayout(text.replaceAll("\r\n", "\n"));
  if (document === undefined) return success(bytes);
  const lines = printLayout(applyFormatRules(document, arrangement));
  const lineBreak = /^[^\n]*\r\n/u.test(text) ? "\r\n" : "\n";
  const formatted = encodeLike(bytes, `${lines.join(lineBreak)}${lineBreak}`);
  if (lines.join("\n") !== text.trimEnd() && !meansTheSame(tree, readYaml(file, formatted).tree))
    throw new Error(`formatting ${file} would change what it says; it was left as it is`);
  return success(formatted);
}

function meansTheSame(before: MapNode, after: MapNode | undefined): boolean {
  return after !== undefined && meaningOf(before) === meaningOf(after);
}

/** What a tree says, whatever the order of its parts. */
function meaningOf(node: Node): string {
  if (node.kind === "scalar") return JSON.stringify([node.type, node.text]);
  if (node.kind === "list") return `[${node.items.map(meaningOf).sort().join()}]`;
  return `{${node.entries
    .map(({ key, value }) => `${meaningOf(key)}:${meaningOf(value)}`)
    .sort()
    .join()}}`;
}
