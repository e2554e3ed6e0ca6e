import type { ScalarType } from "./tree.ts";

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

/** Letters, digits and what means nothing to YAML within a word, wherever the word stands. */
const plainPattern = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_@.+\-/'()& ]*[\p{L}\p{M}\p{N}_@.+\-/'()&])?$/u;
/** What readers of YAML 1.1 would take for a boolean, a number, a date or a time. */
const ambiguousPattern =
  /^(?:y|n|yes|no|on|off)$|^[-+]?[\d][\d_,.:eE+-]*$|^[-+]?0[box][\da-f_]+$|^\d{4}-\d\d?-\d\d?(?:[Tt ].*)?$/iu;
/** What nobody sees, what a terminal obeys, and what has no place in a text file. */
const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Cn}\p{Co}]/gu;

/** A text as YAML 1.2 and 1.1 both read it back: bare where that is safe, else in double quotes. */
export function writeScalar(text: string): string {
  const isSafe = plainPattern.test(text) && plainScalarType(text) === "string" && !ambiguousPattern.test(text);
  return isSafe ? text : `"${text.replace(/["\\]/gu, "\\$&").replace(hiddenCharacters, escapeCharacter)}"`;
}

/** A text for a comment, with everything hidden made visible. */
export function writeComment(text: string): string {
  return text.replace(hiddenCharacters, escapeCharacter);
}

function escapeCharacter(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  const point = character.codePointAt(0) ?? 0;
  const digits = point.toString(16);
  if (point <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return point <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
