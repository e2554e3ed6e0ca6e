import { readRegular } from "./regular.ts";
import { decodeText, irregularAndLarge, maxFileBytes, type YamlDocument } from "./source-text.ts";

/** As `readGeneral`, which is loaded only for a file that is not in the regular form. */
export async function readYaml(file: string, bytes: Uint8Array, maxBytes = maxFileBytes): Promise<YamlDocument> {
  const decoded = decodeText(file, bytes, maxBytes);
  if (!decoded.ok) return { diagnostics: decoded.error };
  const { tree, end } = readRegular(decoded.value);
  if (tree !== undefined) return { tree, diagnostics: [] };
  if (bytes.length > maxFileBytes) return { diagnostics: [irregularAndLarge(decoded.value, end)] };
  return (await import("./general.ts")).readGeneral(file, bytes);
}
