import { isDate } from "../../model/calendar.ts";
import type { Acknowledgement } from "../../model/drift.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { YamlDocument } from "../../yaml/read.ts";
import { errorAt, type Node, type SourceRange } from "../../yaml/tree.ts";
import { fieldsOf, listOf, mapAt, type ReportProblem, textAt } from "../settings/setting-nodes.ts";

const names = ["fingerprint", "code", "subject", "until", "reason", "by", "at"] as const;

type Field = (typeof names)[number];

/** Decodes a file of acknowledgements, or says everything that is wrong with it. An empty file acknowledges nothing. */
export function decodeAcknowledgements(
  reading: YamlDocument,
): Result<readonly Acknowledgement[], readonly Diagnostic[]> {
  const faults: Diagnostic[] = [...reading.diagnostics];
  const report = (spot: SourceRange, message: string, hint?: string): undefined => {
    faults.push(errorAt(spot, { code: "bad-acknowledgements", message, ...(hint === undefined ? {} : { hint }) }));
  };
  const said = reading.tree === undefined ? [] : decodeEntries(reading.tree, report);
  return faults.length > 0 ? problem(faults) : success(said);
}

function decodeEntries(tree: Node & { readonly kind: "map" }, report: ReportProblem): readonly Acknowledgement[] {
  const fields = fieldsOf(tree, "acknowledgements file", ["version", "acknowledgements"], report);
  const version = fields.get("version");
  if (version === undefined || version.kind !== "scalar" || version.text !== "1") {
    report(version ?? tree, "A file of acknowledgements begins with `version: 1`.");
  }
  const list = fields.get("acknowledgements");
  if (list === undefined || (list.kind === "scalar" && list.type === "null")) return [];
  return listOf(list, "acknowledgements", report, entryAt);
}

function entryAt(node: Node, name: string, report: ReportProblem): Acknowledgement | undefined {
  const map = mapAt(node, `An entry of ${name}`, report);
  if (map === undefined) return undefined;
  const fields = fieldsOf(map, name, names, report);
  const missing = names.filter((field) => !fields.has(field));
  if (missing.length > 0) {
    const hint = "`roster drift ack` writes entries that are whole.";
    return report(node, `An entry of ${name} lacks ${missing.join(", ")}.`, hint);
  }
  const read = (field: Field) => fieldAt(fields.get(field) ?? node, field, report);
  const [fingerprint, code, subject, until] = [read("fingerprint"), read("code"), read("subject"), read("until")];
  const [reason, by, at] = [read("reason"), read("by"), read("at")];
  if (fingerprint === undefined || code === undefined || subject === undefined || until === undefined) return undefined;
  if (reason === undefined || by === undefined || at === undefined) return undefined;
  return { fingerprint, code, subject, until, reason, by, at, place: node.place };
}

function fieldAt(node: Node, field: Field, report: ReportProblem): string | undefined {
  switch (field) {
    case "fingerprint": {
      // One of digits alone is a number to YAML, and is written as it is meant all the same.
      const text = node.kind === "scalar" ? node.text : "";
      return /^[0-9a-f]{16}$/u.test(text) ? text : report(node, "A fingerprint has 16 digits from 0 to f.");
    }
    case "until":
    case "at": {
      const text = textAt(node, field, report);
      if (text === undefined || isDate(text)) return text;
      return report(node, `${field} is a date, such as 2026-12-31.`);
    }
    default:
      return textAt(node, field, report);
  }
}
