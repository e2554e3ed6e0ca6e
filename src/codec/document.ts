import { described, string } from "../model/declare.ts";
import { canonicalJson, isObject, type JsonObject, sha256 } from "../model/json.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Fault, Validator } from "./generated/state.js";

export const checksum = described(
  string({ pattern: "^[0-9a-f]{64}$" }),
  "The SHA-256 of all other fields, as JSON with sorted names and without spaces. It finds damage and accidental edits, not forgery.",
);

/** The document with its checksum, which stands behind what kind of document it is and in which version. */
export function encodeDocument(head: JsonObject, content: JsonObject): string {
  const document = { ...head, checksum: documentChecksum({ ...head, ...content }), ...content };
  return toAscii(formatFields(document, formatValue));
}

/** What tells documents of one kind from all others. */
interface DocumentKind {
  /** Why a document cannot be of this kind, whatever the rest of it looks like. */
  otherKind(document: JsonObject): string | undefined;
  /** The version of the format that this program writes, and the newest that it reads. */
  readonly version: string;
}

/** The fields of a document of one kind that says what was written. The error is one sentence without a trailing stop. */
export function readDocument(text: string, kind: DocumentKind, isValid: Validator): Result<JsonObject, string> {
  const document = parseJson(text);
  if (document === undefined) return problem("it is not complete JSON: it was cut off or edited");
  if (!isObject(document)) return problem("it is not a JSON object");
  const refusal =
    kind.otherKind(document) ??
    versionProblem(document, kind) ??
    checksumProblem(document) ??
    schemaProblem(document, isValid);
  return refusal === undefined ? success(document) : problem(refusal);
}

/** Undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionProblem({ format_version: version }: JsonObject, kind: DocumentKind): string | undefined {
  if (version === kind.version) return undefined;
  return `its format_version is ${quoted(version)}, but this version of roster reads ${kind.version}`;
}

function checksumProblem({ checksum, ...content }: JsonObject): string | undefined {
  try {
    const isRight = checksum === documentChecksum(content);
    return isRight ? undefined : "its checksum does not match: it was damaged or edited";
  } catch (error) {
    if (error instanceof RangeError) return "it is nested too deep";
    throw error;
  }
}

/** Where a text is not the one that this program writes of what it says. */
export function changeOf(text: string, written: string, madeBy: string): string | undefined {
  if (text === written) return undefined;
  let at = 0;
  while (text[at] === written[at]) at += 1;
  const line = text.slice(0, at).split("\n").length;
  return `it was changed after roster ${madeBy} wrote it: something was added, repeated or formatted in line ${line}`;
}

/** Over all that a document says, its layout aside. */
function documentChecksum(content: JsonObject): string {
  return sha256(canonicalJson(content));
}

/** A field a line, so that versions can be compared by eye. */
export function formatFields(document: JsonObject, format: (value: unknown, name: string) => string): string {
  const fields = Object.entries(document).filter(([, value]) => value !== undefined);
  const lines = fields.map(([name, value]) => `${canonicalJson(name)}: ${format(value, name)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** Of lists an item a line. */
export function formatValue(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return canonicalJson(value);
  return `[\n${value.map(canonicalJson).join(",\n")}\n]`;
}

/** Of ASCII alone, so that nothing that carries it changes it, and neither a terminal nor the log of a pipeline obeys it. */
function toAscii(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(/[^ -~\n]|#(?=#[A-Za-z]*\[)/g, escaped);
}

export const planFileVersion = "2.0";

export const planFileHeader = '{\n"document": "roster plan file",\n';

export const snapshotFileHeader = '{\n"document": "roster snapshot",\n';

/** Names that no roster has: a file with them is a document of this program. */
const documentFieldNames = /"(?:document|format_version|checksum|plan_id)"\s*:/u;

/** A plan in a file or as it was printed, whole or not, is never taken for anything else. Its first few thousand characters tell. */
export function claimsToBePlan(beginning: string): boolean {
  return /^[\s\uFEFF]*\{/u.test(beginning) && documentFieldNames.test(beginning.slice(0, 4096));
}

export function isPlanFile(text: string): boolean {
  return /^[\s\uFEFF]*\{\s*"document"\s*:/u.test(text);
}

const maxQuotedLength = 100;

/** A value as it is to be shown in a sentence, of a bearable length. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(truncate(value)) : truncate(JSON.stringify(value) ?? "missing");
}

function truncate(text: string): string {
  return text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text;
}

/** Where a document is not of its shape, and how, as the end of a sentence. */
export function schemaProblem(document: unknown, isValid: Validator): string | undefined {
  if (isValid(document)) return undefined;
  const fault = deepestFault(isValid.errors ?? []);
  const where = fault?.instancePath || "its top level";
  if (fault === undefined || fault.keyword === "anyOf") return `${where} is not of a known shape`;
  const unknownName = fault.params["additionalProperty"];
  if (typeof unknownName === "string") return `${where} must not have ${quoted(unknownName)}`;
  return `${where} ${fault.message ?? "has an invalid value"}`;
}

/** Of several shapes that a value does not have, the one that it comes closest to tells the most. */
function deepestFault(faults: readonly Fault[]): Fault | undefined {
  let best: Fault | undefined;
  for (const fault of faults) {
    // Another tag, such as another `kind`, only says that this shape is not meant.
    if (fault.keyword === "const") continue;
    const deeper = fault.instancePath.length - (best?.instancePath.length ?? -1);
    if (deeper > 0 || (deeper === 0 && fault.keyword === "anyOf")) best = fault;
  }
  return best ?? faults[0];
}
