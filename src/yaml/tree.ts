import type { SourceRange } from "./source-text.ts";

/** A located part of a YAML document. User-chosen names are only ever the text of a key, never a property of an object. */
export type Node = ScalarNode | ListNode | MapNode;

export interface ScalarNode extends SourceRange {
  readonly kind: "scalar";
  readonly type: ScalarType;
  /** The value of a string; anything else as it is written, so that `012` and big numbers lose nothing. */
  readonly text: string;
}

/** What YAML 1.2 makes of a scalar. Everything quoted is a string; so are `yes`, `no`, `on`, `off` and dates. */
export type ScalarType = "string" | "number" | "boolean" | "null";

export interface ListNode extends SourceRange {
  readonly kind: "list";
  readonly items: readonly Node[];
}

export interface MapNode extends SourceRange {
  readonly kind: "map";
  /** In the order of the file; no two keys have one text. */
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: ScalarNode;
  readonly value: Node;
}

const nulls = new Set(["", "~", "null", "Null", "NULL"]);
const booleans = new Set(["true", "True", "TRUE", "false", "False", "FALSE"]);
const number = /^(?:[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$/;
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** What the core schema of YAML 1.2 makes of a scalar that is not quoted. */
export function plainScalarType(text: string): ScalarType {
  if (nulls.has(text)) return "null";
  if (booleans.has(text)) return "boolean";
  return number.test(text) || notFinite.test(text) ? "number" : "string";
}
