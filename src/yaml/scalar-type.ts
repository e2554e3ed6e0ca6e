import type { ScalarType } from "./node.ts";

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
