import type { Diagnostic } from "../model/diagnostic.ts";
import type { Result } from "../model/result.ts";
import { formatYaml } from "../yaml/format/format-yaml.ts";
import { rosterArrangement } from "./arrangement.ts";
import { complaints } from "./complaints.ts";
import { fileShape } from "./draft-file.ts";
import { readFields } from "./fields.ts";

/**
 * A roster file in the one way in which roster files are written, saying what it said. Errors where it is no YAML, or where its
 * sections are not those of a roster file; what is wrong further in does not matter here.
 */
export function formatRoster(file: string, bytes: Uint8Array): Result<Uint8Array, readonly Diagnostic[]> {
  return formatYaml(file, bytes, rosterArrangement, (tree) => {
    const log = complaints();
    readFields(tree, fileShape, log);
    return log.diagnostics([file]);
  });
}
