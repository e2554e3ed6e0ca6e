import type { Node } from "../../yaml/node.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceValue } from "../draft.ts";
import { type MapSchema, readFields } from "../fields.ts";
import { readText } from "../values.ts";

const defaultsSchema: MapSchema = { what: "`defaults`", required: [], optional: ["source"] };

/** The `source` of this file's users who name none. */
export function readDefaultSource(node: Node, log: DiagnosticsCollector): SourceValue<string> | undefined {
  const source = readFields(node, defaultsSchema, log)?.get("source");
  return source && readText(source, "`source`", log);
}
