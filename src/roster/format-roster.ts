import type { Diagnostic } from "../model/diagnostic.ts";
import type { Result } from "../model/result.ts";
import { formatYaml } from "../yaml/format/format-yaml.ts";
import { rosterFormat } from "./arrangement.ts";
import { collectDiagnostics } from "./complaints.ts";
import { rosterFileSchema } from "./draft-file.ts";
import { readFields } from "./fields.ts";

/**
 * A roster file in the one way in which roster files are written, saying what it said. Errors where it is no YAML, or where its
 * sections are not those of a roster file; what is wrong further in does not matter here.
 */
export function formatRoster(file: string, bytes: Uint8Array): Result<Uint8Array, readonly Diagnostic[]> {
  return formatYaml(file, bytes, rosterFormat, (tree) => {
    const log = collectDiagnostics();
    readFields(tree, rosterFileSchema, log);
    return log.diagnostics([file]);
  });
}
