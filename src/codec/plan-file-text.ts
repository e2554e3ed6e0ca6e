/** The version of the format that this program writes, and the newest that it reads. */
export const planFileVersion = "1.0";

/** What every plan file begins with. */
export const planFileHeader = '{\n"document": "roster plan file",\n';

/** Names that no roster has: whoever writes them means a document of this program. */
const documentFieldNames = /"(?:document|format_version|checksum|plan_id)"\s*:/u;

/**
 * Whether a text claims to be a plan, in a file or as it was printed, whole or not: then it is never taken for anything
 * else. Its first few thousand characters tell.
 */
export function claimsToBePlan(beginning: string): boolean {
  return /^[\s\uFEFF]*\{/u.test(beginning) && documentFieldNames.test(beginning.slice(0, 4096));
}

/** Whether a text says that it is a plan file, whole or not. */
export function isPlanFile(text: string): boolean {
  return /^[\s\uFEFF]*\{\s*"document"\s*:/u.test(text);
}
