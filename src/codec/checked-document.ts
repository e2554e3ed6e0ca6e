import { problem, type Result, success } from "../model/result.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The fields of a document in a file, of which one is a checksum over all others. */
export type DocumentFields = Readonly<Record<string, unknown>>;

type Digest = (text: string) => string;

/** The document with its checksum, which stands behind what kind of document it is and in which version. */
export function encodeDocument(head: DocumentFields, content: DocumentFields, digest: Digest): string {
  return formatDocument({ ...head, checksum: documentChecksum({ ...head, ...content }, digest), ...content });
}

/** The fields of a document; whatever the text holds, nothing throws. */
export function parseDocument(text: string): Result<DocumentFields, string> {
  try {
    const value: unknown = JSON.parse(text);
    const isFields = typeof value === "object" && value !== null && !Array.isArray(value);
    return isFields ? success(value as DocumentFields) : problem("it is not a JSON object");
  } catch {
    return problem("it is not complete JSON: it was cut short or edited");
  }
}

/** Why the checksum is not that of the rest; finds damage and careless edits, not forgery. */
export function checksumProblem({ checksum, ...content }: DocumentFields, digest: Digest): string | undefined {
  try {
    const isRight = checksum === documentChecksum(content, digest);
    return isRight ? undefined : "it does not agree with its checksum: it was damaged or edited";
  } catch (error) {
    if (error instanceof RangeError) return "it nests too deep";
    throw error;
  }
}

/** Over all that a document says, its layout aside. */
function documentChecksum(content: DocumentFields, digest: Digest): string {
  return digest(canonicalJson(content));
}

/**
 * A field a line, and of lists an item a line, so that versions can be compared by eye; of ASCII alone, so that nothing
 * that carries it changes it, and neither a terminal nor the log of a pipeline obeys it.
 */
export function formatDocument({ document, ...content }: DocumentFields): string {
  const fields = Object.entries({ document, ...content });
  const lines = fields.map(([name, value]) => `${canonicalJson(name)}: ${formatValue(value)}`);
  return toAscii(`{\n${lines.join(",\n")}\n}\n`);
}

function formatValue(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return canonicalJson(value);
  return `[\n${value.map(canonicalJson).join(",\n")}\n]`;
}

function toAscii(json: string): string {
  return json.replace(/[^ -~\n]|#(?=#[A-Za-z]*\[)/gu, (character) => character.split("").map(escapeUnit).join(""));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
