import { canonicalJson } from "./canonical-json.ts";

/** The version of the format that this program writes, and the newest that it reads. */
export const planFileVersion = "1.0";

/** What every plan file begins with. */
export const planFileMark = '{\n"document": "roster plan file",\n';

/** Names that no roster has: whoever writes them means a document of this program. */
const namesOfDocuments = /"(?:document|format_version|checksum|plan_id)"\s*:/u;

/**
 * Whether a text claims to be a plan, in a file or as it was printed, whole or not: then it is never taken for anything
 * else. Its first few thousand characters tell.
 */
export function claimsToBePlan(beginning: string): boolean {
  return /^[\s\uFEFF]*\{/u.test(beginning) && namesOfDocuments.test(beginning.slice(0, 4096));
}

/** Whether a text says that it is a plan file, whole or not. */
export function isPlanFile(text: string): boolean {
  return /^[\s\uFEFF]*\{\s*"document"\s*:/u.test(text);
}

type Content = Readonly<Record<string, unknown>>;

/** The digest over all that a plan file says, its layout aside. */
export function checksumOf(content: Content, digest: (text: string) => string): string {
  return digest(canonicalJson(content));
}

/**
 * A field a line, and of lists an item a line, so that versions can be compared by eye; of ASCII alone, so that nothing
 * that carries it changes it, and neither a terminal nor the log of a pipeline obeys it.
 */
export function layOutPlanFile({ document, ...content }: Content): string {
  const fields = Object.entries({ document, ...content });
  const lines = fields.map(([name, value]) => `${canonicalJson(name)}: ${valueText(value)}`);
  return inAscii(`{\n${lines.join(",\n")}\n}\n`);
}

function valueText(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return canonicalJson(value);
  return `[\n${value.map(canonicalJson).join(",\n")}\n]`;
}

function inAscii(json: string): string {
  return json.replace(/[^ -~\n]|#(?=#[A-Za-z]*\[)/gu, (character) => character.split("").map(escaped).join(""));
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
