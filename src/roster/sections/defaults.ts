import type { Node } from "../../yaml/node.ts";
import type { Complaints } from "../complaints.ts";
import type { Written } from "../draft.ts";
import { readFields, type Shape } from "../fields.ts";
import { readText } from "../values.ts";

const shape: Shape = { what: "`defaults`", required: [], optional: ["source"] };

/** The `source` of this file's users who name none. */
export function readDefaultSource(node: Node, log: Complaints): Written<string> | undefined {
  const source = readFields(node, shape, log)?.get("source");
  return source && readText(source, "`source`", log);
}
