import type { Diagnostic } from "../model/diagnostic.ts";
import { problem, type Result } from "../model/result.ts";
import { formatYaml } from "../yaml/format/format-yaml.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import { rosterArrangement } from "./arrangement.ts";
import { complaints } from "./complaints.ts";
import { fileShape } from "./draft-file.ts";
import { readFields } from "./fields.ts";

/**
 * A roster file in the one way in which roster files are written, saying what it said. Errors where it is no YAML, or where its
 * sections are not those of a roster file; what is wrong further in does not matter here.
 */
export function formatRoster(file: string, bytes: Uint8Array): Result<Uint8Array, readonly Diagnostic[]> {
  const { tree } = readYaml(file, bytes);
  if (tree !== undefined) {
    const log = complaints();
    readFields(tree, fileShape, log);
    if (log.count > 0) return problem(log.diagnostics([file]));
  }
  return formatYaml(file, bytes, rosterArrangement);
}
